"""Local neural embeddings through the optional `fastembed` package (ONNX models).

A model is named as fastembed lists it, and downloaded by it once; or it is a folder on this
machine, and nothing is downloaded.

Invariant: nothing is imported or downloaded before the first text, and without the package there is
an error that names the command to install it, never a silent fallback.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.model_folder import ModelFolder, Pooling
from recollect.inference.vectors import is_matryoshka, normalise_rows
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable
from recollect.vocabulary.optional_parts import how_to_install

DEFAULT_MODEL: Final = "BAAI/bge-small-en-v1.5"
#: fastembed's names of the ways to join tokens.
_POOLINGS: Final[dict[Pooling, str]] = {"mean": "MEAN", "cls": "CLS", "lasttoken": "LAST_TOKEN"}
#: Larger batches are no faster on two cores, and need more memory.
_AT_ONCE: Final = 32
#: fastembed tries a download for half a minute; after a failure it is not asked again so soon.
_REST_SECONDS: Final = 60.0
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
        self._folder = ModelFolder(model) if Path(model).expanduser().is_dir() else None
        self._loaded: Any = None
        self._failed: EmbedderUnavailable | None = None
        self._failed_until = 0.0
        self._dims: int | None = None
        self._lock = Lock()
        here = self._folder
        name = model if here is None else f"{here.name}@{here.size}-{here.pooling}"
        self.model_id = f"fastembed/{name}"
        self.matryoshka = is_matryoshka(model if here is None else here.name)

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
        # A batch costs as much as its longest text times their number: like goes with like.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        sent = [texts[place] for place in order]
        made = np.asarray(list(self._opened().embed(sent, batch_size=_AT_ONCE)), np.float64)
        if made.ndim != 2 or len(made) != len(texts) or not np.isfinite(made).all():
            raise EmbedderFailed(f"{self.model_id} gave vectors that cannot be used.")
        rows = np.empty_like(made)
        rows[order] = made
        return normalise_rows(rows)

    def _opened(self) -> Any:
        """The loaded model; the first call may download it into fastembed's cache."""
        with self._lock:
            if self._loaded is None:
                if self._failed is not None and monotonic() < self._failed_until:
                    raise self._failed
                try:
                    self._loaded = self._open()
                except (OSError, RuntimeError, ValueError) as error:
                    self._failed = EmbedderUnavailable(
                        f"fastembed cannot load the model {self._model}: {error}",
                        hint="Check its name, and that it is downloaded or can be; or name a "
                        "folder that holds it.",
                    )
                    self._failed_until = monotonic() + _REST_SECONDS
                    raise self._failed from error
            return self._loaded

    def _open(self) -> Any:
        from fastembed import TextEmbedding

        if self._folder is None:
            return TextEmbedding(model_name=self._model)
        _make_known(self._folder, self.model_id)
        return TextEmbedding(
            model_name=self.model_id, specific_model_path=str(self._folder.path.resolve())
        )


def _make_known(folder: ModelFolder, name: str) -> None:
    """Tell fastembed of a model that is not in its list; it remembers that in this process."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    if any(
        known["model"].lower() == name.lower() for known in TextEmbedding.list_supported_models()
    ):
        return
    TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType(_POOLINGS[folder.pooling]),
        normalization=True,
        sources=ModelSource(hf=name),  # has to be there, and is not asked
        dim=folder.dims or 1,  # has to be there; what the model gives counts
        model_file=folder.model_file,
    )
