"""What research gives back: an answer with its citations, the steps on the way, and its log.

A citation is a quote: the very words of an event as they stood when the answer was given. The log
keeps the figures and which events were cited, and no words of theirs.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: A question has at most so many characters.
LONGEST_QUESTION: Final = 10_000


class Requester(StrEnum):
    """Who asked: a person, an agent on somebody's behalf, or the system itself."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class StepKind(StrEnum):
    """What a step of research did."""

    LOOK = "look"
    PLAN = "plan"
    SEARCH = "search"
    REFLECT = "reflect"
    SENTENCE = "sentence"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Citation:
    """One event that an answer cites, with words that stand there verbatim."""

    number: int
    event_id: str
    stream: str
    author: str
    at: datetime
    quote: str


@dataclass(frozen=True, slots=True)
class ResearchRound:
    """One round: how many searches it made, how much was gathered after it, and how sure it was."""

    number: int
    queries: int
    gathered: int
    confidence: float
    by: str


@dataclass(frozen=True, slots=True)
class ResearchPlan:
    """How a question would be looked into: at once, or by several searches."""

    question: str
    complex: bool
    searches: tuple[str, ...]
    by: str = "local"
    note: str = ""


@dataclass(frozen=True, slots=True)
class ResearchAnswer:
    """An answer whose every sentence cites ``[n]``, or the admission that there is none.

    ``known`` is False when nothing that was found answers; the citations are then the nearest that
    was found. ``short`` is the bare answer (a date, a number, a sentence), where there is one.
    """

    question: str
    text: str
    known: bool
    confidence: float
    citations: tuple[Citation, ...] = ()
    rounds: tuple[ResearchRound, ...] = ()
    memo_hits: tuple[str, ...] = ()
    short: str = ""
    by: str = "local"
    notes: tuple[str, ...] = ()
    stopped: bool = False
    #: What ``feedback`` is given to: the id of the question in its asker's log, if it is kept.
    id: str | None = None
    #: The memo that was made of it, or lifted by it.
    memo_id: str | None = None


@dataclass(frozen=True, slots=True)
class ResearchStep:
    """One thing that happened on the way to an answer; the last one holds the answer."""

    kind: StepKind
    round: int
    text: str
    answer: ResearchAnswer | None = None


@dataclass(frozen=True, slots=True)
class ResearchRecord:
    """A question that was researched, as its asker's log keeps it."""

    id: str
    question: str
    at: datetime
    requester: Requester
    known: bool
    confidence: float
    by: str
    rounds: tuple[ResearchRound, ...] = ()
    cited: tuple[str, ...] = ()
    memo_hits: tuple[str, ...] = ()
    memo_id: str | None = None
    verdicts: tuple[str, ...] = ()
