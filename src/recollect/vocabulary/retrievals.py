"""Retrievals: a logged query, the results served for it, and the asker's feedback."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: Value in the log for researched questions, in place of the ranking profile.
RESEARCH: Final = "research"
ANSWER: Final = "answer"  # of personal memory


class Verdict(StrEnum):
    """Feedback on what was served."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    WRONG = "wrong"
    CITED = "cited"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class ServedItem:
    """One item of an answer: its id, whether it is a memory or an event, its score."""

    id: str
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """The asker's feedback on an answer, or on one item in it (``item``)."""

    id: str
    verdict: Verdict
    at: datetime
    item: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One explicit question: who asked what, how it was ranked, and what was served.

    ``client`` is the program that asked for them: ``cli``, ``panel``, ``mcp/claude-code``.
    """

    id: str
    user: str
    query: str
    profile: str
    at: datetime
    phase: str | None = None
    client: str | None = None
    served: tuple[ServedItem, ...] = ()
    feedback: tuple[Feedback, ...] = ()
