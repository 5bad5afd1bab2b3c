"""Research results: an answer with its citations, its steps, and its log.

A citation is a quote: the exact words of an event at the time of the answer. The log keeps the
figures and which events were cited, and no text of theirs.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: Maximum length of a question, in characters.
LONGEST_QUESTION: Final = 10_000


class Requester(StrEnum):
    """Who asked: a person, an agent on somebody's behalf, or the system itself."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class StepKind(StrEnum):
    """The kind of a research step."""

    LOOK = "look"
    PLAN = "plan"
    SEARCH = "search"
    REFLECT = "reflect"
    SENTENCE = "sentence"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Citation:
    """One event that an answer cites, with a verbatim quote.

    Where ``time_unknown`` is true, the event's time was not told and ``at`` only keeps its order.
    """

    number: int
    event_id: str
    stream: str
    author: str
    at: datetime
    quote: str
    time_unknown: bool = False


@dataclass(frozen=True, slots=True)
class ResearchRound:
    """One round: its number of searches, the evidence gathered after it, and its confidence."""

    number: int
    queries: int
    gathered: int
    confidence: float
    by: str


@dataclass(frozen=True, slots=True)
class ResearchPlan:
    """How a question would be researched: at once, or by several searches."""

    question: str
    complex: bool
    searches: tuple[str, ...]
    by: str = "local"
    note: str = ""


@dataclass(frozen=True, slots=True)
class ResearchAnswer:
    """An answer whose every sentence cites ``[n]``, or the statement that there is none.

    ``known`` is False if nothing that was found answers; the citations are then the nearest
    results. ``short`` is the bare answer (a date, a number, a sentence), if there is one.
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
    #: Argument for ``feedback``: the id of the question in its asker's log, if it is logged.
    id: str | None = None
    #: The memo that was made of it, or strengthened by it.
    memo_id: str | None = None


@dataclass(frozen=True, slots=True)
class ResearchStep:
    """One step on the way to an answer; the last one has the answer."""

    kind: StepKind
    round: int
    text: str
    answer: ResearchAnswer | None = None


@dataclass(frozen=True, slots=True)
class ResearchRecord:
    """A researched question, as stored in its asker's log."""

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
