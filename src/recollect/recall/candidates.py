"""The one list that the chain works on: what each leg brought, and what each step said of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from recollect.index.place_table import Mask
from recollect.index.top_scores import highest
from recollect.index.vector_index import Vector
from recollect.recall.plan import Plan
from recollect.recall.profiles import Weights
from recollect.recall.signals import Array, CollectionSignals

#: A cosine from which a text may be found by its meaning alone.
NEAR_ENOUGH: Final = 0.25
#: From where on the conversation around speaks for a row that says nothing by itself.
LENT: Final = {
    "session_coverage": 1e-6,
    "session_meaning": 0.2,
    "time": 0.5,
    "outcome": 0.25,
    "wish": 0.5,
}
_VECTOR_LEADERS: Final = 50


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
    dropped: str | None = None
    reranked: float = 0.0
    reason: str = ""
    #: What the files of better results lent to its score.
    lent_by_neighbours: float = 0.0
    #: Which passage of a long text fits the question best; None where a text is one passage.
    passage: int | None = None


def gather(
    fields: list[CollectionSignals],
    plan: Plan,
    weights_of: Callable[[Plan, CollectionSignals], Weights],
) -> list[RecallCandidate]:
    """The heads of both legs, and of the sum of all signals so far."""
    profile = plan.profile
    depth = max(plan.limit, profile.depth)
    leaders = max(3 * plan.limit, _VECTOR_LEADERS, depth) if profile.exact else depth
    heads = plan.limit if profile.uses_context else leaders
    found: list[RecallCandidate] = []
    for here in fields:
        if not len(here):
            continue
        weights = weights_of(plan, here)
        words = _head(here, "words", depth)
        near = _head(here, "meaning", leaders)
        rows = dict.fromkeys([*words[:heads], *near[:heads]])
        lent: Mask = np.zeros(len(here), np.bool_)
        if profile.uses_context:
            lent = _spoken_for(here)
            count = max(profile.leaders, plan.limit + plan.limit // 3)
            rows |= dict.fromkeys(_leaders(here, weights, count, lent))
        by_words = {row: rank for rank, row in enumerate(words, 1)}
        by_meaning = {row: rank for rank, row in enumerate(near, 1)}
        fresh = _candidates(here, list(rows), (by_words, by_meaning), lent)
        for one in fresh:
            one.weights = weights
        found += fresh
    return found


def _candidates(
    here: CollectionSignals,
    rows: list[int],
    ranks: tuple[dict[int, int], dict[int, int]],
    lent: Mask,
) -> list[RecallCandidate]:
    """The rows as candidates, each with what every signal says of it."""
    if not rows:
        return []
    taken = np.array(rows, np.int64)
    near = here.raw.get("meaning")
    vectors = [0.0] * len(rows) if near is None else near[taken].tolist()
    spoken = lent[taken] if here.survey.beside is not None else np.zeros(len(rows), np.bool_)
    columns = [
        (values[taken] * np.float32(here.scales.get(name, 1.0))).tolist()
        for name, values in here.signals.items()
    ]
    return [
        RecallCandidate(
            here.collection,
            slot,
            row,
            dict(zip(here.signals, signals, strict=True)),
            uses_context,
            keyword if keyword > 0 else None,
            ranks[0].get(row),
            vector if vector > 0 else None,
            ranks[1].get(row) if vector > 0 else None,
        )
        for row, slot, signals, uses_context, keyword, vector in zip(
            rows,
            here.survey.slots[taken].tolist(),
            zip(*columns, strict=True),
            spoken.tolist(),
            here.raw["words"][taken].tolist(),
            vectors,
            strict=True,
        )
    ]


def _head(here: CollectionSignals, name: str, depth: int) -> list[int]:
    values = here.raw.get(name)
    if values is None:
        return []
    survey = here.survey
    shown = values if survey.through is survey.seen else values * survey.through
    return list(map(int, highest(shown, depth, above=0.0)))


def _leaders(here: CollectionSignals, weights: Weights, count: int, spoken: Mask) -> list[int]:
    shares: dict[int, float] = {}  # one array may stand for several signals: it is added once
    arrays = {id(values): values for values in here.signals.values()}
    for name, values in here.signals.items():
        if weight := weights.get(name, 0.0):
            shares[id(values)] = shares.get(id(values), 0.0) + weight * here.scales.get(name, 1.0)
    total: Array = np.zeros(len(here), np.float32)
    for key, share in shares.items():
        total += np.float32(share) * arrays[key]
    total[~(here.survey.through & spoken)] = -np.inf
    return list(map(int, highest(total, count, above=-np.inf)))


def _spoken_for(here: CollectionSignals) -> Mask:
    """The rows that something speaks for: their words, their meaning, or their conversation."""
    spoken: Mask = here.raw["words"] > 0
    near = here.raw.get("meaning")
    if near is not None:
        spoken = spoken | (near >= NEAR_ENOUGH)
    if here.survey.beside is None:
        return spoken
    for name, least in LENT.items():
        values = here.raw.get(name, here.signals.get(name))
        if values is not None:
            spoken = spoken | (values >= np.float32(least))
    return spoken


def take_exact(
    candidates: list[RecallCandidate],
    exact: tuple[dict[int, float], dict[int, Vector]],
    collection: str,
    depth: int,
) -> None:
    """Put exact cosines in place of the rough ones, and rank by them."""
    cosines, units = exact
    mine = [one for one in candidates if one.collection == collection and one.slot in cosines]
    for one in candidates:
        if one.collection == collection:
            one.vector = one.vector_rank = None
    for one in mine:
        one.vector, one.unit = cosines[one.slot], units[one.slot]
    ranked = sorted(mine, key=lambda one: (-(one.vector or 0.0), one.slot))
    for rank, one in enumerate(ranked[:depth], 1):
        one.vector_rank = rank


def has_evidence(one: RecallCandidate) -> bool:
    """Whether something speaks for a candidate: its words, its meaning, or what is beside it."""
    return bool(one.keyword) or (one.vector or 0.0) >= NEAR_ENOUGH or one.lent
