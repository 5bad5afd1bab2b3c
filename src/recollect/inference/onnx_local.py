"""Local neural embeddings from a folder with an ONNX model and its tokenizer.

A text longer than the model reads at once is embedded in parts, and its vector is their mean, so
nothing of it is left out. Texts of similar length are embedded together, because a batch costs as
much as its longest text times their number.

Invariant: nothing is imported or read before the first text, nothing is ever downloaded, and
without the package there is an error that names the command to install it.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.inference.model_folder import ModelFolder, Pooling
from recollect.inference.vectors import is_matryoshka, normalise_rows
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable
from recollect.vocabulary.optional_parts import how_to_install

#: A batch holds at most so many tokens, padding included: larger ones are no faster on two cores
#: and need more memory.
_TOKENS_AT_ONCE: Final = 2_048
#: At most so many parts of one text are embedded; what comes after them is not read.
_PARTS: Final = 32
_SENTENCE: Final = "sentence_embedding"
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
        self._folder = ModelFolder(folder)
        self._loaded: _Loaded | None = None
        self._dims: int | None = None
        self._lock = Lock()
        self.model_id = f"onnx/{self._folder.name}@{self._folder.size}-{self._folder.reading}"
        self.matryoshka = is_matryoshka(self._folder.name)

    @property
    def dims(self) -> int:
        """Found by embedding one word, once; that loads the model."""
        if self._dims is None:
            self._dims = self._embedded([_PROBE]).shape[1]
        return self._dims

    def describe(self) -> str:
        dims = "dimensions not known yet" if self._dims is None else f"{self._dims} dimensions"
        return f"{self.model_id}, {dims}, on this machine"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dims), np.float32)
        sent = [place for place, text in enumerate(texts) if text.strip()]
        if sent:
            vectors[sent] = self._embedded([repaired_text(texts[place]) for place in sent])
        return vectors

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        """One row per text: the mean of its parts, each by its number of tokens."""
        loaded = self._opened()
        parts = list(_parts(loaded.tokenizer.encode_batch(texts)))
        if not parts and self._dims is not None:  # nothing in them that the model knows
            return np.zeros((len(texts), self._dims), np.float32)
        parts.sort(key=lambda part: len(part.tokens))
        rows: NDArray[np.float64] | None = None
        for batch in _batches(parts):
            found = self._run(loaded, batch)
            if rows is None:
                rows = np.zeros((len(texts), found.shape[1]))
            for part, vector in zip(batch, found, strict=True):
                rows[part.text] += len(part.tokens) * vector
        if rows is None or not np.isfinite(rows).all():
            raise EmbedderFailed(f"{self.model_id} gave vectors that cannot be used.")
        return normalise_rows(rows)

    def _run(self, loaded: "_Loaded", batch: "list[_Part]") -> NDArray[np.float32]:
        """One row of length one per part."""
        shape = len(batch), max(len(part.tokens) for part in batch)
        tokens = np.full(shape, loaded.padding, np.int64)
        mask, kinds = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, part in enumerate(batch):
            length = len(part.tokens)
            tokens[row, :length], kinds[row, :length] = part.tokens, part.kinds
            mask[row, :length] = 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": kinds}
        try:
            found = loaded.session.run(
                loaded.output, {name: given[name] for name in given if name in loaded.inputs}
            )
        except Exception as error:  # the library has no error of its own to name
            raise EmbedderFailed(f"{self.model_id} failed: {error}") from error
        rows = _pooled(np.asarray(found[0], np.float64), mask, self._folder.pooling)
        if rows.ndim != 2 or len(rows) != len(batch):
            raise EmbedderFailed(f"{self.model_id} gave vectors that cannot be used.")
        return normalise_rows(rows)

    def _opened(self) -> "_Loaded":
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded


class _Loaded(NamedTuple):
    """A model that is ready, and what it takes and gives."""

    tokenizer: Any
    session: Any
    padding: int
    inputs: frozenset[str]
    output: list[str]


class _Part(NamedTuple):
    """Some tokens of a text that the model reads at once."""

    tokens: list[int]
    kinds: list[int]
    text: int


def _load(folder: ModelFolder) -> _Loaded:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    # Threads that wait for each other actively take the processor from everything else.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        tokenizer = Tokenizer.from_file(str(folder.tokenizer))
        session = onnxruntime.InferenceSession(
            str(folder.path / folder.model_file), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # neither library has errors of its own to name
        raise EmbedderUnavailable(
            f"The model in {folder.path} cannot be loaded: {error}",
            hint="Check that the files are whole.",
        ) from error
    padding = tokenizer.padding or {}
    tokenizer.no_padding()
    tokenizer.enable_truncation(folder.longest)
    outputs = [one.name for one in session.get_outputs()]
    return _Loaded(
        tokenizer,
        session,
        int(padding.get("pad_id", 0)),
        frozenset(one.name for one in session.get_inputs()),
        [_SENTENCE if _SENTENCE in outputs else outputs[0]],
    )


def _parts(texts: Sequence[Any]) -> Iterator[_Part]:
    """The parts of tokenised texts; a text without a token has none."""
    for number, text in enumerate(texts):
        for part in (text, *text.overflowing[: _PARTS - 1]):
            if part.ids:
                yield _Part(part.ids, part.type_ids, number)


def _batches(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts in their order, as many at once as a batch may hold when all are as long as its
    longest, which is its last.
    """
    batch: list[_Part] = []
    for part in parts:
        if batch and (len(batch) + 1) * len(part.tokens) > _TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(part)
    if batch:
        yield batch


def _pooled(
    found: NDArray[np.float64], mask: NDArray[np.int64], pooling: Pooling
) -> NDArray[np.float64]:
    """One row per text, if the model returns a row for each token."""
    if found.ndim != 3:
        return found
    if pooling == "cls":
        rows = found[:, 0]
    elif pooling == "lasttoken":
        rows = found[np.arange(len(found)), mask.sum(1) - 1]
    else:
        weights = mask[:, :, None]
        rows = (found * weights).sum(1) / np.maximum(weights.sum(1), 1)
    return np.asarray(rows, np.float64)
