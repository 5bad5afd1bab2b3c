"""The search indexes of this process, one set per collection of a space, always up to date.

Every search takes an access; its audiences decide what may be ranked at all.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index import server_vectors
from recollect.index.bm25 import Bm25, KeywordIndex, Rows, Weights
from recollect.index.place_table import CHANGES_KEPT, Audiences, Mask, PlaceTable
from recollect.index.surroundings import RowNeighbours, Surroundings
from recollect.index.vector_index import Codes, Vector, VectorIndex
from recollect.storage.access.visibility_filter import shared_reads, visible_ids
from recollect.storage.database import Transaction, once, writes
from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.space_clock import number_and_clock
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.vectors import VectorModel

_SETS: Final = 64
_ACCESSES_CACHED: Final = 256
_NEAREST: Final = 500
_SUMMARISED: Final = "memories"
#: How much the vector of a summary counts beside that of the whole text (measured
#: by ``benchmarks.assembled_context summaries``; half wins no more, and costs where details are
#: asked for).
SUMMARY_SHARE: Final = 0.3

Scored = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class CollectionView:
    """All that an access may see of one collection, as parallel arrays: one row per slot.

    ``seen`` is what may be scored; ``through`` is the part of it that the filters select, so that a
    score never depends on a filter. Nothing in it changes while it is read.
    """

    collection: str
    slots: NDArray[np.int64]
    seen: Mask
    through: Mask
    lengths: NDArray[np.int32]
    bm25: Bm25
    average_length: float
    postings: Mapping[str, tuple[Rows, Weights]]
    beside: RowNeighbours | None
    codes: Codes | None
    #: The audiences that the access may see: their rows are those that ``seen`` selects.
    audiences: Audiences = frozenset()
    #: The codes of summaries, of the rows that have one with a vector of its own.
    summaries: Codes | None = None

    @property
    def live(self) -> int:
        """Number of rows that count in the rarity of a term."""
        return self.bm25.live

    @property
    def sees_all(self) -> bool:
        """Whether every row may be scored."""
        return bool(self.seen.all())

    def hide_unseen(self, values: Vector) -> None:
        """Set the values of rows that may not be scored to zero."""
        if not self.sees_all:
            values *= self.seen

    def __len__(self) -> int:
        return len(self.slots)


class StaleReader(Exception):
    """Another reader has applied a change that this reader, which began earlier, does not see."""


class SearchIndex:
    """Keyword and vector search for every space that this process has searched lately."""

    def __init__(self, dialect: StoreDialect) -> None:
        self._dialect = dialect
        self._lock = threading.Lock()
        self._sets: OrderedDict[tuple[str, str], _IndexSet] = OrderedDict()
        self._audiences_by_access: OrderedDict[Access, tuple[int, Audiences]] = OrderedDict()

    def keywords(
        self,
        connection: Transaction,
        access: Access,
        collection: str,
        terms: list[str],
        *,
        moment: int | None,
        limit: int,
        slots: Sequence[int] | None = None,
    ) -> Scored:
        """Slots that contain the terms, ranked by BM25; only what the access may see is ranked."""
        with shared_reads(connection):
            index = self._set(access.space_id, collection)
            with index.lock:
                clock = index.follow(connection, words=True)
                mask = index.mask(self._audiences_of(connection, access), moment, slots)
                return index.keywords.search(connection, clock, terms, mask, limit)

    def near(
        self,
        connection: Transaction,
        access: Access,
        collection: str,
        model: VectorModel,
        query: Vector,
        *,
        moment: int,
        limit: int,
    ) -> list[int]:
        """Slots of approximately the nearest items, for callers that check each of them anyway."""
        with shared_reads(connection):
            index = self._set(access.space_id, collection)
            with index.lock:
                clock = index.follow(connection)
                codes = index.vectors(connection, clock, model).snapshot()
                mask = index.mask(self._audiences_of(connection, access), moment, None)
            return codes.nearest_approximate(query, mask, limit)

    def survey(
        self,
        connection: Transaction,
        access: Access,
        collection: str,
        terms: Sequence[str],
        *,
        model: VectorModel | None,
        moment: int | None,
        slots: Sequence[int] | None = None,
        ahead: bool = True,
    ) -> CollectionView:
        """A collection as the access sees it: the postings of the terms, and the neighbours of
        rows.

        ``ahead`` is whether an index that includes later changes is acceptable; if not, and
        something was retired since the reader began, ``StaleReader`` asks it to begin again.
        """
        with shared_reads(connection):
            index = self._set(access.space_id, collection)
            with index.lock:
                clock = index.follow(connection, words=True)
                if not ahead and index.retired_after(clock):
                    raise StaleReader
                codes = self._codes(connection, index, clock, model)
                summaries = self._summaries(connection, index, clock, codes)
                audiences = self._audiences_of(connection, access)
                seen = index.mask(audiences, moment, None)
                return index.survey(
                    connection,
                    clock,
                    terms,
                    (codes, summaries),
                    audiences,
                    masks=(
                        index.mask(audiences, None, None),
                        seen,
                        seen if slots is None else index.mask(audiences, moment, slots),
                    ),
                )

    def nearness(
        self, connection: Transaction, survey: CollectionView, codes: Codes, query: Vector
    ) -> NDArray[np.float32]:
        """How near each row of a survey lies to a question, by its text and by its summary.

        In a space too large to scan, only the nearest rows from the server's index have one.
        """
        with shared_reads(connection):
            if len(survey) > server_vectors.TURN and not len(codes.rows):
                found = self._by_server(connection, survey, codes, query)
                if found is not None:
                    return found
                index = self._set(codes.space_id, survey.collection)
                with index.lock:
                    clock = index.follow(connection)
                    codes = index.vectors(connection, clock, codes.model).snapshot()
            near = codes.cosines(query, survey.seen)
            if codes.model.scanned < codes.model.dims:
                masks = [survey.seen]
                if survey.through is not survey.seen:
                    masks.append(survey.through)
                near = codes.rescored(connection, query, near, masks)
            return with_summaries(survey, near, query)

    def _audiences_of(self, connection: Transaction, access: Access) -> Audiences:
        """The audiences of an access. Whatever changes them advances the clock of the space."""
        _, clock = once(connection, "clock", number_and_clock, access.space_id)
        with self._lock:
            known = self._audiences_by_access.get(access)
        if known is None or known[0] != clock or writes(connection):
            known = clock, frozenset(once(connection, "seen", visible_ids, access))
            if not writes(connection):
                self._cache_audiences(access, known)
        return known[1]

    def _cache_audiences(self, access: Access, known: tuple[int, Audiences]) -> None:
        with self._lock:
            self._audiences_by_access[access] = known
            self._audiences_by_access.move_to_end(access)
            if len(self._audiences_by_access) > _ACCESSES_CACHED:
                self._audiences_by_access.popitem(last=False)

    def _codes(
        self, connection: Transaction, index: "_IndexSet", clock: int, model: VectorModel | None
    ) -> Codes | None:
        """The codes to scan; None where the server's own index is used."""
        if model is None:
            return None
        large = len(index.places) > server_vectors.TURN
        if large and self._dialect.has_vector_index(connection, model.id):
            return Codes.of_none(model, index.space_id)
        return index.vectors(connection, clock, model).snapshot()

    @staticmethod
    def _summaries(
        connection: Transaction, index: "_IndexSet", clock: int, codes: Codes | None
    ) -> Codes | None:
        """The codes of summaries, which only memories have; none beside the server's own index."""
        if index.collection != _SUMMARISED or codes is None or not len(codes.rows):
            return None
        found = index.vectors(connection, clock, codes.model, of_summaries=True).snapshot()
        return found if len(found.rows) else None

    def _by_server(
        self, connection: Transaction, survey: CollectionView, codes: Codes, query: Vector
    ) -> NDArray[np.float32] | None:
        found = server_vectors.search(
            connection,
            self._dialect,
            (codes.space_id, survey.collection),
            codes.model,
            query,
            slots=survey.slots,
            mask=survey.through,
            limit=_NEAREST,
        )
        if found is None:
            return None
        near = np.zeros(len(survey), np.float32)
        if found:
            slots, scores = zip(*found, strict=True)
            near[np.searchsorted(survey.slots, np.array(slots, np.int64))] = scores
        return near

    def memory_bytes(self) -> int:
        """Memory used by the vector codes of this process, in bytes."""
        with self._lock:
            return sum(index.nbytes for index in self._sets.values())

    def clear(self) -> None:
        """Discard everything; the next search reads it again."""
        with self._lock:
            self._sets.clear()
            self._audiences_by_access.clear()

    def _set(self, space_id: str, collection: str) -> "_IndexSet":
        key = space_id, collection
        with self._lock:
            index = self._sets.get(key)
            if index is None:
                index = self._sets[key] = _IndexSet(self._dialect, space_id, collection)
                if len(self._sets) > _SETS:
                    self._sets.popitem(last=False)
            self._sets.move_to_end(key)
            return index


class _IndexSet:
    """The places, the keywords and the vectors of one collection of one space."""

    def __init__(self, dialect: StoreDialect, space_id: str, collection: str) -> None:
        self.lock = threading.Lock()
        self._dialect = dialect
        self._start(space_id, collection)

    def _start(self, space_id: str, collection: str) -> None:
        self._table = PlaceTable(space_id, collection)
        self.keywords = KeywordIndex(self._dialect, self._table)
        self._surroundings = Surroundings(self._table) if collection == "events" else None
        self._vectors: dict[tuple[str, bool], VectorIndex] = {}

    @property
    def nbytes(self) -> int:
        return sum(index.nbytes for index in list(self._vectors.values()))

    @property
    def space_id(self) -> str:
        """The space that this belongs to."""
        return self._table.space_id

    @property
    def collection(self) -> str:
        """What of the space it holds."""
        return self._table.collection

    @property
    def places(self) -> NDArray[np.int64]:
        """The current slots, in order; later changes do not alter the array."""
        return self._table.slots

    def follow(self, connection: Transaction, *, words: bool = False) -> int:
        """Catch up with the store; with ``words``, the keyword index too.

        Returns the reader's clock; another reader may have caught up further already.
        """
        number, clock = once(connection, "clock", number_and_clock, self._table.space_id)
        if self._table.should_reload or clock - self._table.clock > CHANGES_KEPT:
            self._start(self._table.space_id, self._table.collection)
        self.keywords.number = number
        if clock > self._table.clock:
            self._table.follow(connection, clock)
        if words:
            self.keywords.follow(connection, clock)
        return clock

    def retired_after(self, clock: int) -> bool:
        """Whether something is retired here that a reader at this clock still sees."""
        return clock < self._table.last_retirement

    def vectors(
        self, connection: Transaction, clock: int, model: VectorModel, *, of_summaries: bool = False
    ) -> VectorIndex:
        index = self._vectors.get((model.id, of_summaries))
        if index is None:
            own = model.of_summaries if of_summaries else model
            index = self._vectors[model.id, of_summaries] = VectorIndex(own, self._table)
        if clock > index.clock:
            index.follow(connection, clock)
        return index

    def survey(
        self,
        connection: Transaction,
        clock: int,
        terms: Sequence[str],
        codes: tuple[Codes | None, Codes | None],
        audiences: Audiences,
        *,
        masks: tuple[Mask, Mask, Mask],
    ) -> CollectionView:
        """``masks``: what may be seen at any time, what is valid now, what the filters select."""
        table = self._table
        _, average = table.statistics()
        beside = self._surroundings if len(table.slots) else None
        return CollectionView(
            table.collection,
            table.slots,
            masks[1],
            masks[2],
            table.lengths,
            self.keywords.bm25(),
            average,
            self.keywords.postings(connection, clock, terms),
            None if beside is None else beside.follow(connection, masks[0]),
            codes[0],
            audiences,
            codes[1],
        )

    def mask(self, audiences: Audiences, moment: int | None, slots: Sequence[int] | None) -> Mask:
        through = None if slots is None else np.array(sorted(slots), np.int64)
        return self._table.allowed(audiences, moment, through)


def with_summaries(survey: CollectionView, near: Vector, query: Vector) -> Vector:
    """Nearness by texts; where a summary has a vector, it has its share in it."""
    summaries = survey.summaries
    if summaries is None:
        return near
    rows = summaries.rows[summaries.rows < len(near)]
    short = summaries.cosines(query, survey.seen)[rows]
    both = near.copy()
    both[rows] += np.float32(SUMMARY_SHARE) * (short - near[rows])
    return both
