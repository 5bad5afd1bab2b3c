"""A store made with hash partitions does all that another does, and each space lies in one."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.storage.schema import COLLECTIONS, metadata
from recollect.vocabulary.errors import InvalidSetting, StoreError
from recollect.vocabulary.events import NewEvent
from tests.clocks import TickingClock
from tests.stores import Backend, PostgresBackend, SharedStores, StoreMaker

pytestmark = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)


SPACES = ("default", "second", "third", "fourth", "fifth")


def partitioned(backend: Backend, count: str) -> str:
    """The address of a store where nothing is yet, and which shall have so many partitions."""
    empty = backend.empty()
    return f"{empty}{'&' if '?' in empty else '?'}partitions={count}"


@pytest.fixture(scope="module")
def address(shared_stores: SharedStores) -> Iterator[str]:
    """A partitioned store in which five spaces have lived: to make one takes seconds."""
    backend = PostgresBackend(shared_stores)
    maker = StoreMaker(backend, TickingClock())
    made = partitioned(backend, "3")
    memory = maker.open(made)
    for name in SPACES:
        live(memory.within(space=name))
    memory.close()
    yield made
    maker.close()
    backend.close()


def live(memory: Recollect) -> None:
    """A bit of everything that writes."""
    kept = memory.remember("The staging database is reset every night.", tags=["staging"])
    memory.update(kept.id, content="The staging database is reset at noon.")
    memory.supersede(kept.id, "The staging database is never reset.")
    said = memory.record("Who reset staging?", stream="standup")
    memory.react(said.id, "👍")
    memory.record_many([NewEvent(f"line {number}") for number in range(100)], stream="standup")
    memory.forget(memory.remember("gone").id, for_good=True)
    memory.work()


def test_partitioned_store_lives_a_whole_life(stores: StoreMaker, address: str) -> None:
    stores.clock.now += timedelta(days=1)  # after all that
    memory = stores.open(address)
    for name in SPACES:
        view = memory.within(space=name)
        assert [hit.text for hit in view.recall("staging", kinds=["memory"])] == [
            "The staging database is never reset."
        ]
        assert view.stats()["events"] == 101
    assert memory.health().sound
    memory.rebuild_index()
    assert memory.health().sound
    database = stores.database(address)
    with database.reading() as connection:
        found = connection.exec_driver_sql(
            "SELECT DISTINCT space_id, tableoid::regclass::text FROM memories"
        )
        spread = {space: table for space, table in found}
        hashed = connection.exec_driver_sql(
            "SELECT DISTINCT space_id, number FROM memories, generate_series(0, 2) AS number"
            " WHERE satisfies_hash_partition('memories'::regclass, 3, number, space_id)"
        )
        expected = {space: f"memories_{number:04}" for space, number in hashed}
    assert len(spread) == 5  # the ids of spaces are random: all of them may have one table
    assert spread == expected


def test_every_table_of_a_space_is_spread(stores: StoreMaker, address: str) -> None:
    with stores.database(address).reading() as connection:
        parents = set(
            connection.exec_driver_sql(
                "SELECT DISTINCT inhparent::regclass::text FROM pg_inherits i"
                " JOIN pg_class c ON c.oid = i.inhparent AND c.relkind = 'p'"
            ).scalars()
        )
    whole = {"spaces", "store_facts", "groups", "group_members"}  # of no space
    words = {f"{collection}_keywords" for collection in COLLECTIONS}
    assert parents == set(metadata.tables) - whole | words


def test_partition_cannot_be_read_around_the_wall(stores: StoreMaker, address: str) -> None:
    with (
        pytest.raises(StoreError, match="no right"),
        stores.database(address).reading() as connection,
    ):
        connection.exec_driver_sql("SELECT * FROM memories_0000")


def test_partitioned_vectors_get_an_index_each(stores: StoreMaker, address: str) -> None:
    database = stores.database(address)
    assert database.build_vector_index("words", 48)
    assert not database.build_vector_index("words", 48)
    with database.reading() as connection:
        assert database.dialect.has_vector_index(connection, "words")
        assert not database.dialect.has_vector_index(connection, "others")


@pytest.mark.parametrize("count", ["-1", "many", "4096"])
def test_nonsense_is_refused(stores: StoreMaker, backend: Backend, count: str) -> None:
    with pytest.raises(InvalidSetting, match="partitions is a whole number"):
        stores.open(partitioned(backend, count))
