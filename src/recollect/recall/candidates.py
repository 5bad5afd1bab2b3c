"""The one list that the chain works on: what each leg brought, and what each step said of it."""

from dataclasses import dataclass, field
from typing import Any, Final

from recollect.index.vector_index import Vector
from recollect.recall.profiles import Weights

#: A cosine from which a text may be found by its meaning alone.
NEAR_ENOUGH: Final = 0.25


@dataclass(slots=True)
class RecallCandidate:
    """One slot and all that is said of it."""

    collection: str
    slot: int
    row: int
    signals: dict[str, float]
    lent: bool = False
    keyword: float | None = None
    keyword_rank: int | None = None
    vector: float | None = None
    vector_rank: int | None = None
    unit: Vector | None = None
    parts: dict[str, float] = field(default_factory=dict)
    #: What each signal counts in its collection, and its share of the whole.
    weights: Weights = field(default_factory=dict)
    shares: Weights = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    relevance: float = 0.0
    score: float = 0.0
    item_id: str = ""
    text: str = ""
    glance: Any = None
    tags: frozenset[str] = frozenset()
    dropped: str | None = None
    reranked: float = 0.0
    reason: str = ""
    #: What the files of better results lent to its score.
    lent_by_neighbours: float = 0.0
    #: Which passage of a long text fits the question best; None where a text is one passage.
    passage: int | None = None
