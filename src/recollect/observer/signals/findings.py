"""Creates memory candidates from findings of an agent that no turn of the user accounts for.

A finding stands alone if its best claim is strong, and was made after a change or near the end of
the session.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.observer.candidates import Candidate, moment_of
from recollect.observer.phrases import digest, module_of
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.claims import Claim, chosen, claims_of, told_claims
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType

#: Minimum score of a remembered finding.
FINDING: Final = 3.5
#: Strength of a claim with even odds, and of one that is a memory by itself.
LEVEL: Final = 2.4
ALONE: Final = 2.2
#: Number of later turns up to which a finding that changed nothing is taken to hold.
SOON_OVER: Final = 2


def finding_of(one: Mapping[str, Any], turn: Mapping[str, Any], pad: Scratchpad) -> Candidate:
    paths = tuple(one["files"])
    claims = claims_of([{**turn, "stated": [one]}], "")
    best = chosen(claims)
    text, strength = told_claims(best), strength_of(best)
    holds = int(turn.get("later", 0)) <= SOON_OVER or any(one.after_change for one in claims[:1])
    tells = bool(text) and strength >= ALONE and holds
    where = f"`{paths[0]}`: " if paths and paths[0] not in text else ""
    return Candidate(
        signal=Signal.DIAGNOSIS,
        key=digest(str(one["text"])),
        type=MemoryType.GOTCHA,
        content=f"{where}{text}",
        session=pad.session,
        step=int(one["step"]),
        at=moment_of(one),
        files=paths,
        modules=tuple(filter(None, map(module_of, paths))),
        confidence=sureness(weight_of(one, turn) if tells else 0.0, FINDING, FINDING),
        events=(one["event"],) if one["event"] else (),
    )


def weight_of(one: Mapping[str, Any], turn: Mapping[str, Any]) -> float:
    """Score of a statement; the agent's last one in a turn is its summary and weighs more."""
    return float(one["score"]) + (0.9 if one["event"] == turn.get("last") else 0.0)


def strength_of(claims: Sequence[Claim]) -> float:
    """Score of the best claim, from 0 on."""
    return max((max(0.0, LEVEL + claim.score) for claim in claims), default=0.0)


def sureness(score: float, sure: float, for_review: float) -> float:
    """Confidence from a score: at the lower threshold just enough to be remembered, at the upper
    one to be told."""
    if score < for_review:
        return round(0.1 + 0.36 * math.exp(0.2 * (score - for_review)), 3)
    if score < sure:
        return round(0.5 + 0.03 * (score - for_review) / (sure - for_review), 3)
    return round(0.6 + 0.35 * math.tanh(0.2 * (score - sure)), 3)
