"""Asking an embedder for one vector, to say in one line whether it works.

Invariant: what is said was seen to work a moment ago; otherwise the embedder's own error is raised.
"""

from secrets import token_hex

import numpy as np

from recollect.inference.embedder import Embedder
from recollect.vocabulary.errors import EmbedderFailed


def probe(embedder: Embedder) -> str:
    """Embed one text: "static/wordllama-l2-256-words, 256 dimensions, local", or an error.

    The text is a new one each time, so that a cache in front cannot answer for the embedder.
    """
    vectors = embedder.embed([f"recollect {token_hex(4)}"])
    length = float(np.linalg.norm(vectors))
    if vectors.shape != (1, embedder.dims) or abs(length - 1) > 0.01:
        raise EmbedderFailed(f"{embedder.model_id} gave a vector of {vectors.shape}, {length:.3f}.")
    return embedder.describe()
