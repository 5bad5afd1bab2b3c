"""When a session of some type may teach, and which of its findings come first.

A build teaches unless its last review failed, a specification once it was accepted, a review once
it was done, everything else at its end. What is held until then is no memory and told to nobody.
"""

from collections.abc import Mapping
from typing import Final

from recollect.observer.candidates import Candidate, SessionType
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory_types import MemoryType

FAILED: Final = "held: QA did not pass"
NOT_ACCEPTED: Final = "held: the specification is not accepted yet"
NOT_DONE: Final = "held: the review is not done yet"

_ERRORS: Final = frozenset(
    {Signal.ERROR_RETRY, Signal.CHECK_RULE, Signal.MENDED_CHECK, Signal.RULE_BROKEN_AGAIN}
)
_CORRECTED: Final = frozenset({Signal.SELF_CORRECTION, Signal.DIAGNOSIS})
#: Signals that matter most in a type of session. A type that is not listed has no preference.
_PRIMARY: Final[Mapping[SessionType, frozenset[Signal]]] = {
    SessionType.INSIGHTS: _CORRECTED | {Signal.CO_ACCESS, Signal.REPEATED_GREP},
    SessionType.ROADMAP: frozenset({Signal.CHOICE}),
    SessionType.TERMINAL: _ERRORS | {Signal.TOOL_SEQUENCE, Signal.PROJECT_CHECK},
    SessionType.SPEC: frozenset({Signal.FILE_ACCESS}),
    SessionType.REVIEW: _ERRORS | _CORRECTED,
}
#: Types of memory that matter most in a type of session, whatever signal found them.
_PRIMARY_TYPES: Final[Mapping[SessionType, frozenset[MemoryType]]] = {
    SessionType.ROADMAP: frozenset({MemoryType.DECISION, MemoryType.REQUIREMENT}),
    SessionType.SPEC: frozenset({MemoryType.MODULE_INSIGHT}),
}


def reason_to_hold(
    session_type: SessionType, *, verdict: bool | None, accepted: bool
) -> str | None:
    """Why a session may not teach yet; None if it may. ``verdict`` is the last of a reviewer."""
    if session_type is SessionType.BUILD and verdict is False:
        return FAILED
    if session_type is SessionType.SPEC and not accepted:
        return NOT_ACCEPTED
    if session_type is SessionType.REVIEW and not accepted:
        return NOT_DONE
    return None


def is_primary(candidate: Candidate, session_type: SessionType) -> bool:
    """Whether a finding comes before the others of a session; a user's own words always do."""
    signals = _PRIMARY.get(session_type)
    if signals is None or candidate.quote:
        return True
    types = _PRIMARY_TYPES.get(session_type, frozenset())
    return candidate.signal in signals or candidate.type in types


def rank(candidate: Candidate, session_type: SessionType) -> tuple[bool, float]:
    """Sort key: primary findings first, then by priority."""
    return (not is_primary(candidate, session_type), -candidate.priority)
