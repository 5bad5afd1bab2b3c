"""Personal memory as people meet it: what was kept and why, and what they decided about it.

An *entry* is a memory that one person's assistant keeps for them in a space. Everything a person
does to it is a row of the audit log, which says what was done and never the words it was done to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found


class Outcome(StrEnum):
    """What became of something that was to be kept."""

    KEPT = "kept"
    MERGED = "merged"  # it repeats an entry, which now counts for more
    ASKED = "asked"  # kept, and it contradicts an entry: the person is asked
    ECHO = "echo"  # recall had served it; it is nothing new
    NOT_KEPT = "not_kept"  # memory is off, incognito, or it was forgotten a moment ago
    REPLACED = "replaced"  # kept in place of an entry that no longer holds
    SKIPPED = "skipped"  # nothing lasting: a question, a request, chatter, a quotation


class Intent(StrEnum):
    """What a person asks of their memory in their own words."""

    REMEMBER = "remember"
    ASK = "ask"
    FORGET = "forget"
    FORGET_ALL = "forget_all"
    PIN = "pin"
    UNPIN = "unpin"
    MEMORY_ON = "memory_on"
    MEMORY_OFF = "memory_off"
    INCOGNITO_START = "incognito_start"
    INCOGNITO_END = "incognito_end"
    SUMMARY = "summary"
    UNDO = "undo"
    YES = "yes"
    NO = "no"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Scores:
    """The three scores by which entries are trimmed, and when they were worked out."""

    relevance: float
    recency: float
    importance: float
    total: float
    computed_at: datetime


@dataclass(frozen=True, slots=True)
class Noticed:
    """What was noticed in a text: names, phrases, dates, tags, and how surely; and tags that are
    proposed because the entries nearest to it have them."""

    entities: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: float = 0.0
    proposed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the memory, what was noticed in it, and its scores."""

    memory: Memory
    noticed: Noticed
    scores: Scores

    @property
    def id(self) -> str:
        """The id of its memory."""
        return self.memory.id

    @property
    def repeat_count(self) -> int:
        """How often it was told again after the first time."""
        return self.memory.times_told - 1


@dataclass(frozen=True, slots=True)
class Question:
    """Two entries that cannot both hold, and the person who is asked which does."""

    id: str
    old_id: str
    new_id: str
    reason: str
    asked_at: datetime
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a text: the entry it is in now, if any, why, and what undoes it."""

    outcome: Outcome
    entry: Entry | None
    reason: str
    question: Question | None = None
    trimmed: tuple[str, ...] = ()
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class HeardStatement:
    """What was done with one sentence of a message, and why."""

    text: str
    act: str
    outcome: Outcome
    reason: str
    entry: Entry | None = None
    replaced: str | None = None  # the id of the entry that it took the place of
    question: Question | None = None
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What was done with one message of a conversation."""

    event_id: str | None
    statements: tuple[HeardStatement, ...] = ()
    reason: str = ""

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The entries that the message is in now."""
        return tuple(one.entry for one in self.statements if one.entry is not None)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer to a question; nothing known is an answer too.

    It is from an entry, or, without an ``entry_id``, from a message of the person's that made none.
    """

    text: str
    known: bool
    language: str = "en"
    at: datetime | None = None
    entry_id: str | None = None
    events: tuple[str, ...] = ()
    #: The entries that could also be meant, the best first.
    others: tuple[Entry, ...] = ()
    question: Question | None = None
    #: What ``feedback`` takes; None when it was not put in the log of questions.
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten: ids only. ``traces`` says what may be left, and where."""

    ids: tuple[str, ...]
    events: int
    until: datetime
    traces: str
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What one person decided for one space."""

    memory_enabled: bool = True
    incognito_default: bool = False
    soft_cap: int = 200
    retention_days: int | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing a person did to their memory. It never holds the words of what was kept."""

    id: str
    user: str
    action: str
    subject: str | None
    session: str | None
    detail: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """What is remembered, for a person to read."""

    text: str
    count: int
    pinned: int
    topics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """The answer to a spoken command: what was understood, what was done, what undoes it."""

    intent: Intent
    answer: str
    done: bool
    found: tuple[Found, ...] = ()
    subjects: tuple[str, ...] = ()
    undo: str | None = None
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class Suspect:
    """Text that was set aside because it reads like an instruction hidden in content."""

    id: str
    text: str
    origin: str
    reasons: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Share:
    """A tag whose entries one person also finds in another space of theirs."""

    tag: str
    source_id: str
    target_id: str
    since: datetime
