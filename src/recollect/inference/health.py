"""Health checks of providers: one small request, reported in one line.

Invariant: success means that it worked a moment ago; otherwise the provider's own error is raised.
"""

from secrets import token_hex

import numpy as np

from recollect.inference.chat_model import ChatModel
from recollect.inference.embedder import Embedder
from recollect.inference.reranker import Reranker
from recollect.vocabulary.errors import EmbedderFailed


def probe(embedder: Embedder) -> str:
    """Embed one text: "static/wordllama-l2-256-words, 256 dimensions, local", or an error.

    The text is new each time, so that a cache in front cannot answer for the embedder.
    """
    vectors = embedder.embed([f"recollect {token_hex(4)}"])
    length = float(np.linalg.norm(vectors))
    if vectors.shape != (1, embedder.dims) or abs(length - 1) > 0.01:
        raise EmbedderFailed(f"{embedder.model_id} gave a vector of {vectors.shape}, {length:.3f}.")
    return embedder.describe()


def probe_reranker(reranker: Reranker) -> str:
    """Score two texts: the reranker's name, or its error."""
    reranker.rerank(f"recollect {token_hex(4)}", ["a memory engine", "a garden"])
    return reranker.model_id


def probe_model(model: ChatModel) -> str:
    """Generate one word: the model's name, or its error. It costs a few tokens."""
    model.answer("Answer with one word.", f"Say ready. {token_hex(4)}", tokens=8)
    return model.name
