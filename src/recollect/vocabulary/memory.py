"""The memory record: something worth finding again, with its provenance.

Every field of a memory is here, immutable. The write path in ``memories/`` creates them; storage
saves them; nobody changes one in place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from recollect.vocabulary.audiences import Audience
from recollect.vocabulary.memory_types import (
    INFERRED,
    MemoryType,
    RelationType,
    Scope,
    Source,
)
from recollect.vocabulary.phases import Phase

#: Beginning of the tag that names a type which a methodology brought: ``own_type:kanban/card``.
OWN_TYPE: Final = "own_type:"


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """The piece of work a memory belongs to, in the terms of its methodology."""

    methodology: str
    hierarchy: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Levels:
    """Shorter forms of a content, each with its token count; None until computed."""

    summary: str | None = None
    compressed: str | None = None
    index: str | None = None
    full_tokens: int | None = None
    summary_tokens: int | None = None
    compressed_tokens: int | None = None
    index_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a memory. Never empty: it has at least a source, an author and a time."""

    source: Source
    created_by: str
    session_id: str | None = None
    sessions: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    commit: str | None = None
    outside: tuple[str, ...] = ()  # origins of outside text, like web:https://example.org
    phase: Phase | None = None  # of the work in which it was made, where that is known


@dataclass(frozen=True, slots=True)
class Counts:
    """How a memory has been used."""

    access: int = 0
    retrieval: int = 0
    citation: int = 0
    ignore: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation from a memory to another memory or to a file; exactly one of the two targets."""

    type: RelationType
    source_id: str
    target_id: str | None = None
    target_path: str | None = None
    confidence: float = 1.0
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory in its current state."""

    id: str
    space_id: str
    type: MemoryType
    content: str
    confidence: float
    importance: float
    audience: Audience
    provenance: Provenance
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    scope: Scope = Scope.GLOBAL
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    levels: Levels = field(default_factory=Levels)
    work_unit: WorkUnit | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    citation: str | None = None
    half_life_days: float | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    pinned: bool = False
    manually_saved: bool = False
    needs_review: bool = False
    user_verified: bool = False
    disputed: bool = False
    archived_at: datetime | None = None
    stale_at: datetime | None = None
    last_accessed_at: datetime | None = None
    counts: Counts = field(default_factory=Counts)
    revision: int = 1
    #: 1 for a new memory, and one more with every repeat that was merged.
    times_told: int = 1

    @property
    def archived(self) -> bool:
        """Whether it was archived; it can be restored within its grace period."""
        return self.archived_at is not None

    @property
    def type_name(self) -> str:
        """The type as it is shown: of a type that a methodology brought, both names."""
        own = (tag for tag in self.tags if tag.startswith(OWN_TYPE) and "/" in tag)
        return next(own, self.type.value).removeprefix(OWN_TYPE)

    def valid_at(self, moment: datetime) -> bool:
        """Whether this was believed at that time."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    def current_confidence(self, now: datetime) -> float:
        """Confidence after fading by half each half-life without use, and for inferred memories by
        a little every day from the 90th on; pinned ones do not fade. While it is disputed, it
        counts for less.
        """
        doubted = DISPUTED if self.disputed else 1.0
        if self.pinned:
            return self.confidence * doubted
        used = self.last_accessed_at or self.created_at
        inferred = self.provenance.source in INFERRED
        left = unused(self.confidence, used, now) if inferred else self.confidence
        return faded(left, self.half_life_days, used, now) * doubted


#: Factor on a memory's confidence while a dispute over it is open.
DISPUTED: Final = 0.8
#: After this many days without use, an inferred memory loses confidence daily, down to a minimum.
UNUSED_DAYS: Final = 90
UNUSED_LOSS: Final = 0.01
UNUSED_LEAST: Final = 0.1


def unused(confidence: float, since: datetime, now: datetime) -> float:
    """The confidence of an inferred memory not used since then; computed, never stored."""
    days = (now - since).total_seconds() / 86_400 - UNUSED_DAYS
    if days <= 0 or confidence <= UNUSED_LEAST:
        return confidence
    return max(UNUSED_LEAST, confidence - UNUSED_LOSS * int(days))


def faded(confidence: float, half_life_days: float | None, since: datetime, now: datetime) -> float:
    """A confidence after its decay by half each half-life since a time; without one it stays."""
    if half_life_days is None:
        return confidence
    days = max(0.0, (now - since).total_seconds() / 86_400)
    return confidence * float(0.5 ** (days / half_life_days))


class Action(StrEnum):
    """The kind of a change in a memory's history."""

    CREATED = "created"
    UPDATED = "updated"
    ARCHIVED = "archived"
    RESTORED = "restored"
    SUPERSEDED = "superseded"
    RELATED = "related"
    CONFIDENCE = "confidence"
    DISPUTED = "disputed"
    ESCALATED = "escalated"
    SETTLED = "settled"


_SHORT_FORMS: Final = frozenset({"summary", "compressed", "index"})


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of a memory: who, when, what, old and new values."""

    memory_id: str
    revision: int
    action: Action
    actor: str
    at: datetime
    changes: Mapping[str, tuple[Any, Any]]

    @property
    def edited_fields(self) -> dict[str, tuple[Any, Any]]:
        """What somebody changed: without the short forms that fell away with the words they were
        made of."""
        return {
            name: pair
            for name, pair in self.changes.items()
            if not ("content" in self.changes and name in _SHORT_FORMS and pair[1] is None)
        }
