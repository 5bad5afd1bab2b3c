"""What every reranker promises: a question and some texts in, how well each answers it out.

Invariant: one finite score from 0 to 1 a text, in the order of the texts. A reranker may be slow,
paid or down; whoever asks one goes on without it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, get_args

from recollect.vocabulary.errors import InvalidSetting, RerankerFailed

RerankProvider = Literal["none", "fastembed", "ollama", "cohere", "jina", "tei", "vllm"]
PROVIDERS: Final[tuple[str, ...]] = get_args(RerankProvider)
#: Longer texts are cut: no cross-encoder reads more.
MAX_CHARACTERS: Final = 4_000


class Reranker(Protocol):
    """Anything that reads a question beside each text."""

    @property
    def model_id(self) -> str:
        """The name of the model, known without asking anybody."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, from 0 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """Which reranker the user wants, as the settings say it. Building one touches no network."""

    provider: RerankProvider = "none"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 2.0

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS:
            raise InvalidSetting(
                f"There is no reranker {self.provider!r}.",
                hint=f"Choose one of {', '.join(PROVIDERS)}.",
            )
        if not 0 < self.timeout_seconds < float("inf"):
            raise InvalidSetting("The reranker's timeout must be a positive number of seconds.")


def checked_scores(scores: Sequence[float], count: int, who: str) -> list[float]:
    """Scores on the scale from 0 to 1; those of a model that gives logits are brought to it."""
    found = [float(score) for score in scores]
    if len(found) != count or not all(math.isfinite(score) for score in found):
        raise RerankerFailed(f"{who} gave scores that cannot be used.")
    if all(0 <= score <= 1 for score in found):
        return found
    return [logistic(score) for score in found]


def logistic(score: float) -> float:
    """A logit as a chance."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
