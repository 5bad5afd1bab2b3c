"""Agents' sessions, the memories served to them, people's reviews, and trust levels.

A project's trust level says how confident a memory must be before it is served to an agent, and how
much of what was learned a person is asked about. It rises with sessions and confirmations, and a
person may set it; only a person can set the highest.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Final


class Point(StrEnum):
    """Where in an agent's loop something is served."""

    SYSTEM_PROMPT = "system_prompt"
    FIRST_MESSAGE = "first_message"
    TOOL_RESULT = "tool_result"
    STEP = "step"
    PLAN = "plan"
    QA = "qa"


#: Time limit of each point, in seconds; later results are dropped silently.
BUDGETS: Final = {
    Point.SYSTEM_PROMPT: 0.5,
    Point.FIRST_MESSAGE: 2.0,
    Point.TOOL_RESULT: 0.1,
    Point.STEP: 0.05,
    Point.PLAN: 0.5,
    Point.QA: 0.5,
}


class TrustLevel(IntEnum):
    """How far a project trusts what was learned in it."""

    CAUTIOUS = 1
    STANDARD = 2
    CONFIDENT = 3
    AUTONOMOUS = 4

    @property
    def threshold(self) -> float:
        """A memory is served to an agent if its current confidence is above this."""
        return _THRESHOLDS[self]

    @property
    def asks(self) -> str:
        """Which memories a review shows: ``all`` new ones, only ``marked`` ones, or ``none``."""
        return _ASKS[self]


_THRESHOLDS: Final = {
    TrustLevel.CAUTIOUS: 0.80,
    TrustLevel.STANDARD: 0.65,
    TrustLevel.CONFIDENT: 0.55,
    TrustLevel.AUTONOMOUS: 0.45,
}
_ASKS: Final = {
    TrustLevel.CAUTIOUS: "all",
    TrustLevel.STANDARD: "all",
    TrustLevel.CONFIDENT: "marked",
    TrustLevel.AUTONOMOUS: "none",
}


class Decision(StrEnum):
    """A person's decision on a reviewed memory."""

    CONFIRMED = "confirmed"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One session of an agent."""

    id: str
    agent: str
    started_at: datetime
    task: str = ""
    last_at: datetime | None = None
    ended_at: datetime | None = None
    reviewed_at: datetime | None = None
    steps: int = 0
    failures: int = 0
    injected_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """A memory served to a session, at which point, and its tokens."""

    memory_id: str
    point: Point
    served_at: datetime
    tokens: int


@dataclass(frozen=True, slots=True)
class TrustState:
    """A project's trust level, and the figures it is based on."""

    level: TrustLevel
    sessions: int
    reviewed: int
    confirmed: int
    corrected: int
    rejected: int
    chosen_by: str | None = None

    @property
    def confirmed_share(self) -> float:
        """Share of reviewed memories that were right as they were."""
        return self.confirmed / self.reviewed if self.reviewed else 0.0

    @property
    def corrected_share(self) -> float:
        """Share of reviewed memories that were corrected or rejected."""
        return (self.corrected + self.rejected) / self.reviewed if self.reviewed else 0.0
