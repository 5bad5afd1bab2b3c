"""Vector ranking: a flat scan of 8-bit codes, then exact scores for the top rows.

A model of many dimensions is scanned by its first 256; the top rows are then scored again by their
whole stored vectors.

Codes are computed from the stored vectors, with one scale per row; only rows within the mask can be
top rows, so a filter never costs a result. Vectors of different models are never compared: an index
belongs to one model. It follows the place table and can be discarded at any time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.place_table import Mask, PlaceTable, highest
from recollect.storage.database import Transaction
from recollect.storage.search.places import (
    VECTORS_READ,
    Row,
    exact_vectors,
    vectors_among,
    vectors_between,
)
from recollect.vocabulary.vectors import VectorModel

#: Number of top rows that are rescored by whole vectors if the codes cover part of the dimensions.
_RESCORED: Final = 200
_SPARSE_SHARE: Final = 0.2

Vector = NDArray[np.float32]


class VectorIndex:
    """The codes of one model over one place table."""

    def __init__(self, model: VectorModel, table: PlaceTable) -> None:
        self._model = model
        self._table = table
        self.clock = 0
        self._count = 0
        self._high = 0
        self._codes = np.empty((0, model.scanned), np.int8)
        self._scales = np.empty(0, np.float32)
        self._rows = np.empty(0, np.int32)
        self._given: Codes | None = None

    @property
    def nbytes(self) -> int:
        """Memory used by the codes and their scales, in bytes."""
        return self._codes.nbytes + self._scales.nbytes + self._rows.nbytes

    def follow(self, connection: Transaction, clock: int) -> None:
        """Add the vectors of slots that are missing here, as the reader sees them.

        The reader's clock may be behind the table's: what it cannot see is left for the next.
        """
        place = self._table.space_id, self._table.collection
        late = self._table.late_vectors.setdefault(self._model.id, set())
        earlier = sorted(slot for slot in late if slot <= self._high)
        for start in range(0, len(earlier), VECTORS_READ):
            late -= self._append(
                vectors_among(connection, place, self._model, earlier[start:][:VECTORS_READ])
            )
        while rows := vectors_between(
            connection, place, self._model, after=self._high, high=self._table.high
        ):
            late -= self._append(rows)
            if len(rows) < VECTORS_READ:
                break
        if clock == self._table.clock:  # whatever comes at these slots from now on is told as late
            late.clear()
            self._high = max(self._high, self._table.high)
        self.clock = clock

    def snapshot(self) -> "Codes":
        """The current codes; searching them needs no lock while this index continues."""
        count, given = self._count, self._given
        if given is None or len(given.rows) != count or len(given.slots) != self._table.count:
            rows = self._rows[:count]
            given = self._given = Codes(
                self._model,
                self._table.space_id,
                self._codes[:count],
                self._scales[:count],
                rows,
                self._table.slots,
                bool((rows[:-1] < rows[1:]).all()),
            )
        return given

    def _append(self, rows: list[Row]) -> set[int]:
        """Append codes of rows in slot order; those slots."""
        if not rows:
            return set()
        slots = np.array([slot for slot, _ in rows], np.int64)
        places, here = self._table.find(slots)
        exact = _unpack([data for _, data in rows], self._model.dims)
        codes, scales = _quantise(exact[here, : self._model.scanned])
        self._reserve(self._count + len(places))
        span = slice(self._count, self._count + len(places))
        self._codes[span], self._scales[span], self._rows[span] = codes, scales, places
        self._count += len(places)
        self._high = max(self._high, int(slots[-1]))
        return set(slots.tolist())

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
    """A snapshot of the codes, to be searched."""

    model: VectorModel
    space_id: str
    codes: NDArray[np.int8]
    scales: Vector
    rows: NDArray[np.int32]
    slots: NDArray[np.int64]
    #: Whether each row comes after the one before: none has come late.
    ascending: bool = True

    @classmethod
    def of_none(cls, model: VectorModel, space_id: str) -> "Codes":
        """Empty codes, for callers that only need exact scores."""
        none = np.empty(0, np.int64)
        return cls(
            model,
            space_id,
            np.empty((0, model.scanned), np.int8),
            none.astype(np.float32),
            none.astype(np.int32),
            none,
        )

    def nearest_approximate(self, query: Vector, mask: Mask, limit: int) -> list[int]:
        """The slots of approximately the nearest rows, best first: from the codes alone, without
        reads.
        """
        if not len(self.rows) or not np.any(query):
            return []
        found: list[int] = self.slots[self.rows[self._best_rows(query, mask, limit)]].tolist()
        return found

    def cosines(self, query: Vector, seen: Mask) -> Vector:
        """Approximate cosine of every visible row; zero where there is no vector."""
        if self._has_every_row(len(seen)) and np.any(query):
            products = _products(query, self.codes, self.scales, self.model.scanned)
            return products if seen.all() else products * seen
        scores = np.zeros(len(seen), np.float32)
        here = self.rows < len(seen)
        here &= seen.take(self.rows, mode="clip")
        sparse = np.count_nonzero(here) <= _SPARSE_SHARE * len(here)
        chosen = np.flatnonzero(here) if sparse else slice(None)
        rows = self.rows[chosen]
        if len(rows) and np.any(query):
            found = _products(query, self.codes[chosen], self.scales[chosen], self.model.scanned)
            if isinstance(chosen, slice):
                rows, found = rows[here], found[here]
            scores[rows] = found
        return scores

    @property
    def of_whole_vectors(self) -> bool:
        """Whether the codes cover all dimensions, not only the first ones."""
        return self.model.scanned == self.model.dims

    def approximate_vectors(self, rows: NDArray[np.int64], count: int) -> Vector:
        """Approximate vectors of some of ``count`` rows, one each; zeros where there is none."""
        places = rows
        if not self._has_every_row(count):
            known = np.full(count, -1, np.int64)
            here = np.flatnonzero(self.rows < count)
            known[self.rows[here]] = here
            places = known[rows]
        found = self.codes.take(places, axis=0).astype(np.float32)
        found *= self.scales.take(places)[:, np.newaxis]
        found[places < 0] = 0
        return found

    def rescored(
        self, connection: Transaction, query: Vector, near: Vector, masks: Sequence[Mask]
    ) -> Vector:
        """Approximate cosines of part of the dimensions, corrected by the whole stored vectors.

        The top rows under each mask get their exact cosine. The others are multiplied by the
        average correction of the top rows of the first mask, so that all are comparable.
        """
        leaders = [highest(near * mask, _RESCORED, above=0.0) for mask in masks]
        rows = np.unique(np.concatenate(leaders))
        cosines, _ = self.exact(connection, query, self.slots[rows].tolist())
        exact = np.array([cosines.get(slot, 0.0) for slot in self.slots[rows].tolist()], np.float32)
        rough = float(near[leaders[0]].sum())
        if rough <= 0:
            return near
        gained = exact[np.isin(rows, leaders[0])].sum() / np.float32(rough)
        corrected: Vector = near * max(np.float32(0), gained)
        corrected[rows] = exact
        return corrected

    def _has_every_row(self, count: int) -> bool:
        """Whether every row has its code, without gaps."""
        rows = self.rows
        return 0 < count == len(rows) and self.ascending and bool(rows[-1] < count)

    def exact(
        self, connection: Transaction, query: Vector, slots: Sequence[int]
    ) -> tuple[dict[int, float], dict[int, Vector]]:
        """The exact cosines of a few slots, and their vectors normalised to length one."""
        return exact_cosines(connection, self.model, self.space_id, query, slots)

    def _best_rows(self, query: Vector, mask: Mask, limit: int) -> NDArray[np.int64]:
        """The rows with the highest approximate scores."""
        open_rows = mask.take(self.rows)
        few = np.count_nonzero(open_rows) < _SPARSE_SHARE * len(open_rows)
        chosen = np.flatnonzero(open_rows) if few else slice(None)
        codes, scales = self.codes[chosen], self.scales[chosen]
        if not len(codes):
            return np.empty(0, np.int64)
        scores = _products(query, codes, scales, self.model.scanned)
        if isinstance(chosen, slice):
            scores[~open_rows] = -np.inf
        best = highest(scores, limit, above=-np.inf)
        return best if isinstance(chosen, slice) else chosen[best]


def exact_cosines(
    connection: Transaction,
    model: VectorModel,
    space_id: str,
    query: Vector,
    slots: Sequence[int],
) -> tuple[dict[int, float], dict[int, Vector]]:
    """The cosines of a few slots by their whole stored vectors, and those vectors normalised."""
    rows = exact_vectors(connection, space_id, model, slots)
    if not rows:
        return {}, {}
    vectors = _unpack([data for _, data in rows], model.dims)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    places = [int(slot) for slot, _ in rows]
    cosines = (vectors @ query).tolist()
    return dict(zip(places, cosines, strict=True)), dict(zip(places, vectors, strict=True))


def pack(vector: Vector) -> bytes:
    """A vector in stored form: half precision, which changes a cosine by less than 0.001."""
    return vector.astype("<f2").tobytes()


def unpack_one(data: bytes | None) -> Vector | None:
    """One stored vector as numbers."""
    return None if data is None else np.frombuffer(data, "<f2").astype(np.float32)


def _unpack(data: list[bytes], dims: int) -> Vector:
    """Stored vectors as numbers, looked up: numpy takes twice as long to convert each."""
    return _halves().take(np.frombuffer(b"".join(data), "<u2")).reshape(-1, dims)


@cache
def _halves() -> Vector:
    """Every number of half precision, at the place that its bits are as a whole number."""
    return np.arange(2**16, dtype="<u2").view("<f2").astype(np.float32)


def _products(query: Vector, codes: NDArray[np.int8], scales: Vector, scanned: int) -> Vector:
    """The products of a query with many codes, rescaled to the original vectors."""
    import simsimd

    coded, scale = _quantise(query[None, :scanned])
    products: Vector = np.asarray(simsimd.cdist(coded, codes, metric="dot", out_dtype="f32"))[0]
    products *= scales
    products *= scale[0]
    return products


def _quantise(exact: Vector) -> tuple[NDArray[np.int8], Vector]:
    """8-bit codes, and the scale of each row."""
    largest = np.maximum(np.maximum(exact.max(axis=1), -exact.min(axis=1)), 1e-12)
    scaled = exact * (127 / largest)[:, None]
    return np.rint(scaled, out=scaled).astype(np.int8), (largest / 127).astype(np.float32)
