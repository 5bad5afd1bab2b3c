"""Neighbours of each event in a place table: author, time, previous and next event, session.

Rows are linked in the order of their stream; a pause longer than ``PAUSE`` begins a new session,
and no link leads from one session into another. It follows the place table, contains only what the
readers so far were allowed to read, and can be discarded at any time: the links are the same
whether rows came one by one or all at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.index.outcome_marks import marks_of
from recollect.index.place_table import Mask, PlaceTable
from recollect.storage.database import Transaction
from recollect.storage.search.places import EVENTS_READ, Row, events_between, events_by_stream
from recollect.storage.search.sessions import PAUSE

NOBODY: Final = -1
_ONE_BY_ONE: Final = 500
_GIVEN: Final = 16

Rows = NDArray[np.int64]
Links = NDArray[np.int32]
T = TypeVar("T")
V = TypeVar("V", bound=np.generic)


@dataclass(frozen=True, slots=True)
class RowNeighbours:
    """Snapshot of the neighbours; a row without one has ``NOBODY``.

    Session 0 contains rows of no session. ``derived`` caches what readers compute from the snapshot
    and the next one would compute again.
    """

    names: Sequence[str]
    authors: NDArray[np.int32]
    moments: NDArray[np.int64]
    asks: Mask
    #: Outcome marker of a row, and the slot that it replies to; 0 for neither.
    outcomes: NDArray[np.uint8]
    replies: NDArray[np.int64]
    previous: Links
    following: Links
    sessions: NDArray[np.int32]
    session_count: int
    derived: dict[str, tuple[Mask, Any]] = field(default_factory=dict, compare=False)

    def of_previous(self, values: NDArray[V]) -> NDArray[V]:
        """For each row the value of the row before it, or zero."""
        found = np.empty_like(values)
        found[:1], found[1:] = 0, values[:-1]
        rows, links = self.once("far before", self.asks, lambda: _far(self.previous, -1))
        found[rows] = _linked(values, links)
        return found

    def of_following(self, values: NDArray[V]) -> NDArray[V]:
        """For each row the value of the row after it, or zero."""
        found = np.empty_like(values)
        found[-1:], found[:-1] = 0, values[1:]
        rows, links = self.once("far after", self.asks, lambda: _far(self.following, 1))
        found[rows] = _linked(values, links)
        return found

    def of_sessions(self, values: NDArray[V]) -> NDArray[V]:
        """For each row the value of its session."""
        runs, lengths = self.once("session runs", self.asks, self._session_runs)
        return values.take(runs).repeat(lengths)

    def _session_runs(self) -> tuple[Rows, Rows]:
        """The session of each run of rows of one session, and how many rows it has: rows of a
        session mostly stand together.
        """
        begins = np.ones(len(self.sessions), np.bool_)
        begins[1:] = self.sessions[1:] != self.sessions[:-1]
        starts = begins.nonzero()[0]
        return self.sessions.take(starts).astype(np.int64), np.diff(starts, append=len(begins))

    def once(self, name: str, seen: Mask, work: Callable[[], T]) -> T:
        """A value derived from the neighbours and the visible rows, computed once."""
        known = self.derived.get(name)
        if known is None or known[0] is not seen:
            known = self.derived[name] = seen, work()
        found: T = known[1]
        return found


def _far(links: Links, step: int) -> tuple[Rows, Rows]:
    """The rows that are not linked to the one just beside them, where most are, and their links."""
    rows = (links - np.arange(step, len(links) + step)).nonzero()[0]
    return rows, links.take(rows).astype(np.int64)


def _linked(values: NDArray[V], links: Rows) -> NDArray[V]:
    """The values at the end of links, zero where there is none."""
    found = values.take(links)
    found[links == NOBODY] = 0
    return found


class Surroundings:
    """Arrays parallel to those of a place table of events."""

    def __init__(self, table: PlaceTable) -> None:
        self._table = table
        self._names: list[str] = []
        self._author_codes: dict[str, int] = {}
        self._stream_codes: dict[str, int] = {}
        self._last: dict[int, int] = {}
        self._retirements = 0
        self._session_count = 1
        self._shown = 0  # rows below this are in use by readers: their links are not overwritten
        self._given: dict[int, tuple[Mask, RowNeighbours]] = {}
        self._known = np.zeros(0, np.bool_)
        self._authors = np.zeros(0, np.int32)
        self._streams = np.zeros(0, np.int32)
        self._moments = np.zeros(0, np.int64)
        self._asks = np.zeros(0, np.bool_)
        self._outcomes = np.zeros(0, np.uint8)
        self._replies = np.zeros(0, np.int64)
        self._previous = np.zeros(0, np.int32)
        self._following = np.zeros(0, np.int32)
        self._sessions = np.zeros(0, np.int32)

    def follow(self, connection: Transaction, seen: Mask) -> RowNeighbours:
        """Add visible rows that are not known yet, and return a snapshot of all."""
        known = self._given.get(id(seen))
        if known is not None and known[0] is seen:
            return known[1]
        self._reserve(self._table.count)
        wanted = np.flatnonzero(seen & ~self._known[: len(seen)])
        fresh = self._read(connection, wanted, seen) if len(wanted) else wanted
        within = len(fresh) > 0 and int(fresh.min()) < self._shown
        if within or self._table.retirements != self._retirements:
            self._retirements = self._table.retirements
            self._sort()
        elif len(fresh):
            self._link(fresh)
        return self._visible_snapshot(seen, wanted)

    def _visible_snapshot(self, seen: Mask, wanted: Rows) -> RowNeighbours:
        """A snapshot, cached as long as the same rows are visible: a change makes another mask.

        A reader that could not read all it sees has an older view; its snapshot is not shared.
        """
        beside = self._snapshot()
        self._shown = self._table.count
        if self._known[wanted].all():
            if len(self._given) >= _GIVEN:
                self._given.clear()
            self._given[id(seen)] = seen, beside
        return beside

    def _snapshot(self) -> RowNeighbours:
        count = self._table.count
        following = self._following[:count]
        return RowNeighbours(
            self._names,
            self._authors[:count],
            self._moments[:count],
            self._asks[:count],
            self._outcomes[:count],
            self._replies[:count],
            self._previous[:count],
            np.where(following < count, following, NOBODY),
            self._sessions[:count],
            self._session_count,
        )

    def _read(self, connection: Transaction, wanted: Rows, seen: Mask) -> Rows:
        """The wanted rows that this reader could read; rows between that may not be seen link
        nothing, whatever the store returns of them.
        """
        most = len(wanted) > max(_ONE_BY_ONE, self._table.count // 2)
        parts = self._by_stream(connection) if most else self._by_slot(connection, wanted)
        fresh = [self._store_visible(found, seen) for found in parts]
        return np.concatenate(fresh) if fresh else np.empty(0, np.int64)

    def _by_slot(self, connection: Transaction, wanted: Rows) -> Iterator[list[Row]]:
        """The events from the first wanted row to the last, in order of their slots."""
        slots = self._table.slots
        after, high = int(slots[wanted[0]]) - 1, int(slots[wanted[-1]])
        while found := events_between(connection, self._table.space_id, after, high):
            yield found
            if len(found) < EVENTS_READ:
                return
            after = int(found[-1][0])

    def _by_stream(self, connection: Transaction) -> Iterator[list[Row]]:
        """All events of the space, stream by stream."""
        after = "", 0, 0
        while found := events_by_stream(connection, self._table.space_id, after):
            yield found
            if len(found) < EVENTS_READ:
                return
            _, _, stream, moment, *_, arrival = found[-1]
            after = stream, moment, arrival

    def _store_visible(self, found: list[Row], seen: Mask) -> Rows:
        """Write the visible rows into the arrays; those that were not known before."""
        rows, here = self._table.find(np.array([row[0] for row in found], np.int64))
        shown = rows < len(seen)
        shown[shown] = seen[rows[shown]]
        here[here], rows = shown, rows[shown]
        kept = [row for row, one in zip(found, here.tolist(), strict=True) if one]
        fresh = rows[~self._known[rows]]
        self._authors[rows] = [self._author(row[1]) for row in kept]
        self._streams[rows] = [
            self._stream_codes.setdefault(row[2], len(self._stream_codes)) for row in kept
        ]
        self._moments[rows] = [int(row[3]) for row in kept]
        self._asks[rows] = [bool(row[4]) for row in kept]
        self._outcomes[rows] = [marks_of(row[5]) for row in kept]
        self._replies[rows] = [row[6] or 0 for row in kept]
        self._known[rows] = True
        return fresh

    def _author(self, name: str) -> int:
        code = self._author_codes.get(name)
        if code is None:
            code = self._author_codes[name] = len(self._names)
            self._names.append(name)
        return code

    def _link(self, fresh: Rows) -> None:
        """Link new rows after the last of their streams, or sort everything if they are older."""
        if len(fresh) > _ONE_BY_ONE:
            self._sort()
            return
        for row in fresh.tolist():
            stream, moment = int(self._streams[row]), int(self._moments[row])
            last = self._last.get(stream)
            if last is None:
                self._begin_session(row)
            elif (moment, row) < (int(self._moments[last]), last):
                self._sort()
                return
            else:
                self._follow_on(row, last)
            self._last[stream] = row

    def _follow_on(self, row: int, last: int) -> None:
        if int(self._moments[row]) - int(self._moments[last]) > PAUSE:
            self._begin_session(row)
            return
        self._previous[row], self._following[last] = last, row
        self._sessions[row] = self._sessions[last]

    def _begin_session(self, row: int) -> None:
        self._sessions[row] = self._session_count
        self._session_count += 1

    def _sort(self) -> None:
        """Link all rows again, into arrays that nobody reads yet."""
        room, count = len(self._known), self._table.count
        alive = self._table.alive(np.arange(count))
        rows = np.flatnonzero(self._known[:count] & alive)
        streams, moments = self._streams[rows], self._moments[rows]
        order = np.lexsort((rows, moments, streams))
        rows, streams, moments = rows[order], streams[order], moments[order]
        same = streams[1:] == streams[:-1]
        joined = same & (np.diff(moments) <= PAUSE)
        self._previous = np.full(room, NOBODY, np.int32)
        self._following = np.full(room, NOBODY, np.int32)
        self._sessions = np.zeros(room, np.int32)
        self._previous[rows[1:][joined]] = rows[:-1][joined]
        self._following[rows[:-1][joined]] = rows[1:][joined]
        self._sessions[rows] = 1 + np.concatenate([[0], np.cumsum(~joined)])[: len(rows)]
        self._session_count = int(self._sessions.max(initial=0)) + 1
        ends = np.append(~same, True)[: len(rows)]
        self._last = dict(zip(streams[ends].tolist(), rows[ends].tolist(), strict=True))

    def _reserve(self, needed: int) -> None:
        capacity = len(self._known)
        if needed <= capacity:
            return
        room = max(needed, capacity + capacity // 4)
        for name in (
            *("_known", "_authors", "_streams", "_moments"),
            *("_asks", "_outcomes", "_replies", "_sessions"),
        ):
            self._grow(name, room, 0)
        for name in ("_previous", "_following"):
            self._grow(name, room, NOBODY)

    def _grow(self, name: str, room: int, fill: int) -> None:
        old = getattr(self, name)
        new = np.full(room, fill, old.dtype)
        new[: len(old)] = old
        setattr(self, name, new)
