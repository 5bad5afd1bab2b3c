"""Local neural embeddings through the optional `fastembed` package (ONNX models).

Invariant: nothing is imported or downloaded before the first text, and without the package there is
an error that names the command to install it, never a silent fallback.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.vectors import is_matryoshka, normalise_rows
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable
from recollect.vocabulary.optional_parts import how_to_install

DEFAULT_MODEL: Final = "BAAI/bge-small-en-v1.5"
_PROBE: Final = "recollect"


class FastEmbedEmbedder:
    """A small local neural model. It takes milliseconds per text, so it runs in a job, not in
    writes.
    """

    local = False

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        if find_spec("fastembed") is None:
            raise EmbedderUnavailable(
                "The fastembed package is not installed.", hint=how_to_install("fastembed")
            )
        self._model = model
        self._loaded: Any = None
        self._dims: int | None = None
        self._lock = Lock()
        self.model_id = f"fastembed/{model}"
        self.matryoshka = is_matryoshka(model)

    @property
    def dims(self) -> int:
        """Found by embedding one word, once; that loads the model."""
        if self._dims is None:
            self._dims = self._run([_PROBE]).shape[1]
        return self._dims

    def describe(self) -> str:
        dims = "dimensions not known yet" if self._dims is None else f"{self._dims} dimensions"
        return f"{self.model_id}, {dims}, on this machine"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dims), np.float32)
        sent = [place for place, text in enumerate(texts) if text.strip()]
        if sent:
            vectors[sent] = self._run([repaired_text(texts[place]) for place in sent])
        return vectors

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        rows = np.asarray(list(self._opened().embed(texts)), dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EmbedderFailed(f"{self.model_id} gave vectors that cannot be used.")
        return normalise_rows(rows)

    def _opened(self) -> Any:
        """The loaded model; the first call may download it into fastembed's cache."""
        from fastembed import TextEmbedding

        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = TextEmbedding(model_name=self._model)
                except (OSError, RuntimeError, ValueError) as error:
                    raise EmbedderUnavailable(
                        f"fastembed cannot load the model {self._model}.",
                        hint="Check its name, and that it is downloaded or can be.",
                    ) from error
            return self._loaded
