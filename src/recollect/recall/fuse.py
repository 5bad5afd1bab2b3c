"""Brings all signals to one relevance: by their scores, or by the ranks of the two legs.

Scores are scaled by the best of their signal, so a strong leg is not diluted by a weak one. What a
signal cannot say (no embedder, no conversation around) counts nothing, and nothing is made up.
"""

from collections.abc import Mapping
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.recall.plan import Plan
from recollect.recall.profiles import Profile, Weights
from recollect.recall.signals import CollectionSignals

_ACROSS: Final = ("words", "meaning")
_BY_MEANING: Final = ("meaning_before", "meaning_after", "answers")
_BY_OWN_BEST: Final = ("around", "session_words", "session_meaning")
#: Signals that may be negative; they move a score and are no part of what it is measured against.
_SHIFTS: Final = frozenset({"length", "wish"})
#: What stands in for a conversation where there is none around: the thing itself.
_ALONE: Final[Mapping[str, str]] = {
    "around": "words",
    "session_words": "words",
    "session_coverage": "coverage",
    "session_meaning": "meaning",
    "meaning_before": "meaning",
    "meaning_after": "meaning",
}


def scale(fields: list[CollectionSignals], *, context: bool) -> None:
    """Find what brings each signal to 0..1: the two legs across collections, context by its own."""
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
    """The weights of the profile for this type of question, and for turns as long as these."""
    for_type = plan.profile.weights_by_query.get(plan.query_type)
    if for_type is not None:
        return for_type
    if here.survey.beside is None:
        return plan.profile.weights
    return plan.profile.weights_at(here.survey.average_length)


def sharpen(candidates: list[RecallCandidate]) -> None:
    """Bring the exact cosines of the candidates to the scale of the other signals."""
    best = max((one.vector for one in candidates if one.vector), default=0.0)
    for one in candidates:
        if one.vector is not None and best > 0:
            one.signals["meaning"] = max(0.0, one.vector) / best


def fuse(candidates: list[RecallCandidate], plan: Plan) -> None:
    """Give every candidate its relevance, and what the share of each signal in it is."""
    profile = plan.profile
    by_collection: dict[str, list[RecallCandidate]] = {}
    for one in candidates:
        by_collection.setdefault(one.collection, []).append(one)
    for some in by_collection.values():
        weights = some[0].weights
        whole = _whole(candidates, weights, profile) or 1.0
        shares = {name: weight / whole for name, weight in weights.items()}
        for one in some:
            if profile.fusion == "ranks":
                one.parts = _by_rank(one, weights, profile)
                one.relevance = sum(one.parts.values())
                continue
            one.shares, signals = shares, one.signals
            one.relevance = sum([share * signals.get(name, 0.0) for name, share in shares.items()])


def _whole(candidates: list[RecallCandidate], weights: Weights, profile: Profile) -> float:
    """What a perfect match would add up to: only signals that could speak here count."""
    if not profile.uses_context:
        return sum(weight for name, weight in weights.items() if name not in _SHIFTS)
    return sum(
        weight
        for name, weight in weights.items()
        if name not in _SHIFTS and any(one.signals.get(name, 0.0) > 0 for one in candidates)
    )


def _by_rank(one: RecallCandidate, weights: Weights, profile: Profile) -> dict[str, float]:
    """Weighted reciprocal ranks, scaled so that first in every leg is one."""
    ranks = {"words": one.keyword_rank, "meaning": one.vector_rank}
    whole = sum(weights.get(name, 0.0) for name in ranks) / (profile.rank_constant + 1)
    return {
        name: weights[name] / (profile.rank_constant + rank) / whole
        for name, rank in ranks.items()
        if rank is not None and name in weights
    }
