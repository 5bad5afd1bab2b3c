"""Personal memory: entries, outcomes, settings, questions and the audit log.

An *entry* is a memory that one person's assistant stores for them in a space. Every action of a
person on it is a row of the audit log, which says what was done and never contains the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found


class Outcome(StrEnum):
    """The outcome of storing a text."""

    KEPT = "kept"
    MERGED = "merged"  # it repeats an entry, which now counts for more
    ASKED = "asked"  # stored, and it contradicts an entry: the person is asked
    ECHO = "echo"  # served by recall; nothing new
    NOT_KEPT = "not_kept"  # memory is off, incognito, or it was forgotten recently
    REPLACED = "replaced"  # stored in place of an entry that is no longer true
    SKIPPED = "skipped"  # nothing lasting: a question, a request, chatter, a quotation


class Intent(StrEnum):
    """A memory command in a person's own words."""

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
    """The three scores by which entries are trimmed, and when they were computed."""

    relevance: float
    recency: float
    importance: float
    total: float
    computed_at: datetime


@dataclass(frozen=True, slots=True)
class Noticed:
    """Features extracted from a text: names, phrases, dates, tags, and the confidence; and tags
    proposed because the most similar entries have them.
    """

    entities: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: float = 0.0
    proposed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the memory, its extracted features, and its scores."""

    memory: Memory
    noticed: Noticed
    scores: Scores

    @property
    def id(self) -> str:
        """The id of its memory."""
        return self.memory.id

    @property
    def repeat_count(self) -> int:
        """How often it was repeated after the first time."""
        return self.memory.times_told - 1


@dataclass(frozen=True, slots=True)
class Question:
    """Two entries that cannot both be true, and the person who is asked."""

    id: str
    old_id: str
    new_id: str
    reason: str
    asked_at: datetime
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """Result of storing a text: its entry, if any, the reason, and the undo code."""

    outcome: Outcome
    entry: Entry | None
    reason: str
    question: Question | None = None
    trimmed: tuple[str, ...] = ()
    undo: str | None = None
    replaced_texts: tuple[str, ...] = ()  # of the entries that it took the place of


@dataclass(frozen=True, slots=True)
class HeardStatement:
    """Result for one sentence of a message, and why."""

    text: str
    act: str
    outcome: Outcome
    reason: str
    entry: Entry | None = None
    replaced: str | None = None  # the id of the entry that it replaced
    question: Question | None = None
    undo: str | None = None
    replaced_texts: tuple[str, ...] = ()  # of all entries that it replaced


@dataclass(frozen=True, slots=True)
class Heard:
    """Result for one message of a conversation."""

    event_id: str | None
    statements: tuple[HeardStatement, ...] = ()
    reason: str = ""

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The entries that contain the message now."""
        return tuple(one.entry for one in self.statements if one.entry is not None)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer to a question; "unknown" is an answer too.

    It is from an entry, or, without an ``entry_id``, from a message of the person that made none.
    """

    text: str
    known: bool
    language: str = "en"
    at: datetime | None = None
    entry_id: str | None = None
    events: tuple[str, ...] = ()
    #: Other possible entries, the best first.
    others: tuple[Entry, ...] = ()
    question: Question | None = None
    #: What ``feedback`` takes; None when it was not put in the log of questions.
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Ids of what was forgotten. ``traces`` says what may remain, and where."""

    ids: tuple[str, ...]
    events: int
    until: datetime
    traces: str
    undo: str | None = None


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """One person's settings for one space."""

    memory_enabled: bool = True
    incognito_default: bool = False
    soft_cap: int = 200
    retention_days: int | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action of a person on their memory. It never contains the stored text."""

    id: str
    user: str
    action: str
    subject: str | None
    session: str | None
    detail: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """A readable summary of a person's memory."""

    text: str
    count: int
    pinned: int
    topics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """The answer to a spoken command: what was understood, what was done, and the undo code."""

    intent: Intent
    answer: str
    done: bool
    found: tuple[Found, ...] = ()
    subjects: tuple[str, ...] = ()
    undo: str | None = None
    question: Question | None = None
    replaced_texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspect:
    """A quarantined text that reads like an instruction hidden in content."""

    id: str
    text: str
    origin: str
    reasons: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Share:
    """A tag whose entries one person also finds in another of their spaces."""

    tag: str
    source_id: str
    target_id: str
    since: datetime
