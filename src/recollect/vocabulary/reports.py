"""Reports of long operations: import, move to another store, rescue, export."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Report of an import.

    ``skipped`` were left out, ``without_time`` were stored although their time could not be read,
    and ``problems`` names the first of both.
    """

    read: int
    added: int
    already_there: int
    skipped: int
    streams: int
    problems: tuple[str, ...] = ()
    without_time: int = 0
    private: int = 0  # of the streams, those that only the people in them may read
    repaired: int = 0  # items with bytes that are not UTF-8
    repeated_ids: int = 0  # items whose id in the source came before with another time or text
    unknown_replies: int = 0  # items that answer an id that nothing before them has


@dataclass(frozen=True, slots=True)
class PartReport:
    """Comparison of one part of a store with the same part of another."""

    part: str
    source_rows: int
    source_digest: str
    target_rows: int
    target_digest: str
    same: bool


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Report of a move, and how the two stores compare. ``copied`` is what this run copied."""

    parts: tuple[PartReport, ...]
    copied: int
    resumed: bool
    anew: bool
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RescuedTable:
    """One table of a damaged store: readable rows, and lost rows.

    ``exact`` says whether ``lost`` is known; otherwise it is a lower bound. ``lost_ids`` names some
    of the lost rows, as far as one of their indexes is left.
    """

    table: str
    rows: int
    lost: int = 0
    exact: bool = True
    lost_ids: tuple[str, ...] = ()
    #: Whether it is rebuilt from the others, so that nothing is lost with it.
    derived: bool = False

    @property
    def whole(self) -> bool:
        """Whether every row of it can be read, or rebuilt."""
        return self.derived or (self.exact and not self.lost)


@dataclass(frozen=True, slots=True)
class RescueReport:
    """What of a damaged store can be read; and the new store, if a target was named."""

    source: str
    target: str | None
    tables: tuple[RescuedTable, ...]
    #: Rows left out because what they belong to is lost, by table.
    orphans: Mapping[str, int] = field(default_factory=dict)
    #: Replacements for lost rows, in words.
    replaced: tuple[str, ...] = ()
    indexed: int = 0
    #: Whether somebody wrote to the source while it was read.
    changed_meanwhile: bool = False

    @property
    def rows(self) -> int:
        """How many rows can be read."""
        return sum(one.rows for one in self.tables)

    @property
    def whole(self) -> bool:
        """Whether nothing is lost."""
        return not self.orphans and not self.replaced and all(one.whole for one in self.tables)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An item that an export had to leave out: its kind, and its id if known."""

    kind: str
    id: str | None
    problem: str
