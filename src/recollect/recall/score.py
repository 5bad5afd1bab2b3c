"""Scores and orders results by relevance, recency, use, confidence, trust and phase of work.

Both formulas of the design documents, with the profile's own weights. An event records what was
said and never fades, so only memories are changed by trust and confidence. With either formula,
memories that answers cited count a little more, those that answers ignored a little less, stale
ones half, disputed ones four fifths, and those whose files changed since less in proportion. A
memory about files that change often fades faster. A result about a different item of a lettered
series (team B, where the question is about team A) counts half. Where trust lifts a score over 1,
all scores are scaled down alike.

The order is by score, less the similarity to earlier results (maximal marginal relevance, by the
profile's lambda). Events that repeat a text stand last.
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
#: Greatest share by which use raises or lowers a score, and the number of verdicts that gives half
#: of it.
_USE: Final = 0.2
_SOME_VERDICTS: Final = 5
_STALE: Final = 0.5
#: Least share of a confidence that fading leaves: a search for the words of an old memory finds it
#: before a new memory about something else.
_LEAST_FADED: Final = 0.3
#: A word and the letter that distinguishes things of that name: team A, Plan B. "I" is a person; a
#: small letter is a label only at the end of a question.
_LABEL: Final = lazy_pattern(r"\b([^\W\d_]{3,30})[ -]([A-HJ-Z])\b(?!['\u2019])")
_ASKED_LABEL: Final = lazy_pattern(
    r"\b([^\W\d_]{3,30})[ -]([A-HJ-Z]|[a-hj-z](?=\W{0,3}\Z))\b(?!['\u2019])"
)
_OTHER_LABEL: Final = 0.5
#: Whole texts of the events that end an agent's session.
_SESSION_ENDS: Final = frozenset({"success", "partial", "failure"})
#: Share of its confidence that a memory loses when all of its files have changed since.
_CHANGED: Final = 0.5


def score(candidates: list[RecallCandidate], plan: Plan, now: datetime) -> None:
    """Compute the score of every candidate, and record each factor of it by name."""
    for one in candidates:
        one.score = one.relevance
        if one.ranking_fields is None:
            continue
        one.factors = _factors(one.ranking_fields, plan, now)
        relevance, recency, third = plan.profile.parts
        if plan.profile.scorer == "agent":
            base = relevance * one.relevance + recency * one.factors["recency"]
            base += third * one.factors["frequency"]
            multiplied = one.factors["phase"] * one.factors["trust"] * one.factors["confidence"]
            one.score = base * multiplied
        elif plan.profile.scorer == "chat":
            one.score = relevance * one.relevance + recency * one.factors["recency"]
            one.score += third * one.factors["importance"]
        if one.ranking_fields.disputed:
            one.factors["disputed"] = DISPUTED
            one.score *= DISPUTED
        if plan.profile.uses_context:
            use = _of_use(one.ranking_fields)
            one.factors |= use
            one.score *= math.prod(use.values())
    _halve_other_labels(candidates, plan.text)
    best = max((one.score for one in candidates), default=0.0)
    if best > 1:
        for one in candidates:
            one.score /= best


def _halve_other_labels(candidates: list[RecallCandidate], question: str) -> None:
    """Halve the score of results about team B where the question is about team A: "a" is a word of
    every text, so keywords alone do not distinguish them.
    """
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


def _of_use(fields: Any) -> dict[str, float]:
    """Factors from the use of a memory where it was served, from being marked as stale, and from
    changed files; factors of 1 are left out.
    """
    cited, ignored = fields.citation_count, fields.ignore_count
    verdicts = cited + ignored
    factors = {}
    if cited != ignored:
        factors["use"] = 1 + _USE * (cited - ignored) / (verdicts + _SOME_VERDICTS)
    if fields.stale_at is not None:
        factors["stale"] = _STALE
    if fields.changed and not fields.pinned:
        factors["changed_files"] = 1 - _CHANGED * fields.changed
    return factors


def _factors(fields: Any, plan: Plan, now: datetime) -> dict[str, float]:
    touched = fields.last_accessed_at or fields.created_at
    volatility = fields.volatility or 1.0
    if plan.profile.scorer == "relevance":
        return {}
    if plan.profile.scorer == "chat":
        return {
            "recency": _recency(fields.created_at, now, plan.profile.recency_days),
            "importance": fields.importance,
        }
    return {
        "recency": _recency(touched, now, plan.profile.recency_days / volatility),
        "frequency": min(1.0, math.log1p(fields.access_count) / math.log1p(_OFTEN)),
        "phase": _phase_weight(plan, fields.type),
        "trust": SOURCE_TRUST.get(fields.source, 1.0),
        "confidence": _confidence(fields, volatility, touched, now),
    }


def _confidence(fields: Any, volatility: float, touched: datetime, now: datetime) -> float:
    """A memory's confidence by now: it fades sooner where its files change often, to a share of
    what it was at least. A pinned memory never fades.
    """
    confidence = float(fields.confidence)
    if fields.pinned or fields.half_life_days is None:
        return confidence
    left = faded(confidence, float(fields.half_life_days) / volatility, touched, now)
    return max(left, _LEAST_FADED * confidence)


def _phase_weight(plan: Plan, kind: str) -> float:
    if plan.phase is None:
        return 1.0
    return plan.profile.phase_weights.get(plan.phase, {}).get(kind, 1.0)


def _recency(since: datetime, now: datetime, days: float) -> float:
    age = max(0.0, (now - since).total_seconds() / _DAY)
    return math.exp(-age / days)


def ranked(candidates: Sequence[RecallCandidate]) -> list[RecallCandidate]:
    """The candidates, best first; ties go to the earlier slot."""
    return sorted(candidates, key=lambda one: (-one.score, one.collection, one.slot))


def diversify(
    candidates: Sequence[RecallCandidate], keep: float, limit: int
) -> list[RecallCandidate]:
    """Order by score, less the similarity to earlier results; at ``keep`` 1 by score alone."""
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


def repeats_last(ordered: Sequence[RecallCandidate]) -> list[RecallCandidate]:
    """The candidates in their order; repeats of a text and ends of sessions after all others.

    An agent is told "go on with the coupon" in many sessions. The best of these prompts keeps its
    place, and the others crowd no note out. Nothing is left out.
    """
    first: list[RecallCandidate] = []
    last: list[RecallCandidate] = []
    seen = set(_SESSION_ENDS)
    for one in ordered:
        text = " ".join(one.text.split()).lower() if one.collection == "events" else ""
        (last if text and text in seen else first).append(one)
        seen.add(text)
    return first + last


def _likeness(
    pool: Sequence[RecallCandidate], one: RecallCandidate
) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Similarity of each candidate of the pool to one: by their vectors, or by shared tags."""
    if one.unit is None:
        return np.array([_shared_tags(one, other) for other in pool], np.float32)
    return np.array(
        [0.0 if other.unit is None else float(other.unit @ one.unit) for other in pool], np.float32
    )


def _shared_tags(one: RecallCandidate, other: RecallCandidate) -> float:
    """Share of the tags that two candidates have in common."""
    both = one.tags | other.tags
    return len(one.tags & other.tags) / len(both) if both else 0.0
