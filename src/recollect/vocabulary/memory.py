"""The memory record: something worth finding again, with where it came from.

Every field of a memory is here, frozen. The write path in ``memories/`` makes them; storage keeps
them; nobody changes one in place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from recollect.vocabulary.audiences import Audience
from recollect.vocabulary.memory_types import (
    HALF_LIFE_DAYS,
    INFERRED,
    MemoryType,
    RelationType,
    Scope,
    Source,
)


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """The piece of work a memory belongs to, in the words of its methodology."""

    methodology: str
    hierarchy: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Levels:
    """Shorter forms of a content, each with its token count; None until they are worked out."""

    summary: str | None = None
    compressed: str | None = None
    index: str | None = None
    full_tokens: int | None = None
    summary_tokens: int | None = None
    compressed_tokens: int | None = None
    index_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory came from. Never empty: it has a source, a maker and a time at least."""

    source: Source
    created_by: str
    session_id: str | None = None
    sessions: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    commit: str | None = None
    outside: tuple[str, ...] = ()  # where text of others came in, like web:https://example.org


@dataclass(frozen=True, slots=True)
class Counts:
    """How a memory has been used."""

    access: int = 0
    retrieval: int = 0
    citation: int = 0
    ignore: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """An arrow from a memory to another memory or to a file; exactly one of the two targets."""

    type: RelationType
    source_id: str
    target_id: str | None = None
    target_path: str | None = None
    confidence: float = 1.0
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it stands now."""

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
    #: How often it was told: 1 when it is new, and one more with every repeat that was merged.
    times_told: int = 1

    @property
    def archived(self) -> bool:
        """Whether it was put away; it can be brought back within its grace."""
        return self.archived_at is not None

    def valid_at(self, moment: datetime) -> bool:
        """Whether this was believed at that moment."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)

    def current_confidence(self, now: datetime) -> float:
        """Confidence after fading by half each half-life without use, and what was inferred by a
        little every day from the 90th on; pinned ones do not fade. While somebody disputes it, it
        counts for less."""
        doubted = DISPUTED if self.disputed else 1.0
        if self.pinned:
            return self.confidence * doubted
        used = self.last_accessed_at or self.created_at
        inferred = self.provenance.source in INFERRED
        left = unused(self.confidence, used, now) if inferred else self.confidence
        return faded(left, self.half_life_days, used, now) * doubted


#: What a memory's confidence is multiplied with while a dispute over it is open.
DISPUTED: Final = 0.8
#: An inferred memory that nobody used for so many days loses so much a day, down to the least.
UNUSED_DAYS: Final = 90
UNUSED_LOSS: Final = 0.01
UNUSED_LEAST: Final = 0.1


def unused(confidence: float, since: datetime, now: datetime) -> float:
    """The confidence of an inferred memory not used since then; computed, never written."""
    days = (now - since).total_seconds() / 86_400 - UNUSED_DAYS
    if days <= 0 or confidence <= UNUSED_LEAST:
        return confidence
    return max(UNUSED_LEAST, confidence - UNUSED_LOSS * int(days))


def faded(confidence: float, half_life_days: float | None, since: datetime, now: datetime) -> float:
    """A confidence after fading by half each half-life since a time; without one it stays."""
    if half_life_days is None:
        return confidence
    days = max(0.0, (now - since).total_seconds() / 86_400)
    return confidence * float(0.5 ** (days / half_life_days))


def default_half_life(memory_type: MemoryType) -> float | None:
    """The half-life of a kind of memory; None where it never fades."""
    return HALF_LIFE_DAYS.get(memory_type)


class Action(StrEnum):
    """What was done to a memory, as its history tells it."""

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
    """One change of a memory: who, when, what, from what to what."""

    memory_id: str
    revision: int
    action: Action
    actor: str
    at: datetime
    changes: Mapping[str, tuple[Any, Any]]

    @property
    def told(self) -> dict[str, tuple[Any, Any]]:
        """What somebody changed: without the short forms that fell away with the words they were
        made of."""
        return {
            name: pair
            for name, pair in self.changes.items()
            if not ("content" in self.changes and name in _SHORT_FORMS and pair[1] is None)
        }
