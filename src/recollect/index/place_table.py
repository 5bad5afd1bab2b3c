"""In-memory table of the places of one collection of one space, for keyword and vector search.

It only appends and retires rows, following the space's clock, so writes of other processes are
included at the next look-up. It can be discarded and read again at any time. ``highest`` selects
the rows with the best scores without sorting all.
"""

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.storage.access.visibility_filter import read_shared_rows
from recollect.storage.database import Transaction
from recollect.storage.search.places import (
    ALWAYS,
    PLACES_READ,
    changes_since,
    places_after,
)

_MASKS: Final = 16
_FEW_ROWS: Final = 8
_LEAST_DEPTH: Final = 4
_BLOCK: Final = 131_072
#: About so many scores tell how high the leading ones are; the fewest of them that must be as high.
_SAMPLE: Final = 4_096
_LEAST_SAMPLE: Final = 16

#: Number of ticks for which the store keeps change notes; a reader further behind reloads.
CHANGES_KEPT: Final = 1_000_000

Mask = NDArray[np.bool_]
Audiences = frozenset[int]


class PlaceTable:
    """Parallel arrays, one row per slot, in slot order."""

    def __init__(self, space_id: str, collection: str) -> None:
        self.space_id = space_id
        self.collection = collection
        self.count = 0
        self.clock = 0
        self.retirements = 0
        self.last_retirement = 0
        self.late_vectors: dict[str, set[int]] = {}
        self._codes_of: dict[int, int] = {}
        self._slots = np.empty(0, np.int64)
        self._codes = np.empty(0, np.int32)
        self._lengths = np.empty(0, np.int32)
        self._valid = np.empty((0, 2), np.int64)
        self._alive = np.empty(0, np.bool_)
        self._timed = False
        self._statistics: tuple[int, int, float] | None = None
        #: The first slot of each run of slots; how far the slots of a run are ahead of their rows,
        #: after a zero for slots before the first run; and the number of rows covered.
        self._run_slots = np.empty(0, np.int64)
        self._run_lags = np.zeros(1, np.int64)
        self._run_rows = 0
        self._masks: dict[Audiences, Mask] = {}

    @property
    def slots(self) -> NDArray[np.int64]:
        """The slot of each row, ascending."""
        return self._slots[: self.count]

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Number of tokens of each row."""
        return self._lengths[: self.count]

    @property
    def high(self) -> int:
        """The last slot that was read."""
        return int(self._slots[self.count - 1]) if self.count else 0

    def before(self, clock: int) -> int:
        """Number of rows that a reader at this clock sees: slots are ticks of the clock."""
        return int(np.searchsorted(self.slots, clock, side="right"))

    @property
    def should_reload(self) -> bool:
        """Whether most rows are retired, so that reloading is better than continuing."""
        return self.count > 1_000 and self._live() * 2 < self.count

    def statistics(self) -> tuple[int, float]:
        """Number of live rows, and their average length."""
        if self._statistics is None or self._statistics[0] != self.clock:
            live = self._live()
            lengths = self.lengths
            if live < self.count:
                lengths = lengths[self._alive[: self.count]]
            total = float(lengths.sum())
            self._statistics = (self.clock, live, total / live if live else 1.0)
        return self._statistics[1], max(self._statistics[2], 1.0)

    def follow(self, connection: Transaction, clock: int) -> None:
        """Read what was written since the last call, up to the current clock."""
        self._masks.clear()
        while rows := self._read(connection):
            self._append(rows)
            if len(rows) < PLACES_READ:
                break
        if not self.clock or self._apply_retired(connection):
            self.retirements += 1
            self.last_retirement = clock
        self.clock = clock

    def find(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.int64], Mask]:
        """The rows of those of the slots that exist, and which of the slots those are."""
        if not self.count:
            return np.empty(0, np.int64), np.zeros(len(slots), np.bool_)
        if self._run_rows < self.count:
            self._extend_runs()
        run = self._run_slots.searchsorted(slots, side="right")
        rows = np.minimum(slots - self._run_lags.take(run), self.count - 1)
        here = self.slots.take(rows, mode="clip") == slots
        return (rows, here) if here.all() else (rows[here], here)

    def _extend_runs(self) -> None:
        """Note where a run of rows begins whose slots follow each other, up to the last row: there
        are few of them, so a slot is found sooner among these than among all.
        """
        known, self._run_rows = self._run_rows, self.count
        last = self._slots[known - 1] if known else -ALWAYS
        fresh = self._slots[known : self.count]
        starts = np.flatnonzero(np.diff(fresh, prepend=last) != 1)
        if len(starts):
            firsts = fresh[starts]
            self._run_slots = np.append(self._run_slots, firsts)
            self._run_lags = np.append(self._run_lags, firsts - starts - known)

    def alive(self, rows: NDArray[np.int64]) -> Mask:
        """Which of the rows are not retired."""
        return self._alive[rows]

    def allowed(
        self, audiences: Audiences, moment: int | None, slots: NDArray[np.int64] | None
    ) -> Mask:
        """The rows that may be ranked: live, of these audiences, within ``slots``, and valid then.

        Without a moment, validity is not checked.
        """
        mask = self._seen_by(audiences)
        if self._timed and moment is not None:
            valid = self._valid[: self.count]
            mask = mask & (valid[:, 0] <= moment) & (moment < valid[:, 1])
        if slots is not None:
            through = np.zeros(self.count, np.bool_)
            through[self.find(slots)[0]] = True
            mask = mask & through
        return mask

    def _live(self) -> int:
        return int(np.count_nonzero(self._alive[: self.count]))

    def _seen_by(self, audiences: Audiences) -> Mask:
        """The live rows of these audiences. Cached until the next change, so it must not be
        modified.
        """
        mask = self._masks.get(audiences)
        if mask is None:
            if len(self._masks) >= _MASKS:
                self._masks.clear()
            wanted = np.zeros(len(self._codes_of) + 1, np.bool_)
            wanted[[self._codes_of.get(audience, -1) for audience in audiences]] = True
            wanted[-1] = False
            mask = self._alive[: self.count] & wanted.take(self._codes[: self.count])
            self._masks[audiences] = mask
        return mask

    def _read(self, connection: Transaction) -> list[tuple[Any, ...]]:
        read_shared_rows(connection)
        return places_after(connection, self.space_id, self.collection, self.high)

    def _append(self, found: list[tuple[Any, ...]]) -> None:
        start, end = self.count, self.count + len(found)
        self._reserve(end)
        if len(found) <= _FEW_ROWS:
            self._append_few(found)
            return
        rows = np.array(found, np.int64).reshape(-1, 5)
        distinct, which = np.unique(rows[:, 1], return_inverse=True)
        codes = [self._codes_of.setdefault(int(one), len(self._codes_of)) for one in distinct]
        self._slots[start:end] = rows[:, 0]
        self._codes[start:end] = np.array(codes, np.int32)[which]
        self._lengths[start:end] = rows[:, 2]
        self._valid[start:end] = rows[:, 3:]
        self._alive[start:end] = True
        self._timed = self._timed or bool((rows[:, 3:] != (-ALWAYS, ALWAYS)).any())
        self.count = end

    def _append_few(self, found: list[tuple[Any, ...]]) -> None:
        """Append a few rows one by one, without the cost of building arrays."""
        for row, (slot, audience, length, begins, ends) in enumerate(found, self.count):
            self._slots[row] = slot
            self._codes[row] = self._codes_of.setdefault(audience, len(self._codes_of))
            self._lengths[row] = length
            self._valid[row] = begins, ends
            self._alive[row] = True
            self._timed = self._timed or (begins, ends) != (-ALWAYS, ALWAYS)
        self.count += len(found)

    def _apply_retired(self, connection: Transaction) -> bool:
        """Mark retired rows, if there are any; and note slots that got a vector late."""
        read_shared_rows(connection)
        changed = changes_since(connection, self.space_id, self.collection, self.clock)
        retired = [slot for slot, model in changed if model is None]
        if retired:
            self._alive[self.find(np.array(retired, np.int64))[0]] = False
        for slot, model in changed:
            if model is not None:
                self.late_vectors.setdefault(model, set()).add(slot)
        return bool(retired)

    def _reserve(self, needed: int) -> None:
        capacity = len(self._slots)
        if needed <= capacity:
            return
        room = max(needed, capacity + capacity // 4)
        for name in ("_slots", "_codes", "_lengths", "_valid", "_alive"):
            old = getattr(self, name)
            new = np.zeros((room, *old.shape[1:]), old.dtype)
            new[: self.count] = old[: self.count]
            setattr(self, name, new)


def blocks(count: int) -> Iterator[slice]:
    """Splits a number of rows into blocks so small that a few arrays of them fit into the cache of
    a processor: several operations on each block take less time than one after the other on all
    rows.
    """
    return (slice(start, start + _BLOCK) for start in range(0, count, _BLOCK))


def highest(scores: NDArray[np.float32], limit: int, *, above: float) -> NDArray[np.int64]:
    """Positions of the highest scores above a threshold, best first; ties go to the earlier
    position.

    The scores are arranged in rows; the maximum of each column says which columns can contain a
    winner, and only those are examined: with as many columns as scores in those columns, fewest.
    """
    if limit <= 0:
        return np.empty(0, np.int64)
    depth = math.isqrt(len(scores) // limit)
    if depth < _LEAST_DEPTH:
        return _sorted(scores, np.arange(len(scores)), limit, above)
    width = len(scores) // depth
    layered = width * depth
    columns = leading(scores[:layered].reshape(depth, width).max(axis=0), limit, above=above)
    inside = (np.arange(0, layered, width)[:, None] + columns).ravel()
    positions = np.concatenate([inside, np.arange(layered, len(scores))])
    return _sorted(scores, positions, limit, above)


def _sorted(
    scores: NDArray[np.float32], positions: NDArray[np.int64], limit: int, above: float
) -> NDArray[np.int64]:
    """The best of these positions, which are ascending."""
    found = scores[positions]
    kept = leading(found, limit, above=above)
    best: NDArray[np.int64] = positions[kept[(-found[kept]).argsort(kind="stable")[:limit]]]
    return best


def leading(scores: NDArray[np.float32], limit: int, *, above: float) -> NDArray[np.int64]:
    """Positions above the threshold that score no less than the k-th highest, ascending.

    Of many scores, a sample tells about where the k-th highest is: most are below that and need no
    closer look.
    """
    over = None
    if len(scores) >= 4 * _SAMPLE:
        sample = scores[:: len(scores) // _SAMPLE]
        expected = limit * len(sample) // len(scores)
        guess = _last_of_highest(sample, expected + expected // 4 + _LEAST_SAMPLE)
        if guess > above:
            over = (scores >= guess).nonzero()[0]
    if over is None or len(over) < limit:
        over = (scores > above).nonzero()[0]
    if len(over) <= limit:
        return over
    found = scores.take(over)
    return over.take((found >= _last_of_highest(found, limit)).nonzero()[0])


def _last_of_highest(scores: NDArray[np.float32], limit: int) -> np.float32:
    """The k-th highest score; the lowest where there are not so many."""
    place = max(0, len(scores) - limit)
    return np.float32(np.partition(scores, place)[place])
