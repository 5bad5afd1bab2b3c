"""A candidate is what a session would have remembered, with what it saw as evidence.

It is a value: the observer makes it, the promotion judges it, a person may read it. What must be
seen in several sessions carries a key that is the same in each.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.memory_types import MemoryType

#: What is left of a confidence when words of strangers had been read before.
TAINT_FACTOR: Final = 0.7


class SessionType(StrEnum):
    """What a session was for."""

    BUILD = "build"
    INSIGHTS = "insights"
    ROADMAP = "roadmap"
    TERMINAL = "terminal"
    CHANGELOG = "changelog"
    SPEC = "spec"
    REVIEW = "review"


#: How many memories a session of each type may leave behind.
CAPS: Final[Mapping[SessionType, int]] = {
    SessionType.BUILD: 20,
    SessionType.INSIGHTS: 5,
    SessionType.ROADMAP: 3,
    SessionType.TERMINAL: 3,
    SessionType.CHANGELOG: 0,
    SessionType.SPEC: 3,
    SessionType.REVIEW: 8,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may become a memory."""

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
    sessions: int = 1
    agents: int = 1
    failed: bool = False
    at: datetime | None = None  # when it happened
    commit: str | None = None  # what was checked out then

    @property
    def priority(self) -> float:
        """How much it matters beside others of its session."""
        return TRAITS[self.signal].score * self.confidence

    @property
    def needs_review(self) -> bool:
        """Whether a person should look before it counts as known."""
        return self.tainted_by is not None

    @property
    def needed_sessions(self) -> int:
        """How many sessions must show it; one less where several agents saw it by themselves."""
        needed = TRAITS[self.signal].sessions
        return 1 if self.agents > 1 else needed
