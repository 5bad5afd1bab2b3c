"""Keyword ranking: BM25, the one formula, and the index that scores a collection of a space by it.

A term counts by how rare it is among the documents, by how often it occurs in one of them, and less
in a long document. The caller defines what a document is: a row, a row with the turns before it, a
whole session, a file, or a piece of a file. Memories, events, sessions, code and chat entries are
all scored by it.

The store's full text has the postings; those that questions use are cached in memory as arrays, so
a frequent word costs an addition and not a scan. Rows written since they were read are in a small
tail beside them. Frequencies are the space's own: texts of other spaces do not influence a score.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.place_table import Mask, PlaceTable, highest
from recollect.storage.access.visibility_filter import read_shared_rows
from recollect.storage.database import Transaction
from recollect.storage.dialects.protocol import SpaceKey, StoreDialect

Rows = NDArray[np.int64]
Weights = NDArray[np.float32]

#: Saturation of repeated terms (k1), and weight of the document length (b).
K1: Final = 1.2
B: Final = 0.75
LEAST_RARITY_SHARE: Final = 0.01
_RARITIES: Final = 16_384
_TAIL_LIMIT: Final = 2_000
#: Number of bytes of postings kept in memory.
POSTINGS_KEPT: Final = 48_000_000
#: Up to so many postings of a term are kept as they are used: packing takes time, too.
SHORT_LIST: Final = 1_000


NONE: Final[tuple[Rows, Weights]] = np.empty(0, np.int64), np.empty(0, np.float32)


class Matches(NamedTuple):
    """The documents that contain each of several terms, term after term, and how often; and how
    many documents each term has.
    """

    documents: Rows
    counts: Weights
    sizes: Sequence[int]

    @classmethod
    def of(cls, terms: Sequence[tuple[Rows, Weights]]) -> "Matches":
        """The documents and counts of terms, at least one."""
        return cls(
            np.concatenate([documents for documents, _ in terms]),
            np.concatenate([counts for _, counts in terms]),
            [len(documents) for documents, _ in terms],
        )


class Bm25:
    """BM25 over documents of known lengths. Immutable."""

    __slots__ = ("_damping", "live")

    def __init__(
        self, lengths: NDArray[Any], *, live: int, average: float, length_share: float = B
    ) -> None:
        """``live`` is the number of documents for rarity, ``average`` their mean length."""
        self.live = live
        factor = np.float32(K1 * length_share / average)
        self._damping: Weights = (K1 * (1 - length_share) + factor * lengths).astype(np.float32)

    def rarity(self, holding: int) -> float:
        """Inverse document frequency of a term that ``holding`` documents contain."""
        return rarity(self.live, holding)

    def scores(
        self, documents: NDArray[np.int64], counts: NDArray[Any], term_weight: float
    ) -> Weights:
        """Scores that a term adds to each of these documents, which contain it ``counts`` times.

        ``term_weight`` is the rarity of the term, times its weight in the question if it has one.
        """
        return _saturated(counts, self._damping.take(documents), term_weight)

    def add_scores(
        self, scores: Weights, matches: "Matches", term_weights: Sequence[float]
    ) -> None:
        """Add what several terms give to the documents that contain them, term after term."""
        weights = np.array([weight * (K1 + 1) for weight in term_weights], np.float32)
        values = weights.repeat(matches.sizes)
        values *= matches.counts
        values /= matches.counts + self._damping.take(matches.documents)
        np.add.at(scores, matches.documents, values)

    def add_term(self, scores: Weights, counts: Weights, term_weight: float, part: slice) -> None:
        """Add what a term gives to each document of a part of them, of which these are the scores
        and the counts; nothing where the count is zero.
        """
        values = counts * np.float32(term_weight * (K1 + 1))
        values /= counts + self._damping[part]
        scores += values

    def scores_of_all(self, counts: Weights, term_weights: Sequence[float]) -> Weights:
        """Scores that several terms, one a row of the counts, give to every document."""
        weights = np.array([weight * (K1 + 1) for weight in term_weights], np.float32)
        values = counts * weights[:, np.newaxis]
        values /= counts + self._damping
        return values

    @staticmethod
    def most(term_weights: Sequence[float]) -> float:
        """More than what several terms can give to a document, however often it repeats them."""
        return sum(term_weights) * (K1 + 1)

    def all_scores(self, counts: NDArray[Any], term_weight: float) -> Weights:
        """Scores that a term adds to every document; zero where the count is zero."""
        return _saturated(counts, self._damping, term_weight)


@lru_cache(_RARITIES)
def rarity(live: int, holding: int) -> float:
    """Inverse document frequency of a term, as in FTS5.

    A term in most texts counts next to nothing, but never less than zero: in a store of three
    memories, a word of two of them must still find them.
    """
    odds = (max(live, holding) - holding + 0.5) / (holding + 0.5)
    return max(math.log(odds), LEAST_RARITY_SHARE * math.log1p(odds))


def _saturated(counts: NDArray[Any], damping: Weights, term_weight: float) -> Weights:
    frequency = counts.astype(np.float32, copy=False)
    scores: Weights = np.float32(term_weight * (K1 + 1)) * frequency / (frequency + damping)
    return scores


class _Kept(NamedTuple):
    """Postings; those of a long list packed: no row is 2**31, no count more than 255."""

    rows: NDArray[Any]
    counts: NDArray[Any]
    retirements: int

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.counts.nbytes


class PostingCache:
    """The postings of terms that questions asked for, packed; the longest unused go first.

    A large collection has more postings than fit. Dropping all of them when there is no more room
    would read the frequent terms again with every other question; the longest unused are mostly
    rare terms, which are read quickly. ``retirements`` says how up to date a term's postings are.
    """

    def __init__(self) -> None:
        self._by_term: OrderedDict[str, _Kept] = OrderedDict()
        self._held = 0

    def __contains__(self, term: str) -> bool:
        return term in self._by_term

    def get(self, term: str) -> tuple[Rows, Weights, int]:
        """The postings of a term that is here, and the retirements up to which they are current."""
        self._by_term.move_to_end(term)
        rows, counts, retirements = self._by_term[term]
        if len(rows) > SHORT_LIST:
            rows, counts = rows.astype(np.int64), counts.astype(np.float32)
        return rows, counts, retirements

    def put(self, term: str, rows: Rows, counts: Weights, retirements: int) -> None:
        """Keep the postings of a term, in place of those that were kept."""
        self._drop(term)
        if len(rows) > SHORT_LIST:
            kept = _Kept(rows.astype(np.int32), counts.astype(np.uint8), retirements)
        else:  # copies: what is given may be a part of a larger array
            kept = _Kept(rows.copy(), counts.copy(), retirements)
        self._held += kept.nbytes
        while self._by_term and self._held > POSTINGS_KEPT:
            self._drop(next(iter(self._by_term)))
        self._by_term[term] = kept

    def clear(self) -> None:
        """Keep nothing."""
        self._by_term.clear()
        self._held = 0

    def _drop(self, term: str) -> None:
        kept = self._by_term.pop(term, None)
        if kept is not None:
            self._held -= kept.nbytes


class KeywordIndex:
    """BM25 over one place table. ``number`` is the space's, and is set before anything is read."""

    def __init__(self, dialect: StoreDialect, table: PlaceTable) -> None:
        self.number = 0
        self._dialect = dialect
        self._table = table
        self._covered = 0
        self._tail_high = 0
        self._postings = PostingCache()
        self._bm25: tuple[int, Bm25] | None = None
        self._tail: dict[str, list[tuple[int, int]]] = {}
        self._tail_size = 0

    def follow(self, connection: Transaction, clock: int) -> None:
        """Catch up with the table, as far as a reader at this clock sees it.

        The rest is left for the next reader.
        """
        table = self._table
        seen = table.count if clock >= table.clock else table.before(clock)
        fresh = seen - self._covered - self._tail_size
        if fresh <= 0:
            return
        if self._tail_size + fresh > _TAIL_LIMIT or not self._covered:
            self._covered = seen
            self._tail_high = int(table.slots[seen - 1])
            self._postings.clear()
            self._tail.clear()
            self._tail_size = 0
        else:
            self._extend_tail(connection, seen)

    def search(
        self, connection: Transaction, clock: int, terms: list[str], mask: Mask, limit: int
    ) -> list[tuple[int, float]]:
        """Slots and scores of the best live rows for the terms, within the mask.

        ``clock`` is the reader's; what it reads is cached only if it sees all that the table has.
        """
        table = self._table
        bm25 = self.bm25()
        scores = np.zeros(table.count, np.float32)
        for rows, counts in self.postings(connection, clock, terms).values():
            if len(rows):
                scores[rows] += bm25.scores(rows, counts, bm25.rarity(len(rows)))
        scores *= mask
        best = highest(scores, limit, above=0.0)
        return list(zip(table.slots[best].tolist(), scores[best].tolist(), strict=True))

    def bm25(self) -> Bm25:
        """BM25 over the rows of the table as they are now."""
        table = self._table
        if self._bm25 is None or self._bm25[0] != table.clock:
            live, average = table.statistics()
            self._bm25 = table.clock, Bm25(table.lengths, live=live, average=average)
        return self._bm25[1]

    def postings(
        self, connection: Transaction, clock: int, terms: Sequence[str]
    ) -> dict[str, tuple[Rows, Weights]]:
        """The rows that contain each term and how often, from the arrays and from the tail."""
        if not self._table.count:
            return dict.fromkeys(terms, NONE)
        fresh = [term for term in dict.fromkeys(terms) if term not in self._postings]
        loaded = dict(zip(fresh, self._load(connection, fresh), strict=True)) if fresh else {}
        found = {term: loaded.get(term) or self._known(term) for term in terms}
        if clock == self._table.clock:
            for term, (rows, counts) in loaded.items():
                self._postings.put(term, rows, counts, self._table.retirements)
        return {term: self._with_tail(term, postings) for term, postings in found.items()}

    def _known(self, term: str) -> tuple[Rows, Weights]:
        """The cached postings of a term, without what was retired since."""
        rows, counts, retirements = self._postings.get(term)
        if retirements != self._table.retirements:
            rows, counts = self._live(rows, counts)
            self._postings.put(term, rows, counts, self._table.retirements)
        return rows, counts

    def _with_tail(self, term: str, known: tuple[Rows, Weights]) -> tuple[Rows, Weights]:
        """The postings with the rows that were written since they were read."""
        tail = self._tail.get(term)
        if not tail:
            return known
        rows, counts = zip(*tail, strict=True)
        added = self._live(np.array(rows, np.int64), np.array(counts, np.float32))
        return np.concatenate([known[0], added[0]]), np.concatenate([known[1], added[1]])

    @property
    def _space(self) -> SpaceKey:
        return self._table.space_id, self.number

    def _live(self, rows: Rows, counts: Weights) -> tuple[Rows, Weights]:
        """Without retired rows: they no longer count in the rarity of a word."""
        live = self._table.alive(rows)
        return (rows, counts) if live.all() else (rows[live], counts[live])

    def _load(
        self, connection: Transaction, terms: Sequence[str]
    ) -> Iterator[tuple[Rows, Weights]]:
        """The postings of terms from the store, as far as no tail stands beside them."""
        read_shared_rows(connection)
        slots, counts, sizes = self._dialect.postings(
            connection, self._table.collection, self._space, terms
        )
        rows, here = self._table.find(slots)
        often = counts[here].astype(np.float32)
        ends = np.append(0, here.cumsum()).take(np.cumsum(sizes)).tolist()
        for begin, end in pairwise([0, *ends]):
            covered = begin + int(rows[begin:end].searchsorted(self._covered))
            yield rows[begin:covered], often[begin:covered]

    def _extend_tail(self, connection: Transaction, seen: int) -> None:
        read_shared_rows(connection)
        documents = self._dialect.keyword_documents(
            connection, self._table.collection, self._space, self._tail_high
        )
        by_slot = dict(documents)
        start = self._covered + self._tail_size
        for row in range(start, seen):
            slot = int(self._table.slots[row])
            for term, count in Counter(by_slot.get(slot, "").split()).items():
                self._tail.setdefault(term, []).append((row, count))
        self._tail_size = seen - self._covered
        self._tail_high = int(self._table.slots[seen - 1])
