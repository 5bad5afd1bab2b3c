"""The places of one collection of one space, in memory, for both legs of search.

It only appends and strikes out, following the space's clock, so what another process wrote is here
at the next look. It can be thrown away at any time and read again.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from recollect.storage.schema import place_changes, places

_ALWAYS: Final = 2**62
_BATCH: Final = 20_000

#: How many ticks back the store tells what was struck out; who is further behind reads anew.
CHANGES_KEPT: Final = 1_000_000

Mask = NDArray[np.bool_]


class PlaceTable:
    """Arrays side by side, one row a slot, in the order of slots."""

    def __init__(self, space_id: str, collection: str) -> None:
        self.space_id = space_id
        self.collection = collection
        self.count = 0
        self.clock = 0
        self.late: dict[str, list[int]] = {}
        self._codes_of: dict[int, int] = {}
        self._slots = np.empty(0, np.int64)
        self._codes = np.empty(0, np.int32)
        self._lengths = np.empty(0, np.int32)
        self._valid = np.empty((0, 2), np.int64)
        self._alive = np.empty(0, np.bool_)
        self._timed = False
        self._statistics: tuple[int, int, float] | None = None

    @property
    def slots(self) -> NDArray[np.int64]:
        """The slot of each row, ascending."""
        return self._slots[: self.count]

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many tokens stand at each row."""
        return self._lengths[: self.count]

    @property
    def high(self) -> int:
        """The last slot that was read."""
        return int(self._slots[self.count - 1]) if self.count else 0

    @property
    def wasteful(self) -> bool:
        """Whether most rows are struck out, so that reading anew is better than going on."""
        return self.count > 1_000 and self.statistics()[0] * 2 < self.count

    def statistics(self) -> tuple[int, float]:
        """How many live rows there are, and their average length."""
        if self._statistics is None or self._statistics[0] != self.clock:
            alive = self._alive[: self.count]
            live = int(alive.sum())
            total = float(self.lengths[alive].sum()) if live else 0.0
            self._statistics = (self.clock, live, total / live if live else 1.0)
        return self._statistics[1], max(self._statistics[2], 1.0)

    def follow(self, connection: Connection, clock: int) -> None:
        """Read what was written since the last look, up to the clock of this moment."""
        while rows := self._read(connection):
            self._append(rows)
            if len(rows) < _BATCH:
                break
        self._strike(connection)
        self.clock = clock

    def rows_at(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of those of the slots that are here, in the order given."""
        if not self.count:
            return np.empty(0, np.int64)
        rows = np.searchsorted(self.slots, slots)
        rows = rows[rows < self.count] if rows.size and rows.max() >= self.count else rows
        return rows[np.isin(self.slots[rows], slots)]

    def allowed(
        self, audience_ids: Sequence[int], moment: int, slots: NDArray[np.int64] | None
    ) -> Mask:
        """The rows that may be ranked: alive, of these audiences, valid then, and let through."""
        wanted = np.zeros(len(self._codes_of) + 1, np.bool_)
        for audience in audience_ids:
            code = self._codes_of.get(audience)
            if code is not None:
                wanted[code] = True
        mask = self._alive[: self.count] & wanted[self._codes[: self.count]]
        if self._timed:
            valid = self._valid[: self.count]
            mask &= (valid[:, 0] <= moment) & (moment < valid[:, 1])
        if slots is not None:
            through = np.zeros(self.count, np.bool_)
            through[self.rows_at(slots)] = True
            mask &= through
        return mask

    def _read(self, connection: Connection) -> list[tuple[int, int, int, int, int]]:
        result = connection.execute(
            select(
                places.c.slot,
                places.c.audience_id,
                places.c.length,
                func.coalesce(places.c.valid_from, -_ALWAYS),
                func.coalesce(places.c.valid_to, _ALWAYS),
            )
            .where(
                places.c.space_id == self.space_id,
                places.c.slot > self.high,
                places.c.collection == self.collection,
            )
            .order_by(places.c.slot)
            .limit(_BATCH)
        )
        return [tuple(row) for row in result]

    def _append(self, rows: list[tuple[int, int, int, int, int]]) -> None:
        start, end = self.count, self.count + len(rows)
        self._reserve(end)
        slots, audience_ids, lengths, valid_from, valid_to = zip(*rows, strict=True)
        self._slots[start:end] = slots
        self._codes[start:end] = [
            self._codes_of.setdefault(audience, len(self._codes_of)) for audience in audience_ids
        ]
        self._lengths[start:end] = lengths
        self._valid[start:end, 0] = valid_from
        self._valid[start:end, 1] = valid_to
        self._alive[start:end] = True
        self._timed = self._timed or any(value != _ALWAYS for value in valid_to)
        self._timed = self._timed or any(value != -_ALWAYS for value in valid_from)
        self.count = end

    def _strike(self, connection: Connection) -> None:
        """Strike out what was retired, and note what got a vector late."""
        if not self.clock:
            return
        changed = connection.execute(
            select(place_changes.c.slot, place_changes.c.model_id).where(
                place_changes.c.space_id == self.space_id,
                place_changes.c.version > self.clock,
                place_changes.c.collection == self.collection,
            )
        ).all()
        retired = [slot for slot, model in changed if model is None]
        if retired:
            self._alive[self.rows_at(np.array(sorted(retired), np.int64))] = False
        for slot, model in changed:
            if model is not None:
                self.late.setdefault(model, []).append(slot)

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
