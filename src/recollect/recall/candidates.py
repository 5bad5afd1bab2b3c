"""Candidate list of a recall, with the results of each leg (keywords, vectors) and all signals."""

from dataclasses import dataclass, field
from typing import Any, Final

from recollect.index.vector_index import Vector
from recollect.recall.profiles import Weights

#: Least cosine at which a text may be found by its meaning alone.
NEAR_ENOUGH: Final = 0.25


@dataclass(slots=True)
class RecallCandidate:
    """One slot of the index with all its signals and scores."""

    collection: str
    slot: int
    row: int
    signals: dict[str, float]
    #: Whether its conversation, or its speaker, speaks for it, without its own words.
    by_context: bool = False
    keyword: float | None = None
    keyword_rank: int | None = None
    vector: float | None = None
    vector_rank: int | None = None
    unit: Vector | None = None
    parts: dict[str, float] = field(default_factory=dict)
    #: Weight of each signal in the collection, and its share of the whole.
    weights: Weights = field(default_factory=dict)
    shares: Weights = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    relevance: float = 0.0
    score: float = 0.0
    item_id: str = ""
    text: str = ""
    ranking_fields: Any = None
    tags: frozenset[str] = frozenset()
    dropped: str | None = None
    reranked: float = 0.0
    reason: str = ""
    #: Part of the score that was by_context by the files of better results.
    from_neighbours: float = 0.0
    #: Number of the passage of a long text that fits the question best; None for a text of one
    #: passage.
    passage: int | None = None
