"""Vector ranking: a flat scan of 8-bit codes, then exact scores for the few that lead.

Codes are made from the stored vectors, one scale a row; only rows that the mask lets through can
lead, so a filter never costs a result. Vectors of different models never meet: an index belongs to
one model. It follows the place table and can be thrown away at any time.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, Connection, Text, bindparam, select

from recollect.storage.place_table import Mask, PlaceTable
from recollect.storage.prepared import Prepared
from recollect.storage.ranking import highest
from recollect.storage.schema import vectors

_BATCH: Final = 4_000
_LEADERS: Final = 50
_FEW: Final = 0.2

Vector = NDArray[np.float32]


_EXACT: Final = Prepared(
    select(vectors.c.slot, vectors.c.data).where(
        vectors.c.space_id == bindparam("space", type_=Text),
        vectors.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
        vectors.c.model_id == bindparam("model", type_=Text),
    )
)


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model whose vectors an index holds; ``scanned`` of its dimensions make the codes."""

    id: str
    dims: int
    scanned: int


class VectorIndex:
    """The codes of one model over one place table."""

    def __init__(self, model: VectorModel, table: PlaceTable) -> None:
        self._model = model
        self._table = table
        self._count = 0
        self._high = 0
        self._codes = np.empty((0, model.scanned), np.int8)
        self._scales = np.empty(0, np.float32)
        self._rows = np.empty(0, np.int32)

    @property
    def nbytes(self) -> int:
        """What the codes and their scales take in memory."""
        return self._codes.nbytes + self._scales.nbytes + self._rows.nbytes

    def follow(self, connection: Connection) -> None:
        """Take in the vectors of slots that the table has and this has not."""
        late = self._table.late.pop(self._model.id, [])
        if late:
            self._append(connection, vectors.c.slot.in_([s for s in late if s <= self._high]))
        while self._append(connection, vectors.c.slot > self._high) == _BATCH:
            pass

    def snapshot(self) -> "Codes":
        """The codes as they are now; searching it needs no lock while this index goes on."""
        count = self._count
        rows = self._rows[:count]
        return Codes(
            self._model,
            self._table.space_id,
            self._codes[:count],
            self._scales[:count],
            rows,
            self._table.slots,
        )

    def _append(self, connection: Connection, which: object) -> int:
        rows = connection.execute(
            select(vectors.c.slot, vectors.c.data)
            .where(
                vectors.c.space_id == self._table.space_id,
                vectors.c.model_id == self._model.id,
                vectors.c.collection == self._table.collection,
                vectors.c.dims == self._model.dims,
                vectors.c.slot <= self._table.high,
                which,  # type: ignore[arg-type]
            )
            .order_by(vectors.c.slot)
            .limit(_BATCH)
        ).all()
        if not rows:
            return 0
        slots = np.array([slot for slot, _ in rows], np.int64)
        places = np.searchsorted(self._table.slots, slots)
        exact = _unpack([data for _, data in rows], self._model.dims)
        codes, scales = _quantise(exact[:, : self._model.scanned])
        self._reserve(self._count + len(rows))
        span = slice(self._count, self._count + len(rows))
        self._codes[span], self._scales[span], self._rows[span] = codes, scales, places
        self._count += len(rows)
        self._high = max(self._high, int(slots[-1]))
        return len(rows)

    def _reserve(self, needed: int) -> None:
        capacity = len(self._scales)
        if needed <= capacity:
            return
        room = max(needed, capacity + capacity // 8, min(self._table.count, needed * 64))
        for name in ("_codes", "_scales", "_rows"):
            old = getattr(self, name)
            new = np.zeros((room, *old.shape[1:]), old.dtype)
            new[: self._count] = old[: self._count]
            setattr(self, name, new)


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one moment, to be searched."""

    model: VectorModel
    space_id: str
    codes: NDArray[np.int8]
    scales: Vector
    rows: NDArray[np.int32]
    slots: NDArray[np.int64]

    def search(
        self, connection: Connection, query: Vector, mask: Mask, limit: int
    ) -> list[tuple[int, float]]:
        """The nearest rows that the mask lets through: slot and exact cosine."""
        if not len(self.rows) or not np.any(query):
            return []
        leaders = self._lead(query, mask, max(limit * 3, _LEADERS))
        return self._rescored(connection, query, self.slots[self.rows[leaders]], limit)

    def _lead(self, query: Vector, mask: Mask, limit: int) -> NDArray[np.int64]:
        """The rows of the codes that score highest, roughly."""
        import simsimd

        open_rows = mask[self.rows]
        few = np.flatnonzero(open_rows) if open_rows.mean() < _FEW else None
        codes = self.codes if few is None else self.codes[few]
        scales = self.scales if few is None else self.scales[few]
        if not len(codes):
            return np.empty(0, np.int64)
        coded, _ = _quantise(query[None, : self.model.scanned])
        scores = np.asarray(simsimd.cdist(coded, codes, metric="dot"))[0].astype(np.float32)
        scores *= scales
        if few is None:
            scores[~open_rows] = -np.inf
        best = highest(scores, limit)
        best = best[np.isfinite(scores[best])]
        chosen: NDArray[np.int64] = best if few is None else few[best]
        return chosen

    def _rescored(
        self, connection: Connection, query: Vector, slots: NDArray[np.int64], limit: int
    ) -> list[tuple[int, float]]:
        """Exact cosines of a few slots, best first."""
        rows = _EXACT.rows(
            connection, space=self.space_id, model=self.model.id, slots=slots.tolist()
        )
        if not rows:
            return []
        exact = _unpack([data for _, data in rows], self.model.dims)
        scores = exact @ query / np.maximum(np.linalg.norm(exact, axis=1), 1e-12)
        found = [(int(row[0]), float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]


def pack(vector: Vector) -> bytes:
    """A vector as it is stored: half precision, which changes a cosine by less than 0.001."""
    return vector.astype("<f2").tobytes()


def _unpack(data: list[bytes], dims: int) -> Vector:
    return np.frombuffer(b"".join(data), "<f2").reshape(-1, dims).astype(np.float32)


def _quantise(exact: Vector) -> tuple[NDArray[np.int8], Vector]:
    """Codes of 8 bits and the scale that gives each row back."""
    largest = np.maximum(np.abs(exact).max(axis=1), 1e-12)
    codes = np.rint(exact * (127 / largest)[:, None]).astype(np.int8)
    return codes, (largest / 127).astype(np.float32)
