"""The second wall of PostgreSQL: what holds when a query forgets every filter.

In one test the visibility function is taken out of a whole process, and the leak test is asked
again. In the others a connection asks for rows with no condition at all.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import Connection, select

from recollect.engine import Recollect
from recollect.storage.access.visibility_filter import enter, read_shared_rows, shared_reads
from recollect.storage.schema import metadata
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import StoreError
from tests.clocks import TickingClock
from tests.contracts.state import state_of
from tests.stores import Backend, Keeper, PostgresBackend, SharedStores, StoreMaker

REPOSITORY = Path(__file__).resolve().parents[2]

on_postgresql = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
on_sqlite = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)

#: What whoever has entered a space sees of it, also a stranger: its own row, for its clock.
SHARED = {"spaces"}
WORDS = ("memories_keywords", "events_keywords", "chunks_keywords")
HOUSEKEEPING = {"store_facts"}


def unfiltered(address: str, seed: int, *options: str) -> list[str]:
    """What a process without the visibility function says of a world of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.unfiltered", address, str(seed), *options],
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
    assert unfiltered(backend.ready(), 0, "--first")[-1] == "1 leaks"


class Populated(NamedTuple):
    """A store with things of several people, and its database without any filter."""

    memory: Recollect
    database: Keeper


@pytest.fixture(scope="module")
def populated(shared_stores: SharedStores) -> Iterator[Populated]:
    """One for all tests here: none of them changes a row that another one counts."""
    backend = PostgresBackend(shared_stores)
    maker = StoreMaker(backend, TickingClock())
    address = maker.ready()
    memory = maker.open(address)
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
    memory.admit("private", "carol")
    memory.work()
    yield Populated(memory, maker.database(address))
    maker.close()
    backend.close()


def rows(populated: Populated, who: str | None) -> dict[str, int]:
    """How many rows each table shows to a query without conditions."""
    with populated.database.reading(all_spaces=False) as connection:
        if who is not None:
            enter(connection, populated.memory.space.id, Viewer(who))
        return {
            table.name: len(connection.execute(select(table)).all())
            for table in metadata.sorted_tables
            if table.name not in HOUSEKEEPING
        } | {
            name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in WORDS
        }


def test_who_has_entered_nothing_sees_nothing(populated: Populated) -> None:
    assert set(rows(populated, None).values()) == {0}


def test_stranger_sees_no_row_that_belongs_to_anyone(populated: Populated) -> None:
    seen = rows(populated, "eve")
    assert {name for name, count in seen.items() if count} <= SHARED


def test_member_sees_this_space_alone_and_nobody_elses_things(populated: Populated) -> None:
    ada = rows(populated, "ada")
    bob = rows(populated, "bob")
    assert (ada["memories"], bob["memories"]) == (3, 1)
    assert (ada["events"], bob["events"]) == (1, 0)
    assert (ada["spaces"], bob["spaces"]) == (1, 1)
    for table in ("event_revisions", "event_reactions", "memory_relations", "memory_sessions"):
        assert (ada[table], bob[table]) == (1, 0), table
    assert (ada["memory_tags"], bob["memory_tags"]) == (2, 1)
    assert bob["memory_history"] == 1


def test_member_sees_nothing_of_the_index_or_of_streams_that_is_anothers(
    populated: Populated,
) -> None:
    ada = rows(populated, "ada")
    bob = rows(populated, "bob")
    for table, both in {
        "memories_keywords": (3, 1),
        "events_keywords": (1, 0),
        "places": (4, 1),
        "vectors": (4, 1),
        "streams": (1, 0),
        "stream_members": (1, 0),
        "jobs": (0, 0),
        "place_changes": (0, 0),
    }.items():
        assert (ada[table], bob[table]) == both, table
    assert bob["space_members"] == 2


def test_words_are_found_in_the_entered_space_alone(populated: Populated) -> None:
    """The function that reads the keyword index runs with its owner's rights, and minds them."""
    database = populated.database

    def found(connection: Connection, space: str) -> int:
        return len(database.dialect.postings(connection, "memories", (space, 1), ["all"])[0])

    with database.reading(all_spaces=False) as connection:
        for space, expected in ((populated.memory.space.id, 1), ("spc_nowhere", 0)):
            enter(connection, space, Viewer("ada"))
            assert found(connection, space) == 0  # nobody said that the whole index is read
            with shared_reads(connection):
                read_shared_rows(connection)
                assert found(connection, space) == expected
            assert found(connection, space) == 0


#: What a stranger in the space tries to write; each changes nothing, or is refused.
WRITES = (
    "UPDATE space_members SET role = 'owner'",
    "INSERT INTO space_members SELECT space_id, 'eve', 'owner', 0 FROM spaces",
    "DELETE FROM space_members",
    "UPDATE spaces SET clock = clock + 1",
    "UPDATE spaces SET name = 'mine'",
    "DELETE FROM spaces",
    "DELETE FROM memories_keywords",
    "INSERT INTO memories_keywords SELECT space_id, 999, 'a' FROM spaces",
    "UPDATE memories SET content = 'mine'",
    "DELETE FROM memories",
    "DELETE FROM events",
    "UPDATE streams SET access = 'open'",
    "INSERT INTO stream_members SELECT space_id, 'str_x', 'eve', 0 FROM spaces",
    "DELETE FROM places",
    "DELETE FROM vectors",
    "DELETE FROM jobs",
    "INSERT INTO jobs SELECT space_id, 'job_x', 'k', NULL, 'waiting', 0, 1, 0, 0, 0 FROM spaces",
    "INSERT INTO audiences SELECT space_id, 999, 'eve', 'project' FROM spaces",
    "UPDATE store_facts SET value = 'x'",
    "DELETE FROM store_facts",
    "DELETE FROM alembic_version",
)


@pytest.mark.parametrize("statement", WRITES)
def test_stranger_writes_nothing(populated: Populated, statement: str) -> None:
    database = populated.database
    before = state_of(database)

    def write(connection: Connection) -> None:
        enter(connection, populated.memory.space.id, Viewer("eve"))
        connection.exec_driver_sql(statement)

    with suppress(StoreError):  # refused, or there was nothing that it could change
        database.write(write, all_spaces=False)
    assert state_of(database) == before


def test_member_gives_themselves_no_role(populated: Populated) -> None:
    database = populated.database
    before = state_of(database)

    def write(connection: Connection) -> None:
        enter(connection, populated.memory.space.id, Viewer("bob"))
        connection.exec_driver_sql("UPDATE space_members SET role = 'owner'")

    database.write(write, all_spaces=False)
    assert state_of(database) == before


@on_postgresql
def test_every_table_has_rules_for_reading_and_for_writing(stores: StoreMaker) -> None:
    with stores.database().reading() as connection:
        rules = connection.exec_driver_sql(
            "SELECT c.relname, c.relrowsecurity, array_agg(p.polcmd::text ORDER BY p.polcmd)"
            " FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid"
            " WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
            " GROUP BY 1, 2"
        ).all()
        truncated = connection.exec_driver_sql(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace ="
            " current_schema()::regnamespace"
            " AND has_table_privilege('recollect_member', oid, 'TRUNCATE')"
        ).all()
    assert truncated == []
    found = {name: (walled, commands) for name, walled, commands in rules}
    del found["alembic_version"]  # which the role may only read
    assert set(found) == {table.name for table in metadata.sorted_tables} | set(WORDS)
    assert found.pop("store_facts") == (True, ["*", "r"])
    assert found.pop("groups") == (True, ["*"])  # the engine alone reads and writes them
    assert found.pop("group_members") == (True, ["*", "r"])  # people read where they belong
    assert set(map(repr, found.values())) == {repr((True, ["a", "d", "r", "w"]))}


def test_nobody_writes_into_another_space(populated: Populated) -> None:
    database = populated.database

    def plant(connection: Connection) -> None:
        enter(connection, populated.memory.space.id, Viewer("ada"))
        connection.exec_driver_sql(
            "INSERT INTO store_facts VALUES ('x', 'y'); "
            "INSERT INTO space_members SELECT 'spc_other', 'eve', 'owner', 0"
        )

    with pytest.raises(StoreError, match="row-level security"):
        database.write(plant, all_spaces=False)
