"""Keyword ranking by BM25 over the places of one collection of one space.

The store's full text holds the postings; the ones that questions use are kept in memory as arrays,
so a frequent word costs an addition and not a walk. What was written since they were read stands in
a small tail beside them. Frequencies are the space's own: what others wrote does not show in a
score.
"""

from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.place_table import Mask, PlaceTable
from recollect.storage.ranking import highest

K1: Final = 1.2
B: Final = 0.75
_TAIL_LIMIT: Final = 2_000
_POSTINGS_LIMIT: Final = 4_000_000

Rows = NDArray[np.int64]
Weights = NDArray[np.float32]


class KeywordIndex:
    """BM25 over one place table."""

    def __init__(self, dialect: StoreDialect, number: int, table: PlaceTable) -> None:
        self._dialect = dialect
        self._number = number
        self._table = table
        self._covered = 0
        self._tail_high = 0
        self._postings: dict[str, tuple[Rows, Weights]] = {}
        self._held = 0
        self._tail: dict[str, list[tuple[int, int]]] = {}
        self._tail_size = 0

    def follow(self, connection: Connection) -> None:
        """Take in what the table has and this has not."""
        table = self._table
        fresh = table.count - self._covered - self._tail_size
        if self._tail_size + fresh > _TAIL_LIMIT or not self._covered:
            self._covered = table.count
            self._tail_high = table.high
            self._postings.clear()
            self._tail.clear()
            self._held = self._tail_size = 0
        elif fresh:
            self._extend_tail(connection)

    def search(
        self, connection: Connection, terms: list[str], mask: Mask, limit: int
    ) -> list[tuple[int, float]]:
        """The best live rows for the terms that the mask lets through: slot and score."""
        table = self._table
        live, average = table.statistics()
        scores = np.zeros(table.count, np.float32)
        damping = None
        for term in terms:
            rows, counts = self._rows_of(connection, term)
            if not len(rows):
                continue
            if damping is None:
                damping = (K1 * (1 - B) + K1 * B / average * table.lengths).astype(np.float32)
            rarity = np.float32(_rarity(live, len(rows)))
            scores[rows] += rarity * counts * np.float32(K1 + 1) / (counts + damping[rows])
        scores *= mask
        best = highest(scores, limit)
        return [(int(table.slots[row]), float(scores[row])) for row in best if scores[row] > 0]

    def _rows_of(self, connection: Connection, term: str) -> tuple[Rows, Weights]:
        """The rows that hold a term and how often, from the arrays and from the tail."""
        known = self._postings.get(term)
        if known is None:
            known = self._load(connection, term)
        tail = self._tail.get(term)
        if not tail:
            return known
        rows, counts = zip(*tail, strict=True)
        return (
            np.concatenate([known[0], np.array(rows, np.int64)]),
            np.concatenate([known[1], np.array(counts, np.float32)]),
        )

    def _load(self, connection: Connection, term: str) -> tuple[Rows, Weights]:
        slots, counts = self._dialect.postings(
            connection, self._table.collection, self._number, term
        )
        covered = self._table.slots[: self._covered]
        rows = np.searchsorted(covered, slots)
        inside = rows < self._covered
        rows, slots, counts = rows[inside], slots[inside], counts[inside]
        here = covered[rows] == slots
        known = rows[here], counts[here].astype(np.float32)
        if self._held + len(known[0]) > _POSTINGS_LIMIT:
            self._postings.clear()
            self._held = 0
        self._postings[term] = known
        self._held += len(known[0])
        return known

    def _extend_tail(self, connection: Connection) -> None:
        documents = self._dialect.keyword_documents(
            connection, self._table.collection, self._number, self._tail_high
        )
        by_slot = dict(documents)
        start = self._covered + self._tail_size
        for row in range(start, self._table.count):
            slot = int(self._table.slots[row])
            for term, count in Counter(by_slot.get(slot, "").split()).items():
                self._tail.setdefault(term, []).append((row, count))
        self._tail_size = self._table.count - self._covered
        self._tail_high = self._table.high


def _rarity(live: int, holding: int) -> float:
    """How much a term tells; never negative, also where few texts are kept."""
    return float(np.log1p((max(live, holding) - holding + 0.5) / (holding + 0.5)))
