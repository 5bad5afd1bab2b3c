"""The one list that the chain works on: what each leg brought, and what each step said of it."""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.recall.field import Array, Field
from recollect.recall.plan import Plan
from recollect.recall.profiles import Weights
from recollect.storage.place_table import Mask
from recollect.storage.ranking import highest
from recollect.storage.vector_index import Vector

#: A cosine from which a text may be found by its meaning alone.
NEAR_ENOUGH: Final = 0.25
#: From where on the conversation around speaks for a row that says nothing by itself.
LENT: Final = {"session_coverage": 1e-6, "session_meaning": 0.2, "time": 0.5}
_VECTOR_LEADERS: Final = 50


@dataclass(slots=True)
class Candidate:
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
    factors: dict[str, float] = field(default_factory=dict)
    relevance: float = 0.0
    score: float = 0.0
    item_id: str = ""
    text: str = ""
    glance: Any = None
    dropped: str | None = None
    reason: str = ""


def gather(fields: list[Field], plan: Plan, weights: Weights) -> list[Candidate]:
    """The heads of both legs, and of the sum of all signals so far."""
    profile = plan.profile
    depth = max(plan.limit, profile.depth)
    leaders = max(3 * plan.limit, _VECTOR_LEADERS, depth) if profile.exact else depth
    heads = plan.limit if profile.lends else leaders
    found: list[Candidate] = []
    for here in fields:
        if not len(here):
            continue
        words = _head(here, "words", depth)
        near = _head(here, "meaning", leaders)
        rows = dict.fromkeys([*words[:heads], *near[:heads]])
        lent: Mask = np.zeros(len(here), np.bool_)
        if profile.lends:
            lent = _spoken_for(here)
            count = max(profile.leaders, plan.limit)
            rows |= dict.fromkeys(_leaders(here, weights, count, lent))
        by_words = {row: rank for rank, row in enumerate(words, 1)}
        by_meaning = {row: rank for rank, row in enumerate(near, 1)}
        found += [
            _candidate(here, row, (by_words.get(row), by_meaning.get(row)), lent=bool(lent[row]))
            for row in rows
        ]
    return found


def _candidate(
    here: Field, row: int, ranks: tuple[int | None, int | None], *, lent: bool
) -> Candidate:
    keyword, near = float(here.raw["words"][row]), here.raw.get("meaning")
    vector = 0.0 if near is None else float(near[row])
    return Candidate(
        here.collection,
        int(here.survey.slots[row]),
        row,
        {name: float(values[row]) for name, values in here.signals.items()},
        lent and here.survey.beside is not None,
        keyword if keyword > 0 else None,
        ranks[0],
        vector if vector > 0 else None,
        ranks[1] if vector > 0 else None,
    )


def _head(here: Field, name: str, depth: int) -> list[int]:
    values = here.raw.get(name)
    if values is None:
        return []
    return _listed(highest(values * here.survey.through, depth, above=0.0))


def _leaders(here: Field, weights: Weights, count: int, spoken: Mask) -> list[int]:
    total: Array = np.zeros(len(here), np.float32)
    for name, values in here.signals.items():
        total += np.float32(weights.get(name, 0.0)) * values
    total[~(here.survey.through & spoken)] = -np.inf
    return _listed(highest(total, count, above=-np.inf))


def _spoken_for(here: Field) -> Mask:
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


def _listed(rows: NDArray[np.int64]) -> list[int]:
    return [int(row) for row in rows]


def take_exact(
    candidates: list[Candidate],
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


def has_evidence(one: Candidate) -> bool:
    """Whether something speaks for a candidate: its words, its meaning, or what is beside it."""
    return bool(one.keyword) or (one.vector or 0.0) >= NEAR_ENOUGH or one.lent
