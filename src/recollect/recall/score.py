"""What relevance is worth: how fresh, how used, how sure, how trusted, and in which phase of work.

Both formulas of the documents, with the profile's own weights. An event is what was said and never
fades, so only memories are changed by trust and confidence. Whatever the formula, what answers have
cited counts a little more, what they ignored a little less, what is marked as stale half, what
somebody disputes four fifths, and one whose files changed since less in proportion. A memory about
files that change often fades faster. What is about another of several things that a letter tells
apart (team B, where team A is asked for) counts half. Where trust lifts a score over one, all are
scaled down alike.

The order is by score, less what the ones before have said already (maximal marginal relevance, by
the profile's lambda).
"""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from recollect.recall.candidates import RecallCandidate
from recollect.recall.phases import SOURCE_TRUST
from recollect.recall.plan import Plan
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.memory import DISPUTED, faded
from recollect.vocabulary.stopwords import STOP_WORDS

_DAY: Final = 86_400
_OFTEN: Final = 100
#: How far use can lift or sink a memory, and the verdicts that take it half the way.
_USE: Final = 0.2
_SOME_VERDICTS: Final = 5
_STALE: Final = 0.5
#: What fading leaves of a confidence at least: who asks for the words of something old finds it
#: before what is new and about something else.
_LEAST_FADED: Final = 0.3
#: A word and the letter that tells one such thing from another: team A, Plan B. "I" is a person;
#: a small letter is a label only where a question ends with it.
_LABEL: Final = lazy_pattern(r"\b([^\W\d_]{3,30})[ -]([A-HJ-Z])\b(?!['\u2019])")
_ASKED_LABEL: Final = lazy_pattern(
    r"\b([^\W\d_]{3,30})[ -]([A-HJ-Z]|[a-hj-z](?=\W{0,3}\Z))\b(?!['\u2019])"
)
_OTHER_LABEL: Final = 0.5
#: What a memory loses of its confidence when all of its files have changed since.
_CHANGED: Final = 0.5


def score(candidates: list[RecallCandidate], plan: Plan, now: datetime) -> None:
    """Give every candidate its score, and each factor in it a name."""
    for one in candidates:
        one.score = one.relevance
        if one.glance is None:
            continue
        one.factors = _factors(one.glance, plan, now)
        relevance, recency, third = plan.profile.parts
        if plan.profile.scorer == "agent":
            base = relevance * one.relevance + recency * one.factors["recency"]
            base += third * one.factors["frequency"]
            multiplied = one.factors["phase"] * one.factors["trust"] * one.factors["confidence"]
            one.score = base * multiplied
        elif plan.profile.scorer == "chat":
            one.score = relevance * one.relevance + recency * one.factors["recency"]
            one.score += third * one.factors["importance"]
        if one.glance.disputed:
            one.factors["disputed"] = DISPUTED
            one.score *= DISPUTED
        if plan.profile.uses_context:
            use = _of_use(one.glance)
            one.factors |= use
            one.score *= math.prod(use.values())
    _sink_other_labels(candidates, plan.text)
    best = max((one.score for one in candidates), default=0.0)
    if best > 1:
        for one in candidates:
            one.score /= best


def _sink_other_labels(candidates: list[RecallCandidate], question: str) -> None:
    """Whoever asks for team A is not answered by what is about team B: "a" is a word of every text,
    so that the words alone do not tell them apart."""
    asked = {
        (word.lower(), letter.lower())
        for word, letter in _ASKED_LABEL.findall(question)
        if word.lower() not in STOP_WORDS
    }
    if not asked:
        return
    words = {word for word, _ in asked}
    for one in candidates:
        held = {(word.lower(), letter.lower()) for word, letter in _LABEL.findall(one.text)}
        if not held.isdisjoint(asked) or not any(word in words for word, _ in held):
            continue
        one.factors["label"] = _OTHER_LABEL
        one.score *= _OTHER_LABEL


def _of_use(glance: Any) -> dict[str, float]:
    """What became of the memory where it was served, and whether somebody called it stale; a factor
    that would be one is left out."""
    cited, ignored = glance.citation_count, glance.ignore_count
    verdicts = cited + ignored
    factors = {}
    if cited != ignored:
        factors["use"] = 1 + _USE * (cited - ignored) / (verdicts + _SOME_VERDICTS)
    if glance.stale_at is not None:
        factors["stale"] = _STALE
    if glance.changed and not glance.pinned:
        factors["changed_files"] = 1 - _CHANGED * glance.changed
    return factors


def _factors(glance: Any, plan: Plan, now: datetime) -> dict[str, float]:
    touched = glance.last_accessed_at or glance.created_at
    volatility = glance.volatility or 1.0
    if plan.profile.scorer == "relevance":
        return {}
    if plan.profile.scorer == "chat":
        return {
            "recency": _recency(glance.created_at, now, plan.profile.recency_days),
            "importance": glance.importance,
        }
    return {
        "recency": _recency(touched, now, plan.profile.recency_days / volatility),
        "frequency": min(1.0, math.log1p(glance.access_count) / math.log1p(_OFTEN)),
        "phase": _phase_weight(plan, glance.type),
        "trust": SOURCE_TRUST.get(glance.source, 1.0),
        "confidence": max(
            faded(glance.confidence, _half_life(glance, volatility), touched, now),
            _LEAST_FADED * glance.confidence,
        ),
    }


def _half_life(glance: Any, volatility: float) -> float | None:
    """How fast a memory fades: faster where its files change often; what is pinned never does."""
    if glance.pinned or glance.half_life_days is None:
        return None
    return float(glance.half_life_days) / volatility


def _phase_weight(plan: Plan, kind: str) -> float:
    if plan.phase is None:
        return 1.0
    return plan.profile.phase_weights.get(plan.phase, {}).get(kind, 1.0)


def _recency(since: datetime, now: datetime, days: float) -> float:
    age = max(0.0, (now - since).total_seconds() / _DAY)
    return math.exp(-age / days)


def ranked(candidates: Sequence[RecallCandidate]) -> list[RecallCandidate]:
    """Best first; ties go to the earlier slot."""
    return sorted(candidates, key=lambda one: (-one.score, one.collection, one.slot))


def diversify(
    candidates: Sequence[RecallCandidate], keep: float, limit: int
) -> list[RecallCandidate]:
    """Order by score, less what the ones before it have said. With ``keep`` at one: as ranked."""
    best = ranked(candidates)
    if keep >= 1 or len(best) < 2:
        return best
    pool, chosen = best[: 3 * limit], list[RecallCandidate]()
    said = np.zeros(len(pool), np.float32)
    scores = np.array([one.score for one in pool], np.float32)
    open_ = np.ones(len(pool), np.bool_)
    while len(chosen) < len(pool):
        gains = np.where(open_, keep * scores - (1 - keep) * said, -np.inf)
        place = int(gains.argmax())
        open_[place] = False
        chosen.append(pool[place])
        said = np.maximum(said, _likeness(pool, pool[place]))
    return [*chosen, *best[3 * limit :]]


def _likeness(
    pool: Sequence[RecallCandidate], one: RecallCandidate
) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """How near each of the pool lies to one: by their vectors, or by the tags that they share."""
    if one.unit is None:
        return np.array([_shared_tags(one, other) for other in pool], np.float32)
    return np.array(
        [0.0 if other.unit is None else float(other.unit @ one.unit) for other in pool], np.float32
    )


def _shared_tags(one: RecallCandidate, other: RecallCandidate) -> float:
    """How many of the tags of two candidates are the same."""
    both = one.tags | other.tags
    return len(one.tags & other.tags) / len(both) if both else 0.0
