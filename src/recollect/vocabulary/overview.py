"""Overview of a space for its maintainers: counts, growth, and health score."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from math import floor
from typing import Final

from recollect.vocabulary.memory import HistoryEntry, Memory

_ROUNDING: Final = 1e-9  # what a sum of whole points may lack by how numbers are stored


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """Number of memories that a viewer sees, in all and by state."""

    total: int = 0  # neither archived nor superseded
    active: int = 0  # used or written within the last 30 days
    needs_review: int = 0
    stale: int = 0
    disputed: int = 0
    contradictions: int = 0  # open, between memories that the viewer sees
    verified: int = 0
    pinned: int = 0
    used: int = 0  # served at least once
    unsure: int = 0  # stored confidence under one half
    superseded: int = 0
    archived: int = 0


@dataclass(frozen=True, slots=True)
class ModuleCount:
    """Number of memories about one module, and how many of them were verified."""

    module: str
    memories: int
    verified: int


@dataclass(frozen=True, slots=True)
class DayCount:
    """Activity on one day: memories written, queries of the viewer."""

    day: date
    written: int
    asked: int


@dataclass(frozen=True, slots=True)
class Activity:
    """The last change of a memory."""

    memory: Memory
    change: HistoryEntry


@dataclass(frozen=True, slots=True)
class HealthPart:
    """One part of the health score: its points, and why."""

    name: str
    points: float
    most: float
    share: float


@dataclass(frozen=True, slots=True)
class Overview:
    """A space as its viewer sees it now."""

    counts: MemoryCounts
    by_type: Mapping[str, int] = field(default_factory=dict)
    modules: tuple[ModuleCount, ...] = ()
    days: tuple[DayCount, ...] = ()
    activity: tuple[Activity, ...] = ()
    events: int = 0
    streams: int = 0
    #: Seconds after which newer counts are made; 0 when these are current.
    again_in: float = 0.0

    @property
    def health(self) -> tuple[HealthPart, ...]:
        """The parts of the health score; an empty space scores zero."""
        return health_parts(self.counts)

    @property
    def score(self) -> int:
        """Health from 0 to 100; 100 only when no part lacks anything."""
        return floor(sum(part.points for part in self.health) + _ROUNDING)


def health_parts(counts: MemoryCounts) -> tuple[HealthPart, ...]:
    """Six parts and their points: used, confident, up to date, reviewed, undisputed, consistent.

    A memory that is unused, doubtful or unreviewed lowers its part in proportion. Each open
    contradiction costs a point, however many memories there are: somebody has to decide it.
    """
    if not counts.total:
        return ()
    total = counts.total
    shares = (
        ("active", 20.0, counts.active / total),
        ("sure", 20.0, 1 - counts.unsure / total),
        ("fresh", 20.0, 1 - counts.stale / total),
        ("reviewed", 15.0, 1 - counts.needs_review / total),
        ("undisputed", 10.0, 1 - counts.disputed / total),
        ("consistent", 15.0, 1 - counts.contradictions / 15.0),
    )
    return tuple(
        HealthPart(name, most * _bounded(share), most, _bounded(share))
        for name, most, share in shares
    )


def _bounded(share: float) -> float:
    return min(1.0, max(0.0, share))
