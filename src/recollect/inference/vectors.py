"""Vector arithmetic shared by neural embedders, and which models can be shortened (Matryoshka).

Invariant: a row leaves here with length one, or all zeros if it came in so.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_MATRYOSHKA_MODELS: Final = (
    "text-embedding-3",
    "qwen3-embedding",
    "nomic-embed-text-v1.5",
    "nomic-embed-text:v1.5",
    "embeddinggemma",
    "mxbai-embed-large",
    "mxbai-embed-2d-large",
    "snowflake-arctic-embed2",
    "snowflake-arctic-embed-l-v2",
    "snowflake-arctic-embed-m-v2",
    "jina-embeddings-v3",
    "jina-embeddings-v4",
)


def is_matryoshka(model: str) -> bool:
    """Whether the model is known to work with its first dimensions alone."""
    return model.rsplit("/", 1)[-1].lower().startswith(_MATRYOSHKA_MODELS)


def normalise_rows(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """The same directions with length one, as float32; rows of zeros stay so."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (vectors / lengths[:, None]).astype(np.float32, copy=False)
    return scaled


def shorten(vectors: NDArray[np.float32], dims: int) -> NDArray[np.float32]:
    """The first dimensions, normalised again. Only valid for a Matryoshka model."""
    return normalise_rows(vectors[:, :dims])
