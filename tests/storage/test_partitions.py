"""A store made with hash partitions does all that another does, and each space lies in one."""

import pytest

from recollect.engine import Recollect
from recollect.storage.schema import COLLECTIONS, metadata
from recollect.vocabulary.errors import InvalidSetting, StoreError
from recollect.vocabulary.events import NewEvent
from tests.stores import Backend, StoreMaker

pytestmark = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)


@pytest.fixture
def address(backend: Backend) -> str:
    empty = backend.empty()
    return f"{empty}{'&' if '?' in empty else '?'}partitions=3"


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
    memory = stores.open(address)
    for name in ("default", "second", "third", "fourth", "fifth"):
        view = memory.within(space=name)
        live(view)
        assert [hit.text for hit in view.recall("staging", kinds=["memory"])] == [
            "The staging database is never reset."
        ]
        assert view.stats()["events"] == 101
    assert memory.health().sound
    memory.rebuild_index()
    assert memory.health().sound
    database = stores.database(address)
    with database.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT tableoid::regclass::text, count(DISTINCT space_id) FROM memories GROUP BY 1"
        )
        spread: dict[str, int] = {table: spaces for table, spaces in rows}
    assert sum(spread.values()) == 5
    assert len(spread) > 1
    assert set(spread) <= {f"memories_{number:04}" for number in range(3)}


def test_every_table_of_a_space_is_spread(stores: StoreMaker, address: str) -> None:
    stores.open(address).close()
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
    live(stores.open(address))
    with (
        pytest.raises(StoreError, match="no right"),
        stores.database(address).reading() as connection,
    ):
        connection.exec_driver_sql("SELECT * FROM memories_0000")


def test_partitioned_vectors_get_an_index_each(stores: StoreMaker, address: str) -> None:
    live(stores.open(address))
    database = stores.database(address)
    assert database.build_vector_index("words", 48)
    assert not database.build_vector_index("words", 48)
    with database.reading() as connection:
        assert database.dialect.has_vector_index(connection, "words")
        assert not database.dialect.has_vector_index(connection, "others")


@pytest.mark.parametrize("count", ["-1", "many", "4096"])
def test_nonsense_is_refused(stores: StoreMaker, address: str, count: str) -> None:
    with pytest.raises(InvalidSetting, match="partitions is a whole number"):
        stores.open(address.replace("partitions=3", f"partitions={count}"))
