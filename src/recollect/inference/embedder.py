"""What every embedder promises: texts in, one comparable vector a text out.

Invariant: every row is finite and either of length one or all zeros (a text with nothing in it),
and two vectors may be compared only when `model_id` and `dims` are the same.
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
MAX_DIMS: Final = 16_384


class Embedder(Protocol):
    """Anything that turns texts into vectors of one model."""

    @property
    def model_id(self) -> str:
        """The stable name of the vector space, known without asking anybody."""
        ...

    @property
    def dims(self) -> int:
        """How long a vector is. A remote embedder may have to ask once to know."""
        ...

    @property
    def local(self) -> bool:
        """True when it is cheap enough to run inside the write; otherwise queue it."""
        ...

    @property
    def matryoshka(self) -> bool:
        """True when the first dimensions alone are a usable, shorter vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, in order; a text with no known tokens gives a row of zeros."""
        ...

    def describe(self) -> str:
        """One line for a person: the model, its dimensions, where it runs. Asks nobody."""
        ...


@runtime_checkable
class Lexicon(Protocol):
    """An embedder whose texts are sums of words, so that a question's words can be weighed."""

    def words_of(self, text: str) -> list[str]:
        """The words of a text that count, as they are written."""
        ...

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One row a word, not scaled: the sum of such rows, scaled, is what a text embeds to."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder the user wants, as the settings say it. Building one touches no network."""

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
