"""Workspace results: memos, conversations, experts, gaps, topics, suggestions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.vocabulary.events import Event


class MemoSource(StrEnum):
    """The author of a memo: a person, the system from an exchange, or the researcher."""

    USER = "user"
    SYSTEM = "system"
    RESEARCHER = "researcher"


@dataclass(frozen=True, slots=True)
class SourceQuote:
    """The current text of an event, cut to a preview; empty if it was deleted."""

    event_id: str
    stream_id: str
    stream: str
    author: str
    at: datetime
    text: str
    deleted: bool = False
    time_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Memo:
    """A pointer to a conversation worth finding again. Its quotes are read when it is shown."""

    id: str
    space_id: str
    summary: str
    topics: tuple[str, ...]
    anchors: tuple[str, ...]
    stream_id: str | None
    window: tuple[str, ...]
    participants: tuple[str, ...]
    primary_answerer: str | None
    confidence: float
    source: MemoSource
    created_by: str
    created_at: datetime
    updated_at: datetime
    revision: int = 1
    archived_at: datetime | None = None
    retrievals: int = 0
    last_retrieved_at: datetime | None = None
    helpfulness: float = 0.0
    quotes: tuple[SourceQuote, ...] = ()
    #: The row of an existing knowledge table that it was imported from.
    imported_from: str | None = None

    @property
    def window_start(self) -> str | None:
        """The first event of its conversation."""
        return self.window[0] if self.window else None

    @property
    def window_end(self) -> str | None:
        """The last event of its conversation."""
        return self.window[-1] if self.window else None


@dataclass(frozen=True, slots=True)
class MemoHit:
    """A memo that a question found. The score is calibrated: over 0.9, it is the same question."""

    memo: Memo
    score: float
    preview: str = ""


@dataclass(frozen=True, slots=True)
class ConversationWindow:
    """The messages of one conversation, separated from others in the same stream."""

    anchor: Event
    events: tuple[Event, ...]
    asker: str | None = None
    answerers: tuple[str, ...] = ()

    @property
    def participants(self) -> tuple[str, ...]:
        """The participants, in order of their first message."""
        return tuple(dict.fromkeys(event.author for event in self.events))


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with its number of memos and the time of the last change."""

    name: str
    memos: int
    last_activity: datetime


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """One answer of an expert, with its current text."""

    event_id: str
    preview: str
    at: datetime
    helpful: bool = False


@dataclass(frozen=True, slots=True)
class Expert:
    """A person who knows about something. ``score`` is the probability that they answer,
    ``expertise`` the value of their messages: answers 1, citations 3, reactions 0.5, helpful 5,
    fading by months.
    """

    user: str
    score: float
    expertise: float = 0.0
    answered: int = 0
    cited: int = 0
    reactions: int = 0
    helpful: int = 0
    last_signal_at: datetime | None = None
    topics: tuple[str, ...] = ()
    samples: tuple[SampleAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class CoverageGap:
    """A question that was asked more than once and found nothing. The askers are not named."""

    query: str
    asked: int
    last_asked: datetime


@dataclass(frozen=True, slots=True)
class RelatedDiscussion:
    """Another conversation about the subject of an event."""

    stream_id: str
    stream: str
    event_id: str
    preview: str
    participants: tuple[str, ...]
    at: datetime
    score: float


@dataclass(frozen=True, slots=True)
class Related:
    """Other knowledge about the subject of an event."""

    memos: tuple[MemoHit, ...] = ()
    discussions: tuple[RelatedDiscussion, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Known answers to a question that is being typed; at most three."""

    query: str
    found: tuple[MemoHit, ...] = ()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeOverview:
    """Overview of the knowledge of a space."""

    frequent: tuple[Memo, ...] = ()
    recent: tuple[Memo, ...] = ()
    by_topic: Mapping[str, tuple[Memo, ...]] = field(default_factory=dict)
    gaps: tuple[CoverageGap, ...] = ()
    experts: tuple[Expert, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeImported:
    """Result of importing a knowledge table: ``without_source`` rows were added, but the message
    that they cite is not here.
    """

    read: int
    added: int
    already_there: int
    skipped: int
    without_source: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoChanged:
    """A memo that was created, changed or archived: ``memo:created``, ``:updated`` and so on."""

    event: str
    memo_id: str
    revision: int
    memo: Memo


@dataclass(frozen=True, slots=True)
class MemoChanges:
    """Changes since an earlier call; the next call begins at ``clock`` and ``at``.

    ``known`` are the memos and revisions of the last moments that need not be told again.
    """

    clock: int
    at: datetime
    changes: tuple[MemoChanged, ...] = ()
    known: frozenset[tuple[str, int]] = frozenset()
