"""Candidate: a possible memory from a session, with its evidence.

A candidate is a value: the observer creates it, promotion judges it, and a person may read it. A
candidate that several sessions must show carries a key that is the same in each of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.memory import WorkUnit
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.phases import Phase

#: Factor applied to the confidence of a candidate that follows outside text.
TAINT_FACTOR: Final = 0.7
#: Signals of what sessions keep doing, whatever one of them shows.
COUNTED: Final = frozenset({Signal.RULE_BROKEN_AGAIN, Signal.PROJECT_CHECK, Signal.TOOL_SEQUENCE})


_OF_PEOPLE: Final = frozenset({Signal.REFUSAL, Signal.CORRECTION, Signal.CHOICE})
WISHES: Final = frozenset({MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT})
BY_USER: Final = "The user "


class SessionType(StrEnum):
    """Purpose of a session."""

    BUILD = "build"
    INSIGHTS = "insights"
    ROADMAP = "roadmap"
    TERMINAL = "terminal"
    CHANGELOG = "changelog"
    SPEC = "spec"
    REVIEW = "review"


#: Maximum number of memories per session, by type of session.
CAPS: Final[Mapping[SessionType, int]] = {
    SessionType.BUILD: 20,
    SessionType.INSIGHTS: 5,
    SessionType.ROADMAP: 3,
    SessionType.TERMINAL: 3,
    SessionType.CHANGELOG: 0,
    SessionType.SPEC: 3,
    SessionType.REVIEW: 8,
}


def moment_of(note: Mapping[str, Any]) -> datetime | None:
    """When what a note records was said; None for a note of an older checkpoint."""
    return datetime.fromtimestamp(note["at"], UTC) if "at" in note else None


#: Phase of the work in sessions of a type; of the others it is not known.
PHASES: Final[Mapping[SessionType, Phase]] = {
    SessionType.SPEC: Phase.DEFINE,
    SessionType.ROADMAP: Phase.DEFINE,
    SessionType.INSIGHTS: Phase.EXPLORE,
    SessionType.REVIEW: Phase.VALIDATE,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible memory."""

    signal: Signal
    key: str
    type: MemoryType
    content: str
    session: str
    step: int = 0
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    confidence: float = 0.7
    quote: str | None = None
    events: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    tainted_by: str | None = None
    unsure: bool = False  # remembered for a person to judge, not to be told
    sessions: int = 1
    agents: int = 1
    failed: bool = False
    at: datetime | None = None  # when it happened
    commit: str | None = None  # commit checked out at that time
    phase: Phase | None = None  # phase of the work at that time, where it is known
    unit: WorkUnit | None = None  # work that the candidate holds for, if not for all

    @property
    def priority(self) -> float:
        """Importance relative to other candidates of the session."""
        return TRAITS[self.signal].score * self.confidence

    @property
    def needs_review(self) -> bool:
        """Whether a person should review the candidate before it counts as known."""
        return self.unsure or self.tainted_by is not None

    @property
    def is_wish(self) -> bool:
        """Whether it is what a user asked for or decided, in their own words: theirs until others
        say so too. What a session found out about the project is nobody's."""
        return self.is_by_user and self.type in WISHES

    @property
    def is_by_user(self) -> bool:
        """Whether it leads with a user's own words."""
        return self.signal in _OF_PEOPLE and self.content.startswith(BY_USER)

    @property
    def needed_sessions(self) -> int:
        """Number of sessions that must show the candidate; one suffices if several agents saw it
        independently, except where the sessions themselves are what is counted."""
        needed = TRAITS[self.signal].sessions
        return 1 if self.agents > 1 and self.signal not in COUNTED else needed
