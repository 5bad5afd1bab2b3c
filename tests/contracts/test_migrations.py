"""The numbered migrations build the schema exactly, wholly or not at all, on what is ours alone."""

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect

from recollect.engine import Recollect
from recollect.storage import database as door
from recollect.storage import migrate
from recollect.storage.columns import HalfVectors
from recollect.storage.database import Database
from recollect.storage.schema import COLLECTIONS, SCOPE_COLUMNS, metadata
from recollect.vocabulary.errors import StoreDamaged, StoreError, StoreTooNew
from recollect.vocabulary.memory import Memory
from tests.codegraph.projects import SHOP, write
from tests.contracts.state import State, changed, state_of
from tests.recorded_schema import copy_the_schema, run_the_migrations
from tests.stores import StoreMaker

VERSIONS = Path(migrate.__file__).parent / "migrations" / "versions"


@contextmanager
def bare(address: str) -> Iterator[Connection]:
    """A connection that writes, on a store whose schema nobody looks at."""
    dialect = door._dialect_of(address)
    engine = dialect.open_engine(address, busy_seconds=5)
    try:
        with dialect.writer(engine).begin() as connection:
            if stores_vectors(connection):
                connection.dialect.ischema_names["halfvec"] = HalfVectors  # type: ignore[attr-defined]
            yield connection
    finally:
        engine.dispose()


def stores_vectors(connection: Connection) -> bool:
    """Whether the database has a type for vectors, of which an inspector must be told."""
    return connection.dialect.name == "postgresql"


def tables(address: str) -> set[str]:
    with bare(address) as connection:
        return set(inspect(connection).get_table_names())


def build_from_metadata(connection: Connection, address: str) -> None:
    """What the migrations should have built, from ``schema`` alone."""
    dialect = door._dialect_of(address)
    dialect.begin_schema(connection)
    metadata.create_all(connection)
    dialect.create_keyword_tables(connection, COLLECTIONS)
    dialect.protect_columns(connection, SCOPE_COLUMNS)
    dialect.finish_schema(connection)


def inspected(connection: Connection) -> dict[str, Any]:
    """What an inspector says of every table but Alembic's own."""
    inspector = inspect(connection)

    def told(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: told(item) for key, item in sorted(value.items())}
        return str(value)

    def named(items: list[Mapping[str, Any]], *leave_out: str) -> list[str]:
        return sorted(
            repr(told({key: value for key, value in item.items() if key not in leave_out}))
            for item in items
        )

    return {
        table: {
            "columns": named(list(inspector.get_columns(table))),
            "key": inspector.get_pk_constraint(table)["constrained_columns"],
            "foreign keys": named(list(inspector.get_foreign_keys(table)), "name"),
            "unique": named(list(inspector.get_unique_constraints(table)), "name"),
            "indexes": named(list(inspector.get_indexes(table))),
        }
        for table in inspector.get_table_names()
        if table != "alembic_version"
    }


@pytest.fixture(autouse=True)
def migrations_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new store is made by its migrations, as outside of tests."""
    run_the_migrations(monkeypatch)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_other_tests_copy_what_migrations_leave(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated, copied = stores.database(stores.empty()), stores.empty()
    copy_the_schema(monkeypatch)
    with migrated.reading() as ours, stores.database(copied).reading() as theirs:
        assert stores.backend.anatomy(ours) == stores.backend.anatomy(theirs)
    assert changed(state_of(migrated), state_of(stores.database(copied))) == {}


def test_migrations_rebuild_the_schema_exactly(stores: StoreMaker) -> None:
    migrated, built = stores.empty(), stores.empty()
    Database(migrated).close()
    with bare(built) as connection:
        build_from_metadata(connection, built)

    with bare(migrated) as ours, bare(built) as theirs:
        assert inspected(ours) == inspected(theirs)
        anatomy = [part for part in stores.backend.anatomy(ours) if "alembic_version" not in part]
        assert anatomy == stores.backend.anatomy(theirs)
        assert len(anatomy) > len(metadata.tables)


def test_alembic_finds_nothing_left_to_migrate(stores: StoreMaker) -> None:
    address = stores.ready()
    with bare(address) as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "include_object": lambda thing, name, kind, reflected, other: (
                    kind != "table" or not re.search(r"_(keywords|terms)(_\w+)?$", name)
                ),
            },
        )
        assert compare_metadata(context, metadata) == []


def test_the_program_knows_every_numbered_migration() -> None:
    numbers = sorted(path.name[:4] for path in VERSIONS.glob("[0-9]*.py"))

    assert list(migrate.KNOWN) == numbers
    assert numbers[-1] == migrate.HEAD
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]


def test_every_key_begins_with_the_space() -> None:
    """So that the same schema can be spread over machines by that one column."""
    alone = {"store_facts", "groups", "group_members"}  # which belong to no space
    for name, table in metadata.tables.items():
        if name not in alone:
            assert next(column.name for column in table.primary_key) == "space_id", name
            for key in table.foreign_key_constraints:
                assert key.column_keys[0] == "space_id", name


def test_every_column_that_says_whose_a_row_is_is_protected() -> None:
    telling = {"audience_id", "owner", "visibility"}
    for name, table in metadata.tables.items():
        found = telling & set(table.columns.keys())
        if found:
            assert found | {"space_id"} <= set(SCOPE_COLUMNS.get(name, ())), name


@pytest.mark.parametrize("step", ["create_keyword_tables", "protect_columns", "finish_schema"])
def test_migration_that_fails_half_way_leaves_nothing(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    address = stores.empty()

    def fail(*_: object) -> None:
        raise RuntimeError("the plug was pulled")

    with monkeypatch.context() as patched:
        patched.setattr(type(door._dialect_of(address)), step, fail)
        with pytest.raises(RuntimeError, match="the plug was pulled"):
            Database(address)
    assert tables(address) == set()

    stores.database(address)
    assert metadata.tables.keys() <= tables(address)


def test_many_may_open_a_new_store_at_once(stores: StoreMaker) -> None:
    address = stores.empty()
    with ThreadPoolExecutor(6) as pool:
        for opened in pool.map(lambda _: Database(address), range(6)):
            opened.close()

    with bare(address) as connection:
        versions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars()
        assert list(versions) == [migrate.HEAD]


def test_newer_schema_is_refused_and_left_alone(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.remember("kept by a program of tomorrow")
    memory.close()
    with bare(address) as connection:
        before = connection.exec_driver_sql("SELECT * FROM memories").all()
        if stores_vectors(connection):  # the role behind the wall may not write this
            connection.exec_driver_sql("SET LOCAL ROLE NONE")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(StoreTooNew, match=r"schema 9999.*Nothing was changed") as refused:
        Database(address)

    assert refused.value.hint
    with bare(address) as connection:
        assert connection.exec_driver_sql("SELECT * FROM memories").all() == before
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        assert version == "9999"


@pytest.mark.parametrize("theirs", ["recipes", "alembic_version", "spaces"])
def test_database_of_another_program_is_refused_and_left_alone(
    stores: StoreMaker, theirs: str
) -> None:
    address = stores.empty()
    with bare(address) as connection:
        connection.exec_driver_sql(f"CREATE TABLE {theirs} (version_num TEXT)")
        connection.exec_driver_sql(f"INSERT INTO {theirs} VALUES ('soup')")

    with pytest.raises(StoreDamaged, match=f"database belongs to another program.*{theirs}"):
        Database(address)

    assert tables(address) == {theirs}
    with bare(address) as connection:
        assert connection.exec_driver_sql(f"SELECT * FROM {theirs}").all() == [("soup",)]


def test_store_that_does_not_say_its_version_is_refused_and_left_alone(stores: StoreMaker) -> None:
    address = stores.ready()
    with bare(address) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL ROLE NONE")
        connection.exec_driver_sql("DELETE FROM alembic_version")

    with pytest.raises(StoreDamaged, match=r"alembic_version is empty.*Nothing") as told:
        Database(address)

    assert "newer version" not in str(told.value.hint)
    assert migrate.HEAD in str(told.value.hint)


def test_store_without_phases_opens_and_loses_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    before = memory.remember("kept before phases were", tags=["old"], commit="abcdef0")
    memory.close()
    with bare(address) as connection:  # as the version before left it
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL ROLE NONE")
        connection.exec_driver_sql("ALTER TABLE memories DROP COLUMN phase")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0022'")

    memory = stores.open(address)
    after = memory.remember("The mill is painted red.", phase="refine")

    assert memory.get(before.id) == before
    assert before.provenance.phase is None
    found = memory.get(after.id)
    assert isinstance(found, Memory)
    assert found.provenance.phase == "refine"
    assert memory.health().sound


def test_opening_again_changes_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.remember("already here")
    database = stores.database(address)
    before = state_of(database)

    stores.open(address)

    assert state_of(database) == before


# --- Columns that say whose a row is --------------------------------------------------------------


@pytest.fixture(scope="module")
def populated(
    lasting_stores: StoreMaker, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Database, State]:
    """A store with a row in every table that has such columns, and all of its rows.

    Each test finds what the one before left, which is to be what was there at first.
    """
    stores, folder = lasting_stores, tmp_path_factory.mktemp("shop")
    address = stores.ready()
    memory: Recollect = stores.open(address)
    memory.within(space="elsewhere").record("an event of another space")
    memory.open_stream("root", kind="channel")
    memory.open_stream("branch", kind="thread", parent="root")
    said = memory.record("an event")
    memory.remember("a memory of an event", events=[said.id])
    memory.remember("a personal memory", visibility="personal")
    memory.remember("a memory of the team", visibility="team", team="core")
    memory.recall("a question")
    memory.retrievals()  # has what was asked written down
    memory.chat.set(incognito_default=False)
    memory.code.index(write(folder / "shop", SHOP))
    database = stores.database(address)
    return database, state_of(database)


@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column) for table, columns in SCOPE_COLUMNS.items() for column in columns],
)
def test_database_itself_refuses_to_move_a_row(
    populated: tuple[Database, State], table: str, column: str
) -> None:
    database, before = populated
    number = column in {"audience_id", "arrival", "slot", "at", "source_count"}
    other = f"{column} + 1000" if number else f"'another ' || coalesce({column}, '')"

    with pytest.raises(StoreError, match="cannot change"):
        database.write(lambda t: t.exec_driver_sql(f"UPDATE {table} SET {column} = {other}"))

    assert changed(before, state_of(database)) == {}


def test_scope_column_may_be_written_with_the_value_it_has(
    populated: tuple[Database, State],
) -> None:
    database, before = populated
    for table, columns in SCOPE_COLUMNS.items():
        same = ", ".join(f"{column} = {column}" for column in columns)
        done = database.write(lambda t, s=f"UPDATE {table} SET {same}": t.exec_driver_sql(s))  # type: ignore[misc]
        assert done.rowcount > 0, table
    assert changed(before, state_of(database)) == {}
