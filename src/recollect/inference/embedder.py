"""Interface of embedders: texts in, one comparable vector per text out.

Invariant: every row is finite and either of length one or all zeros (a text with nothing in it),
and two vectors may be compared only if `model_id` and `dims` are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args, runtime_checkable

from recollect.vocabulary.errors import InvalidSetting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Provider = Literal["auto", "static", "openai", "ollama", "fastembed", "onnx", "none"]
PROVIDERS: Final[tuple[str, ...]] = get_args(Provider)
#: Providers that ask no server: questions need no patience of their own, and no second model in
#: memory.
ON_THIS_MACHINE: Final = frozenset({"static", "fastembed", "onnx", "none"})
MAX_DIMS: Final = 16_384


class Embedder(Protocol):
    """Interface of an embedder: turns texts into vectors of one model."""

    @property
    def model_id(self) -> str:
        """The stable name of the vector space, known without a request."""
        ...

    @property
    def dims(self) -> int:
        """Number of dimensions. A remote embedder may need one request to know."""
        ...

    @property
    def local(self) -> bool:
        """Whether it is fast enough to run inside the write; otherwise it runs in a job."""
        ...

    @property
    def matryoshka(self) -> bool:
        """Whether the first dimensions alone are a usable, shorter vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text, in order; a text with no known tokens gives a row of zeros."""
        ...

    def describe(self) -> str:
        """One line for a person: the model, its dimensions, where it runs. Makes no request."""
        ...


@runtime_checkable
class Lexicon(Protocol):
    """An embedder whose text vectors are sums of word vectors, so that words can be weighted."""

    def words_of(self, text: str) -> list[str]:
        """The words of a text that count, as written."""
        ...

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One unscaled row per word: the sum of such rows, scaled, is the vector of a text."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The configured embedder. Building one needs no network."""

    provider: Provider = "auto"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    dims: int | None = None
    timeout_seconds: float = 30.0
    attempts: int = 4
    ollama_url: str | None = None
    probe: bool = False

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS:
            raise InvalidSetting(
                f"There is no embedding provider {self.provider!r}.",
                hint=f"Choose one of {', '.join(PROVIDERS)}.",
            )
        if self.dims is not None and not 1 <= self.dims <= MAX_DIMS:
            raise InvalidSetting(f"An embedding cannot have {self.dims} dimensions.")
        if not 0 < self.timeout_seconds < float("inf"):
            raise InvalidSetting("The embedding timeout must be a positive number of seconds.")
        if self.attempts < 1:
            raise InvalidSetting("An embedder must be asked at least once.")
