"""Readers of one process share its index, and one that looks from an earlier moment spoils nothing.

A search sees the store as it was when its transaction began. While it waits its turn, another may
bring the index further. The earlier one must then not leave in it what it could not see.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from recollect.engine import Recollect
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.storage.database import Database, Transaction
from recollect.storage.dialects import sqlite_traces
from recollect.storage.search.places import VectorRow, put_late_vectors
from recollect.storage.space_clock import number_and_clock
from recollect.trust.authorisation import authorise
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.memory import Memory
from tests.embedders import RemoteEmbedder, WordEmbedder
from tests.stores import StoreMaker


class Readers:
    """Moments of one store, all searched through one index."""

    def __init__(self, database: Database, memory: Recollect, embedder: WordEmbedder) -> None:
        self._database = database
        self._memory = memory
        self._indexer = Indexer(embedder)
        self._index = SearchIndex(database.dialect)

    @contextmanager
    def moment(self) -> Iterator[Transaction]:
        with self._database.reading() as transaction:
            authorise(transaction, self._memory.viewer, self._memory.space)
            yield transaction

    def by_words(self, transaction: Transaction, term: str) -> int:
        """How many memories hold a term, by the index."""
        access = authorise(transaction, self._memory.viewer, self._memory.space)
        return len(
            self._index.keywords(transaction, access, "memories", [term], moment=None, limit=10_000)
        )

    def by_meaning(self, transaction: Transaction, collection: str = "memories") -> int:
        """How many things have a vector, by the index."""
        access = authorise(transaction, self._memory.viewer, self._memory.space)
        asked = self._indexer.question("alpha")
        assert asked is not None
        return len(
            self._index.near(transaction, access, collection, *asked, moment=2**60, limit=5_000)
        )


@pytest.fixture
def address(stores: StoreMaker) -> str:
    return stores.ready()


@pytest.fixture
def memory(stores: StoreMaker, address: str) -> Recollect:
    memory = stores.open(address)
    memory.remember("alpha one")
    return memory


@pytest.fixture
def readers(stores: StoreMaker, address: str, memory: Recollect) -> Readers:
    return Readers(stores.database(address), memory, WordEmbedder())


def test_an_earlier_reader_leaves_the_words_whole(memory: Recollect, readers: Readers) -> None:
    with readers.moment() as earlier:
        memory.remember("alpha two")
        with readers.moment() as later:
            assert readers.by_words(later, "beta") == 0
            assert readers.by_words(earlier, "alpha") == 1
            assert readers.by_words(later, "alpha") == 2


def test_words_that_only_a_later_reader_sees_are_left_for_it(
    memory: Recollect, readers: Readers
) -> None:
    with readers.moment() as first:
        assert readers.by_words(first, "alpha") == 1
    memory.remember("alpha two")
    with readers.moment() as earlier:
        memory.remember("alpha three")
        with readers.moment() as later:
            assert readers.by_meaning(later) == 3, "the index is ahead, and its words are behind"
            assert readers.by_words(earlier, "alpha") == 2
            assert readers.by_words(earlier, "three") == 0
            assert readers.by_words(later, "alpha") == 3
            assert readers.by_words(later, "three") == 1


def test_an_earlier_reader_leaves_the_vectors_whole(memory: Recollect, readers: Readers) -> None:
    with readers.moment() as earlier:
        memory.remember("alpha two")
        with readers.moment() as later:
            assert readers.by_words(later, "alpha") == 2
            assert readers.by_meaning(earlier) == 1
            assert readers.by_meaning(later) == 2


def test_a_reader_before_an_erasure_leaves_the_vectors_whole(
    memory: Recollect, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The files cannot be rid of the words while the earlier one reads: nobody waits for that here.
    monkeypatch.setattr(sqlite_traces, "_SCRUB_MILLISECONDS", 1)
    second, third = memory.remember("alpha two"), memory.remember("alpha three")
    with readers.moment() as earlier:
        memory.forget(third.id, for_good=True)
        memory.forget(second.id, for_good=True)
        with readers.moment() as later:
            assert readers.by_words(later, "alpha") == 1
            assert readers.by_meaning(earlier) == 1
            assert readers.by_meaning(later) == 1


@pytest.mark.parametrize("searched_before", [True, False])
def test_what_moves_while_somebody_searches_is_found_all_the_same(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch, searched_before: bool
) -> None:
    moving = memory.remember("beta two", tags=["one"])
    if searched_before:
        memory.recall("beta")
    survey = SearchIndex.survey
    overtaken: list[str] = []

    def after_a_change(index: SearchIndex, *given: Any, **more: Any) -> Any:
        if not overtaken:
            overtaken.append(moving.id)
            memory.update(moving.id, tags=["another"])
            assert [hit.id for hit in memory.recall("beta", kinds="memory")] == [moving.id]
        return survey(index, *given, **more)

    monkeypatch.setattr(SearchIndex, "survey", after_a_change)
    found = memory.recall("beta", kinds="memory")
    assert [hit.id for hit in found] == [moving.id]
    item = found.found[0].item
    assert isinstance(item, Memory)
    assert item.tags == ("another",)


def test_a_search_that_is_always_outrun_still_answers(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    restless, staying = memory.remember("beta two"), memory.remember("beta three")
    memory.recall("beta")
    survey = SearchIndex.survey
    times: list[str] = []

    def after_a_change(index: SearchIndex, *given: Any, **more: Any) -> Any:
        if len(times) % 2 == 0 and len(times) < 100:
            times.append("asked")
            memory.update(restless.id, tags=[f"tag{len(times)}"])
            memory.recall("beta", kinds="memory")
        times.append("within")
        return survey(index, *given, **more)

    monkeypatch.setattr(SearchIndex, "survey", after_a_change)
    found = memory.recall("beta", kinds="memory")
    assert staying.id in [hit.id for hit in found]
    assert len(times) < 100


def test_many_vectors_that_come_late_are_all_taken_in(stores: StoreMaker, address: str) -> None:
    embedder = RemoteEmbedder()
    memory = stores.open(address, embedder=embedder)
    texts = [f"alpha alpha alpha {number:04}" for number in range(2_300)]
    memory.record_many([NewEvent(text) for text in texts])
    readers = Readers(stores.database(address), memory, embedder)
    _embed_last(stores.database(address), memory)
    with readers.moment() as transaction:
        assert readers.by_meaning(transaction, "events") == 1
    memory.work(60)
    with readers.moment() as transaction:
        assert readers.by_meaning(transaction, "events") == len(texts)


def _embed_last(database: Database, memory: Recollect) -> None:
    """Give the last slot its vector before all others, so that these come late."""

    def work(transaction: Transaction) -> None:
        _, last = number_and_clock(transaction, memory.space.id)
        vector = np.ones(48, "<f2").tobytes()
        rows = [VectorRow(last, vector)]
        assert put_late_vectors(transaction, memory.space.id, "events", ("remote", 48), rows) == 1

    database.write(work)
