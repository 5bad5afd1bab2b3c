"""Local neural embeddings from a folder with an ONNX model and its tokenizer.

The folder is as downloaded from model hubs: ``model.onnx`` (or ``onnx/model.onnx``) and
``tokenizer.json``. Invariant: nothing is imported or read before the first text, nothing is ever
downloaded, and without the package there is an error that names the command to install it.
"""

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.vectors import is_matryoshka, normalise_rows
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable
from recollect.vocabulary.optional_parts import how_to_install

_MODELS: Final = ("model.onnx", "onnx/model.onnx")
_TOKENIZER: Final = "tokenizer.json"
_CONFIGURATION: Final = "tokenizer_config.json"
_LONGEST: Final = 512
_AT_ONCE: Final = 32
_PROBE: Final = "recollect"


class OnnxEmbedder:
    """A small local neural model. It takes milliseconds per text, so it runs in a job, not in
    writes.
    """

    local = False

    def __init__(self, folder: str) -> None:
        if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
            raise EmbedderUnavailable(
                "The onnxruntime package is not installed.", hint=how_to_install("onnx")
            )
        self._folder = Path(folder).expanduser()
        models = [self._folder / name for name in _MODELS if (self._folder / name).is_file()]
        if not models or not (self._folder / _TOKENIZER).is_file():
            raise EmbedderUnavailable(
                f"{folder} holds no model: there must be a model.onnx and a tokenizer.json.",
                hint="Set embedder_model to the folder of a sentence model in ONNX form.",
            )
        self._model = models[0]
        self._loaded: tuple[Any, Any] | None = None
        self._dims: int | None = None
        self._lock = Lock()
        name = self._folder.resolve().name
        self.model_id = f"onnx/{name}@{self._model.stat().st_size}"
        self.matryoshka = is_matryoshka(name)

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
        for start in range(0, len(sent), _AT_ONCE):
            part = sent[start : start + _AT_ONCE]
            vectors[part] = self._run([repaired_text(texts[place]) for place in part])
        return vectors

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        tokenizer, session = self._opened()
        tokens = tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in tokens], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in tokens], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in tokens], np.int64),
        }
        wanted = {one.name for one in session.get_inputs()}
        try:
            found = session.run(None, {name: given[name] for name in given if name in wanted})
        except Exception as error:  # the library has no error of its own to name
            raise EmbedderFailed(f"{self.model_id} failed: {error}") from error
        rows = _pooled(np.asarray(found[0], np.float64), mask)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EmbedderFailed(f"{self.model_id} gave vectors that cannot be used.")
        return normalise_rows(rows)

    def _opened(self) -> tuple[Any, Any]:
        """The tokenizer and the loaded model."""
        with self._lock:
            if self._loaded is None:
                import onnxruntime
                from tokenizers import Tokenizer

                try:
                    tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
                    session = onnxruntime.InferenceSession(
                        str(self._model), providers=["CPUExecutionProvider"]
                    )
                except Exception as error:  # neither library has errors of its own to name
                    raise EmbedderUnavailable(
                        f"The model in {self._folder} cannot be loaded: {error}",
                        hint="Check that the files are whole.",
                    ) from error
                tokenizer.enable_truncation(self._longest())
                tokenizer.enable_padding()
                self._loaded = tokenizer, session
            return self._loaded

    def _longest(self) -> int:
        """Maximum number of tokens of the model, if the folder says so."""
        try:
            configuration = json.loads((self._folder / _CONFIGURATION).read_text("utf-8"))
            return min(int(configuration["model_max_length"]), 8_192)
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return _LONGEST


def _pooled(found: NDArray[np.float64], mask: NDArray[np.int64]) -> NDArray[np.float64]:
    """One row per text: the mean of its tokens, if the model returns a row for each token."""
    if found.ndim != 3:
        return found
    weights = mask[:, :, None]
    total: NDArray[np.float64] = (found * weights).sum(1) / np.maximum(weights.sum(1), 1)
    return total
