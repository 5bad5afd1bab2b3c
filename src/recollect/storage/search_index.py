"""The indexes of this process, one set for each collection of each space, always up to the clock.

Whoever searches gives a sight; its audiences decide what may be ranked at all.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from recollect.storage.audiences import visible_ids
from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.keyword_index import KeywordIndex
from recollect.storage.place_table import CHANGES_KEPT, Mask, PlaceTable
from recollect.storage.spaces import number_and_clock
from recollect.storage.surroundings import Surroundings
from recollect.storage.survey import Survey
from recollect.storage.vector_index import Codes, Vector, VectorIndex, VectorModel
from recollect.vocabulary.audiences import Sight

_SETS: Final = 64

Scored = list[tuple[int, float]]


class SearchIndex:
    """Both legs of search for every space that this process has searched lately."""

    def __init__(self, dialect: StoreDialect) -> None:
        self._dialect = dialect
        self._lock = threading.Lock()
        self._sets: OrderedDict[tuple[str, str], _IndexSet] = OrderedDict()

    def keywords(
        self,
        connection: Connection,
        sight: Sight,
        collection: str,
        terms: list[str],
        *,
        moment: int | None,
        limit: int,
        slots: Sequence[int] | None = None,
    ) -> Scored:
        """Slots that hold the terms, by BM25; only what the sight may see is ranked."""
        index = self._set(sight.space_id, collection)
        with index.lock:
            clock = index.follow(connection)
            mask = index.mask(connection, sight, moment, slots)
            return index.keywords.search(connection, clock, terms, mask, limit)

    def vectors(
        self,
        connection: Connection,
        sight: Sight,
        collection: str,
        model: VectorModel,
        query: Vector,
        *,
        moment: int | None,
        limit: int,
        slots: Sequence[int] | None = None,
    ) -> Scored:
        """Slots whose vectors lie nearest; only what the sight may see is ranked."""
        index = self._set(sight.space_id, collection)
        with index.lock:
            clock = index.follow(connection)
            codes = index.vectors(connection, clock, model).snapshot()
            mask = index.mask(connection, sight, moment, slots)
        return codes.search(connection, query, mask, limit)

    def survey(
        self,
        connection: Connection,
        sight: Sight,
        collection: str,
        terms: Sequence[str],
        *,
        model: VectorModel | None,
        moment: int | None,
        slots: Sequence[int] | None = None,
    ) -> Survey:
        """A collection as the sight sees it: where the terms stand, and what is beside what."""
        index = self._set(sight.space_id, collection)
        with index.lock:
            clock = index.follow(connection)
            vectors = None if model is None else index.vectors(connection, clock, model)
            codes = None if vectors is None else vectors.snapshot()
            mask = partial(index.allowed, visible_ids(connection, sight))
            through = None if slots is None else np.array(sorted(slots), np.int64)
            return index.survey(
                connection,
                clock,
                terms,
                codes,
                masks=(mask(None, None), mask(moment, None), mask(moment, through)),
            )

    def memory_bytes(self) -> int:
        """What the vector codes of this process take."""
        with self._lock:
            return sum(index.nbytes for index in self._sets.values())

    def clear(self) -> None:
        """Throw everything away; the next search reads it again."""
        with self._lock:
            self._sets.clear()

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
        self._vectors: dict[str, VectorIndex] = {}

    @property
    def nbytes(self) -> int:
        return sum(index.nbytes for index in list(self._vectors.values()))

    def follow(self, connection: Connection) -> int:
        """Take in what was written. The reader's clock; another may have taken in more already."""
        number, clock = number_and_clock(connection, self._table.space_id)
        if self._table.wasteful or clock - self._table.clock > CHANGES_KEPT:
            self._start(self._table.space_id, self._table.collection)
        self.keywords.number = number
        if clock > self._table.clock:
            self._table.follow(connection, clock)
            self.keywords.follow(connection)
        return clock

    def vectors(self, connection: Connection, clock: int, model: VectorModel) -> VectorIndex:
        index = self._vectors.get(model.id)
        if index is None:
            index = self._vectors[model.id] = VectorIndex(model, self._table)
        if clock > index.clock:
            index.follow(connection, clock)
        return index

    def survey(
        self,
        connection: Connection,
        clock: int,
        terms: Sequence[str],
        codes: Codes | None,
        *,
        masks: tuple[Mask, Mask, Mask],
    ) -> Survey:
        """``masks``: what may be seen at any time, what is valid now, what is let through."""
        table = self._table
        live, average = table.statistics()
        beside = self._surroundings
        return Survey(
            table.collection,
            table.slots,
            masks[1],
            masks[2],
            table.lengths,
            live,
            average,
            {term: self.keywords.rows_of(connection, clock, term) for term in terms},
            None if beside is None else beside.follow(connection, masks[0]),
            codes,
        )

    def allowed(
        self, audiences: Sequence[int], moment: int | None, slots: NDArray[np.int64] | None
    ) -> Mask:
        return self._table.allowed(audiences, moment, slots)

    def mask(
        self, connection: Connection, sight: Sight, moment: int | None, slots: Sequence[int] | None
    ) -> Mask:
        through = None if slots is None else np.array(sorted(slots), np.int64)
        return self._table.allowed(visible_ids(connection, sight), moment, through)
