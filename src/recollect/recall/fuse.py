"""Score fusion: turns signals into candidates, and a candidate's signals into one relevance.

Fusion is by the scores, or by the ranks of the two legs (keywords, vectors).

Scores are scaled by the best of their signal, so a strong leg is not diluted by a weak one. A
signal that is not available (no embedder, no surrounding conversation) counts nothing; no value is
made up for it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import chain
from operator import itemgetter, mul
from typing import Final

import numpy as np

from recollect.index.place_table import Mask, blocks, highest
from recollect.index.search_index import SUMMARY_SHARE
from recollect.index.vector_index import Vector
from recollect.recall.breadth import breadth_of
from recollect.recall.candidates import NEAR_ENOUGH, RecallCandidate
from recollect.recall.plan import Plan
from recollect.recall.profiles import Profile, Weights
from recollect.recall.signals import Array, CollectionSignals, novelty
from recollect.storage.database import Transaction

_ACROSS: Final = ("words", "meaning")
_BY_MEANING: Final = ("meaning_before", "meaning_after", "answers")
_BY_OWN_BEST: Final = ("around", "session_words", "session_meaning")
#: Signals that may be negative: they shift a score and do not count in the perfect score.
_SHIFTS: Final = frozenset({"length", "novelty", "wish", "asks", "reacts", "past", "first_person"})
#: Signal used in place of a signal of the conversation where there is no conversation: the row's
#: own.
_ALONE: Final[Mapping[str, str]] = {
    "around": "words",
    "session_words": "words",
    "session_coverage": "coverage",
    "session_meaning": "meaning",
    "meaning_before": "meaning",
    "meaning_after": "meaning",
}
#: Least value of each signal by which a row without a match of its own may be found.
LENT: Final = {
    "session_coverage": 1e-6,
    "session_meaning": 0.2,
    "time": 0.5,
    "outcome": 0.25,
    "wish": 0.5,
}
_VECTOR_LEADERS: Final = 50


def scale(fields: list[CollectionSignals], *, context: bool) -> None:
    """Compute the factors that scale each signal to 0..1: the two legs across collections, context
    signals within their own.
    """
    best = {
        name: max(
            (float(one.signals[name].max(initial=0)) for one in fields if name in one.signals),
            default=0.0,
        )
        for name in _ACROSS
    }
    for one in fields:
        bests = {name: best[name] for name in _ACROSS}
        bests |= dict.fromkeys(_BY_MEANING, best["meaning"])
        bests |= {
            name: float(one.signals[name].max(initial=0))
            for name in _BY_OWN_BEST
            if name in one.signals
        }
        one.scales = {name: 1 / most for name, most in bests.items() if most > 0}
        if context and one.survey.beside is None:
            alone = {name: source for name, source in _ALONE.items() if source in one.signals}
            one.signals |= {name: one.signals[source] for name, source in alone.items()}
            one.scales |= {name: one.scales.get(source, 1.0) for name, source in alone.items()}


def weights_of(plan: Plan, here: CollectionSignals) -> Weights:
    """The weights of the profile for this type of question, its breadth and this average length of
    turns.
    """
    for_type = plan.profile.weights_by_query.get(plan.query_type)
    if for_type is not None:
        return for_type
    if here.survey.beside is None:
        return plan.profile.weights
    return plan.profile.weights_at(here.survey.average_length, breadth_of(plan.text))


def gather(fields: list[CollectionSignals], plan: Plan) -> list[RecallCandidate]:
    """The best rows of both legs, and of the sum of all signals so far, as candidates."""
    profile = plan.profile
    depth = max(plan.limit, profile.depth)
    leaders = max(3 * plan.limit, _VECTOR_LEADERS, depth) if profile.exact else depth
    heads = plan.limit if profile.uses_context else leaders
    found: list[RecallCandidate] = []
    for here in fields:
        weights = weights_of(plan, here)
        words = _head(here, "words", depth)
        near = _head(here, "meaning", leaders)
        rows = dict.fromkeys([*words[:heads], *near[:heads]])
        by_context: Mask = np.zeros(len(here), np.bool_)
        if profile.uses_context:
            by_context = _spoken_for(here)
            count = max(profile.leaders, plan.limit + plan.limit // 3)
            rows |= dict.fromkeys(_leaders(here, weights, count, by_context))
        by_words = {row: rank for rank, row in enumerate(words, 1)}
        by_meaning = {row: rank for rank, row in enumerate(near, 1)}
        fresh = _candidates(here, list(rows), (by_words, by_meaning), by_context, weights)
        if fresh and weights.get("novelty"):
            _add_novelty(here, fresh)
        found += fresh
    return found


def _candidates(
    here: CollectionSignals,
    rows: list[int],
    ranks: tuple[dict[int, int], dict[int, int]],
    by_context: Mask,
    weights: Weights,
) -> list[RecallCandidate]:
    """The rows as candidates, each with the values of all its signals."""
    if not rows:
        return []
    taken = np.array(rows, np.int64)
    near = here.raw.get("meaning")
    vectors = [0.0] * len(rows) if near is None else near[taken].tolist()
    spoken = by_context[taken] if here.survey.beside is not None else np.zeros(len(rows), np.bool_)
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
            weights=weights,
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


def _add_novelty(here: CollectionSignals, candidates: list[RecallCandidate]) -> None:
    values = novelty(here, np.array([one.row for one in candidates], np.int64))
    if values is not None:
        for one, value in zip(candidates, values.tolist(), strict=True):
            one.signals["novelty"] = value


def _head(here: CollectionSignals, name: str, depth: int) -> list[int]:
    values = here.raw.get(name)
    if values is None:
        return []
    survey = here.survey
    shown = values if survey.through is survey.seen else values * survey.through
    found: list[int] = highest(shown, depth, above=0.0).tolist()
    return found


def _leaders(here: CollectionSignals, weights: Weights, count: int, spoken: Mask) -> list[int]:
    shares: dict[int, float] = {}  # one array may serve several signals: it is added once
    arrays = {id(values): values for values in here.signals.values()}
    for name, values in here.signals.items():
        if weight := weights.get(name, 0.0):
            shares[id(values)] = shares.get(id(values), 0.0) + weight * here.scales.get(name, 1.0)
    total: Array = np.zeros(len(here), np.float32)
    weighed = [(arrays[key], np.float32(share)) for key, share in shares.items()]
    for part in blocks(len(here)):
        sums = total[part]
        for values, share in weighed:
            sums += values[part] * share
    np.copyto(total, -np.inf, where=~(here.survey.through & spoken))
    found: list[int] = highest(total, count, above=-np.inf).tolist()
    return found


def _spoken_for(here: CollectionSignals) -> Mask:
    """The rows with any evidence: their words, their meaning, their conversation, or their speaker
    where the question names one.
    """
    spoken: Mask = here.raw["words"] > 0
    near = here.raw.get("meaning")
    if near is not None:
        spoken |= near >= NEAR_ENOUGH
    if here.survey.beside is None:
        return spoken
    for name, least in LENT.items():
        values = here.raw.get(name, here.signals.get(name))
        if values is not None:
            spoken |= values >= np.float32(least)
    named = here.signals.get("speaker")
    if named is not None and spoken.any():  # where nothing fits at all, nothing is found
        spoken |= named >= 1
    return spoken


def take_exact_cosines(
    transaction: Transaction,
    fields: list[CollectionSignals],
    found: list[RecallCandidate],
    depth: int,
) -> None:
    """Replace rough cosines by exact ones: where the order depends on the legs alone, and where the
    scan covered only a part of the vectors.
    """
    for here in fields:
        slots = [one.slot for one in found if one.collection == here.collection]
        if here.survey.codes is not None and here.query is not None and slots:
            cosines, units = here.survey.codes.exact(transaction, here.query, slots)
            if here.survey.summaries is not None:
                short, _ = here.survey.summaries.exact(transaction, here.query, slots)
                for slot in short.keys() & cosines.keys():
                    cosines[slot] += SUMMARY_SHARE * (short[slot] - cosines[slot])
            _take_exact(found, (cosines, units), here.collection, depth)
    _sharpen(found)


def _take_exact(
    candidates: list[RecallCandidate],
    exact: tuple[dict[int, float], dict[int, Vector]],
    collection: str,
    depth: int,
) -> None:
    """Replace the rough cosines by exact ones, and rank by them."""
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


def _sharpen(candidates: list[RecallCandidate]) -> None:
    """Bring the exact cosines of the candidates to the scale of the other signals."""
    best = max((one.vector for one in candidates if one.vector), default=0.0)
    for one in candidates:
        if one.vector is not None and best > 0:
            one.signals["meaning"] = max(0.0, one.vector) / best


def has_evidence(one: RecallCandidate) -> bool:
    """Whether a candidate has any evidence: its words, its meaning, or its neighbours."""
    return bool(one.keyword) or (one.vector or 0.0) >= NEAR_ENOUGH or one.by_context


def fuse(candidates: list[RecallCandidate], plan: Plan) -> None:
    """Give every candidate its relevance, and the share of each signal in it."""
    profile = plan.profile
    by_collection: defaultdict[str, list[RecallCandidate]] = defaultdict(list)
    for one in candidates:
        by_collection[one.collection].append(one)
    present = frozenset(chain.from_iterable({tuple(one.signals) for one in candidates}))
    for some in by_collection.values():
        weights = some[0].weights
        whole = _whole(candidates, weights, profile, present) or 1.0
        shares = {name: weight / whole for name, weight in weights.items() if name in present}
        if profile.fusion == "ranks":
            for one in some:
                one.parts = _by_rank(one, weights, profile)
                one.relevance = sum(one.parts.values())
        else:
            _add_up(some, shares)


def _add_up(candidates: list[RecallCandidate], shares: Weights) -> None:
    """The relevance of candidates: the sum of their signals by share; most have the same ones."""
    names: tuple[str, ...] = ()
    values: Callable[[dict[str, float]], Iterable[float]] = dict.values
    parts: list[float] = []
    for one in candidates:
        signals = one.signals
        if tuple(signals) != names:
            names = tuple(signals)
            held = [name for name in shares if name in signals]
            parts = [shares[name] for name in held]
            values = _values_of(held)
        one.shares = shares
        one.relevance = sum(map(mul, parts, values(signals)))


def _values_of(names: Sequence[str]) -> Callable[[dict[str, float]], Iterable[float]]:
    """A function that reads the values of these names, in their order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda signals: [signals[name] for name in names]


def _whole(
    candidates: list[RecallCandidate], weights: Weights, profile: Profile, present: Set[str]
) -> float:
    """The sum that a perfect match would reach; only signals that are available here count."""
    if not profile.uses_context:
        return sum(weight for name, weight in weights.items() if name not in _SHIFTS)
    return sum(
        weight
        for name, weight in weights.items()
        if name not in _SHIFTS
        and name in present
        and any(one.signals.get(name, 0.0) > 0 for one in candidates)
    )


def _by_rank(one: RecallCandidate, weights: Weights, profile: Profile) -> dict[str, float]:
    """Weighted reciprocal ranks, scaled so that first rank in every leg is 1."""
    ranks = {"words": one.keyword_rank, "meaning": one.vector_rank}
    whole = sum(weights.get(name, 0.0) for name in ranks) / (profile.rank_constant + 1)
    return {
        name: weights[name] / (profile.rank_constant + rank) / whole
        for name, rank in ranks.items()
        if rank is not None and name in weights
    }
