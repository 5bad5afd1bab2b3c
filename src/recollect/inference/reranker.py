"""Interface of rerankers: a question and texts in, a relevance score per text out.

Invariant: one finite score from 0 to 1 per text, in the order of the texts. A reranker may be slow,
paid or down; callers continue without it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, get_args

from recollect.vocabulary.errors import InvalidSetting, RerankerFailed

RerankProvider = Literal["none", "fastembed", "ollama", "cohere", "jina", "tei", "vllm"]
PROVIDERS: Final[tuple[str, ...]] = get_args(RerankProvider)
#: Longer texts are cut (in characters): no cross-encoder reads more.
MAX_CHARACTERS: Final = 4_000


class Reranker(Protocol):
    """Interface of a model that scores texts for a question."""

    @property
    def model_id(self) -> str:
        """The name of the model, known without a request."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text, from 0 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """The configured reranker. Building one needs no network."""

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
    """Scores from 0 to 1; logits are converted."""
    found = [float(score) for score in scores]
    if len(found) != count or not all(math.isfinite(score) for score in found):
        raise RerankerFailed(f"{who} gave scores that cannot be used.")
    if all(0 <= score <= 1 for score in found):
        return found
    return [logistic(score) for score in found]


def logistic(score: float) -> float:
    """A logit as a probability."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
