"""The rows are the truth: whatever else is damaged or old is noticed, and made anew from them."""

from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from recollect.engine import Recollect
from recollect.index import indexer
from recollect.memories import index_version, maintenance
from recollect.recall import plan
from recollect.storage.database import Transaction
from recollect.storage.schema import COLLECTIONS, places
from recollect.storage.search.places import Place, put_places
from recollect.storage.space_clock import number_and_clock
from tests.codegraph.projects import SHOP, write
from tests.contracts.state import state_of
from tests.stores import StoreMaker


def fill(memory: Recollect) -> None:
    for number in range(6):
        memory.remember(f"alpha memory {number}", tags=["tag"], files=["src/auth.py"])
        memory.record(f"alpha event {number}")
    memory.forget(memory.list(limit=1).items[0].id)
    memory.within(space="other").remember("alpha elsewhere")


def answers(memory: Recollect) -> list[tuple[str, float, float | None, float | None]]:
    return [
        (hit.id, hit.score, hit.keyword_score, hit.vector_score)
        for query in ("alpha", "memory 3 tag", "auth.py", "event")
        for hit in memory.recall(query, limit=50)
    ]


def test_sound_store_is_said_to_be_sound(memory: Recollect) -> None:
    assert memory.health().sound
    fill(memory)
    health = memory.health()
    assert health.sound
    assert (health.store_problems, health.keyword_problems, health.without_vector) == ([], [], 0)
    assert {(check.collection, check.items) for check in health.index} >= {
        ("memories", 6),
        ("events", 6),
    }


def test_rebuild_changes_nothing_that_can_be_seen(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory)
    before, expected = state_of(stores.database(address)), answers(memory)

    counted: list[int] = []
    assert memory.rebuild_index(counted.append) == 12

    assert counted[-1] == 12
    assert answers(memory) == answers(stores.open(address)) == expected
    after = state_of(stores.database(address))
    assert {name for name in before if before[name] != after[name]} <= {"spaces"}
    assert memory.health().sound


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_lost_keywords_are_noticed_and_made_anew(
    stores: StoreMaker, collection: str, tmp_path: Path
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory)
    memory.code.index(write(tmp_path / "shop", SHOP))
    expected = answers(memory)
    database = stores.database(address)
    database.write(lambda t: database.dialect.reset_keywords(t, collection))

    health = memory.health()
    assert not health.sound
    assert any(check.unindexed_places and not check.sound for check in health.index)
    memory.rebuild_index()

    assert memory.health().sound
    assert answers(memory) == answers(stores.open(address)) == expected


def test_stray_places_and_keywords_are_noticed_and_swept(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory)
    expected = answers(memory)
    database = stores.database(address)
    space_id = memory.space.id

    def scatter(transaction: Transaction) -> None:
        number, clock = number_and_clock(transaction, space_id)
        dialect = database.dialect
        dialect.put_keywords(transaction, "memories", (space_id, number), [(clock + 100, "alpha")])
        nobody = Place(clock + 200, "mem_" + "0" * 26, 1, "alpha", 1)
        put_places(transaction, dialect, (space_id, number), "memories", [nobody])
        first = select(func.min(places.c.slot)).where(
            places.c.space_id == space_id, places.c.collection == "events"
        )
        transaction.execute(
            delete(places).where(
                places.c.space_id == space_id, places.c.slot == first.scalar_subquery()
            )
        )

    database.write(scatter)
    health = memory.health()
    assert not health.sound
    assert sum(check.stray_keywords for check in health.index) == 2
    assert sum(check.unplaced_items for check in health.index) == 1
    assert sum(check.stray_places for check in health.index) == 1

    memory.rebuild_index()
    memory.work()
    assert memory.health().sound
    assert answers(memory) == answers(stores.open(address)) == expected


def test_new_analyser_has_everything_indexed_again(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program whose analyser gives other tokens opens a store that the old one made."""
    address = stores.ready()
    memory = stores.open(address)
    fill(memory)
    memory.close()

    def backwards(text: str, **_: object) -> list[str]:
        return [word[::-1] for word in text.lower().split()]

    with monkeypatch.context() as patched:
        patched.setattr(maintenance, "ANALYSER_VERSION", 99)
        patched.setattr(index_version, "ANALYSER_VERSION", 99)
        patched.setattr(indexer, "analyse", backwards)
        patched.setattr(indexer, "tokens_of_word", backwards)
        patched.setattr(indexer, "_words", type(indexer._words)())
        patched.setattr(plan, "query_terms", backwards)
        newer = stores.open(address, embedder=None)
        assert newer.health().sound
        assert len(newer.recall("alpha", limit=50)) == 11
        database = stores.database(address)
        with database.reading(all_spaces=True) as transaction:
            number, _ = number_and_clock(transaction, newer.space.id)
            space = newer.space.id, number
            documents = list(database.dialect.keyword_documents(transaction, "events", space, -1))
        assert sorted(documents[0][1].split()) == ["0", "ahpla", "tneve"]
        newer.close()
        before = state_of(database)
        stores.open(address, embedder=None)
        assert state_of(database) == before, "once is enough"

    again = stores.open(address, embedder=None)
    assert len(again.recall("alpha", limit=50)) == 11


def test_rebuild_that_fails_leaves_the_old_index(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory)
    expected = answers(memory)
    before = state_of(stores.database(address))

    def fail(*_: object) -> None:
        raise RuntimeError("the plug was pulled")

    with monkeypatch.context() as patched:
        patched.setattr(maintenance, "_event_places", fail)
        with pytest.raises(RuntimeError):
            memory.rebuild_index()

    assert state_of(stores.database(address)) == before
    assert answers(memory) == expected
