"""What relevance is worth: how fresh, how used, how sure, how trusted, and in which phase of work.

Both formulas of the documents, with the profile's own weights. An event is what was said and never
fades, so only memories are changed by trust and confidence. Where trust lifts a score over one, all
are scaled down alike.
"""

import math
from datetime import datetime
from typing import Any, Final

from recollect.recall.candidates import RecallCandidate
from recollect.recall.phases import SOURCE_TRUST
from recollect.recall.plan import Plan
from recollect.vocabulary.memory import faded

_DAY: Final = 86_400
_OFTEN: Final = 100


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
    best = max((one.score for one in candidates), default=0.0)
    if best > 1:
        for one in candidates:
            one.score /= best


def _factors(glance: Any, plan: Plan, now: datetime) -> dict[str, float]:
    touched = glance.last_accessed_at or glance.created_at
    if plan.profile.scorer == "relevance":
        return {}
    if plan.profile.scorer == "chat":
        return {
            "recency": _recency(glance.created_at, now, plan.profile.recency_days),
            "importance": glance.importance,
        }
    return {
        "recency": _recency(touched, now, plan.profile.recency_days),
        "frequency": min(1.0, math.log1p(glance.access_count) / math.log1p(_OFTEN)),
        "phase": _phase_weight(plan, glance.type),
        "trust": SOURCE_TRUST.get(glance.source, 1.0),
        "confidence": faded(
            glance.confidence, None if glance.pinned else glance.half_life_days, touched, now
        ),
    }


def _phase_weight(plan: Plan, kind: str) -> float:
    if plan.phase is None:
        return 1.0
    return plan.profile.phase_weights.get(plan.phase, {}).get(kind, 1.0)


def _recency(since: datetime, now: datetime, days: float) -> float:
    age = max(0.0, (now - since).total_seconds() / _DAY)
    return math.exp(-age / days)
