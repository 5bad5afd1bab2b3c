"""The second wall of PostgreSQL: what holds when a query forgets every filter.

In one test the visibility function is taken out of a whole process, and the leak test is asked
again. In the others a connection asks for rows with no condition at all.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from recollect.engine import Recollect
from recollect.storage.schema import metadata
from recollect.storage.walls import enter
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import StoreError
from tests.stores import Backend, StoreMaker

REPOSITORY = Path(__file__).resolve().parents[2]

on_postgresql = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)

#: Tables that show all of a space to whoever is in it: the index, the queue, who belongs.
SHARED = {
    "spaces", "space_members", "streams", "stream_members", "places", "vectors", "place_changes",
    "jobs", "schedules", "imports",
}  # fmt: skip
HOUSEKEEPING = {"store_facts"}


def unfiltered(address: str, seed: int) -> list[str]:
    """What a process without the visibility function says of a world of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.unfiltered", address, str(seed)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@on_postgresql
def test_without_the_filter_the_wall_lets_nothing_through(backend: Backend) -> None:
    assert unfiltered(backend.ready(), 0) == ["nothing leaked"]


@on_sqlite
def test_without_the_filter_a_file_leaks(backend: Backend) -> None:
    """So the test above would notice: the filter is really out."""
    assert unfiltered(backend.ready(), 0)[-1].endswith(" leaks")


@pytest.fixture
def populated(stores: StoreMaker) -> Recollect:
    memory = stores.open()
    memory.add_member("bob")
    for view in (memory, memory.within(space="elsewhere")):
        open_to_all = view.remember("for all", tags=["a"], files=["f.py"], modules=["m"])
        secret = view.remember("ada's own", visibility="personal", tags=["s"], sessions=["x"])
        view.update(secret.id, content="ada's own, changed")
        view.relate(secret.id, "validates", memory=open_to_all.id)
        private = view.open_stream("private", access="private")
        said = view.record("behind a door", stream="private")
        view.edit_event(said.id, "behind a door, edited")
        view.react(said.id, "👍")
        view.remember("from behind the door", stream=private.id, events=[said.id])
    return memory


def rows(stores: StoreMaker, memory: Recollect, who: str | None, space: str) -> dict[str, int]:
    """How many rows each table shows to a query without conditions."""
    database = stores.database(memory._rooms.recall._database.address)
    with database.reading(house=False) as connection:
        if who is not None:
            enter(connection, space, Viewer(who))
        return {
            table.name: len(connection.execute(select(table)).all())
            for table in metadata.sorted_tables
            if table.name not in HOUSEKEEPING
        }


@on_postgresql
def test_who_has_entered_nothing_sees_nothing(stores: StoreMaker, populated: Recollect) -> None:
    assert set(rows(stores, populated, None, "").values()) == {0}


@on_postgresql
def test_stranger_sees_no_row_that_belongs_to_anyone(
    stores: StoreMaker, populated: Recollect
) -> None:
    seen = rows(stores, populated, "eve", populated.space.id)
    assert {name for name, count in seen.items() if count} <= SHARED


@on_postgresql
def test_member_sees_this_space_alone_and_nobody_elses_things(
    stores: StoreMaker, populated: Recollect
) -> None:
    ada = rows(stores, populated, "ada", populated.space.id)
    bob = rows(stores, populated, "bob", populated.space.id)
    assert (ada["memories"], bob["memories"]) == (3, 1)
    assert (ada["events"], bob["events"]) == (1, 0)
    assert (ada["spaces"], bob["spaces"]) == (1, 1)
    for table in ("event_revisions", "event_reactions", "memory_relations", "memory_sessions"):
        assert (ada[table], bob[table]) == (1, 0), table
    assert (ada["memory_tags"], bob["memory_tags"]) == (2, 1)
    assert bob["memory_history"] == 1


@on_postgresql
def test_words_are_found_in_the_entered_space_alone(
    stores: StoreMaker, populated: Recollect
) -> None:
    """The function that reads the keyword index runs with its owner's rights, and minds them."""
    database = stores.database(populated._rooms.recall._database.address)
    with database.reading(house=False) as connection:
        for space, found in ((populated.space.id, 1), ("spc_nowhere", 0)):
            enter(connection, space, Viewer("ada"))
            slots, _ = database.dialect.postings(connection, "memories", (space, 1), "all")
            assert len(slots) == found
        enter(connection, populated.space.id, Viewer("ada"))
        tables = ("memories_keywords", "events_keywords")
        for table in tables:
            count = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            assert count == {"memories_keywords": 3, "events_keywords": 1}[table]


@on_postgresql
def test_nobody_writes_into_another_space(stores: StoreMaker, populated: Recollect) -> None:
    database = stores.database(populated._rooms.recall._database.address)

    def plant(connection: Connection) -> None:
        enter(connection, populated.space.id, Viewer("ada"))
        connection.exec_driver_sql(
            "INSERT INTO store_facts VALUES ('x', 'y'); "
            "INSERT INTO space_members SELECT 'spc_other', 'eve', 'owner', 0"
        )

    with pytest.raises(StoreError, match="row-level security"):
        database.write(plant, house=False)
