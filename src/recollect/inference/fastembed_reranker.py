"""Local cross-encoder through the optional `fastembed` package (ONNX models).

Invariant: nothing is imported or downloaded before the first question, and without the package
there is an error that names the command to install it.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from recollect.inference.reranker import MAX_CHARACTERS, checked_scores, logistic
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import RerankerUnavailable
from recollect.vocabulary.optional_parts import how_to_install

DEFAULT_MODEL: Final = "Xenova/ms-marco-MiniLM-L-6-v2"


class FastEmbedReranker:
    """A small model that reads question and text together; it returns logits."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        if find_spec("fastembed") is None:
            raise RerankerUnavailable(
                "The fastembed package is not installed.", hint=how_to_install("fastembed")
            )
        self._model = model
        self._loaded: Any = None
        self._lock = Lock()
        self.model_id = f"fastembed/{model}"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text; the first call loads the model, and may download it."""
        if not texts:
            return []
        cut = [repaired_text(text[:MAX_CHARACTERS]) for text in texts]
        raw = [float(score) for score in self._opened().rerank(repaired_text(query), cut)]
        return checked_scores([logistic(score) for score in raw], len(texts), self.model_id)

    def _opened(self) -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = TextCrossEncoder(model_name=self._model)
                except (OSError, RuntimeError, ValueError) as error:
                    raise RerankerUnavailable(
                        f"fastembed cannot load the model {self._model}.",
                        hint="Check its name, and that it is downloaded or can be.",
                    ) from error
            return self._loaded
