"""Whose rights are whose on a server: nobody becomes the owner, and the owner is not locked out.

The logins here are real ones of a real server, and what they try is plain SQL of their own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from alembic import command
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import make_url

import recollect
from recollect.storage import migrate
from recollect.storage.database import Database
from recollect.storage.schema import COLLECTIONS
from recollect.vocabulary.errors import StoreReadOnly
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer

Run = Callable[[str], None]
_numbers = count()


@contextmanager
def login(run: Run, address: str, *attributes: str) -> Iterator[tuple[str, str]]:
    """A new login with these attributes: its name, and the address with it."""
    name = f"somebody_{next(_numbers)}"
    run(f"CREATE ROLE {name} LOGIN {' '.join(attributes)}")
    try:
        yield name, make_url(address).set(username=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"REASSIGN OWNED BY {name} TO postgres")
            connection.execute(f"DROP OWNED BY {name}")
        run(f"DROP ROLE {name}")


def opened(address: str) -> recollect.Recollect:
    return recollect.open(address, user="ada", embedder=WordEmbedder(), worker=False)


# --- Functions that run with their owner's rights -------------------------------------------------

#: A table of the attacker's that stands for the one that the function means to read.
PLANT = """
    CREATE FUNCTION pg_temp.turn(text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN EXECUTE 'ALTER ROLE ' || $1 || ' CREATEROLE'; RETURN 1; END $$;
    CREATE TEMPORARY VIEW {table} AS
        SELECT 'x'::text AS space_id, pg_temp.turn('{login}') AS slot, 'a'::tsvector AS tokens;
    GRANT ALL ON {table} TO PUBLIC;
    SELECT set_config('recollect.space', 'x', false);
"""


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_login_that_may_only_connect_does_not_become_the_owner(
    ready: str, administrator: Run, collection: str
) -> None:
    with login(administrator, ready) as (name, address):
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(PLANT.format(table=f"{collection}_keywords", login=name))
            with pytest.raises(InsufficientPrivilege, match="permission denied for function"):
                connection.execute(f"SELECT * FROM recollect_{collection}_postings('a')")
        assert not may_make_roles(ready, name)


def test_login_of_the_store_does_not_become_its_owner(ready: str, administrator: Run) -> None:
    """The role behind the wall may call the functions, and still cannot say what they read."""
    with (
        login(administrator, ready, "IN ROLE recollect_member") as (name, address),
        psycopg.connect(address, autocommit=True) as connection,
    ):
        for collection in COLLECTIONS:
            connection.execute(PLANT.format(table=f"{collection}_keywords", login=name))
            connection.execute(f"SELECT * FROM recollect_{collection}_postings('a')")
            connection.execute("DROP FUNCTION pg_temp.turn CASCADE")
        assert not may_make_roles(ready, name)


def test_functions_name_their_search_path_and_nobody_else_may_call_them(ready: str) -> None:
    with psycopg.connect(ready) as connection:
        rows = connection.execute(
            "SELECT p.proname, p.prosecdef, p.proconfig,"
            " has_function_privilege('public', p.oid, 'EXECUTE')"
            " FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        ).fetchall()
    assert {name for name, *_ in rows} >= {f"recollect_{name}_postings" for name in COLLECTIONS}
    for name, definer, settings, open_to_all in rows:
        assert not open_to_all, name
        path = [one for one in settings or () if one.startswith("search_path=")]
        if definer:
            assert path == ["search_path=pg_catalog, public, pg_temp"], name


def test_store_made_before_is_mended_when_it_is_opened(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As schema 0009 left it: a search path that looks into pg_temp first, open to all."""
    ready = empty
    with monkeypatch.context() as patched:
        upgrade = command.upgrade
        patched.setattr(migrate, "HEAD", "0010")
        patched.setattr(command, "upgrade", lambda config, _: upgrade(config, "0010"))
        Database(ready).close()
    with psycopg.connect(ready, autocommit=True) as connection:
        for collection in COLLECTIONS:
            name = f"recollect_{collection}_postings(text)"
            connection.execute(f"ALTER FUNCTION {name} SET search_path = '$user', public")
            connection.execute(f"GRANT EXECUTE ON FUNCTION {name} TO PUBLIC")
        connection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        connection.execute("UPDATE alembic_version SET version_num = '0009'")

    with opened(ready) as memory:
        assert memory.health().sound
        kept = memory.remember("The deploy key is rotated on Mondays.")
        assert [hit.id for hit in memory.recall("deploy key")] == [kept.id]

    test_functions_name_their_search_path_and_nobody_else_may_call_them(ready)
    with psycopg.connect(ready) as connection:
        row = connection.execute(
            "SELECT has_schema_privilege('public', 'public', 'CREATE'),"
            " (SELECT version_num FROM alembic_version)"
        ).fetchone()
    assert row == (False, migrate.HEAD)


def test_doctor_names_functions_that_are_open_to_all(ready: str) -> None:
    with psycopg.connect(ready, autocommit=True) as connection:
        connection.execute("GRANT EXECUTE ON FUNCTION recollect_memories_postings TO PUBLIC")
        connection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    with opened(ready) as memory:
        told = memory.stats()["store"]["open"]
    assert "may call recollect_memories_postings(text)" in told
    assert "REVOKE CREATE ON SCHEMA public FROM PUBLIC" in told


def may_make_roles(address: str, name: str) -> bool:
    with psycopg.connect(address) as connection:
        row = connection.execute(
            "SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = %s", (name,)
        ).fetchone()
    assert row is not None
    return bool(row[0])


# --- The server of compose.yaml -------------------------------------------------------------------

PREPARED = Path(__file__).parents[2] / "deploy" / "postgres" / "prepare.sh"


def test_owner_that_compose_prepares_is_no_superuser(
    server: PostgresServer, administrator: Run
) -> None:
    """The script that the container runs when it starts for the first time, on a real server."""
    server.run_script(PREPARED, RECOLLECT_PASSWORD="sword'fish")
    address = make_url(server.address("recollect")).set(username="recollect")
    try:
        with opened(address.render_as_string(hide_password=False)) as memory:
            kept = memory.remember("Owned by nobody's superuser.")
            assert [hit.id for hit in memory.recall("superuser")] == [kept.id]
            assert memory.health().sound
            assert memory.stats()["store"]["wall"] == "up (role recollect_member)"
        with psycopg.connect(server.address("recollect")) as connection:
            row = connection.execute(
                "SELECT r.rolsuper, r.rolcreaterole, r.rolbypassrls, r.rolcreatedb"
                " FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner"
                " WHERE c.oid = 'memories'::regclass"
            ).fetchone()
        assert row == (False, False, False, False)
    finally:
        administrator("DROP DATABASE recollect WITH (FORCE)")
        administrator("DROP ROLE recollect")


# --- Logins that are no superusers ----------------------------------------------------------------


@contextmanager
def database_of(run: Run, server: PostgresServer, *attributes: str) -> Iterator[str]:
    """An empty database with pgvector that belongs to a new login."""
    with login(run, server.address(), *attributes) as (name, address):
        database = f"of_{name}"
        run(f"CREATE DATABASE {database} OWNER {name}")
        with psycopg.connect(server.address(database), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        try:
            yield make_url(address).set(database=database).render_as_string(hide_password=False)
        finally:
            run(f"DROP DATABASE {database} WITH (FORCE)")


def test_login_that_makes_roles_makes_the_store_and_uses_it() -> None:
    """The role is new to the server, so this login makes it: it belongs to it and may not take it
    until it says so."""
    server = PostgresServer()

    def run(statement: str) -> None:
        with psycopg.connect(server.address(), autocommit=True) as connection:
            connection.execute(statement)

    try:
        with database_of(run, server, "CREATEROLE") as address:
            for _ in range(2):
                with opened(address) as memory:
                    memory.remember("made and used by one login")
                    assert memory.recall("made and used")
                    assert memory.stats()["store"]["wall"] == "up (role recollect_member)"
    finally:
        server.stop()


def test_login_that_belongs_to_the_role_and_may_not_take_it_is_bound_by_force(
    server: PostgresServer, administrator: Run
) -> None:
    with database_of(administrator, server) as address:
        name = make_url(address).username
        administrator(f"GRANT recollect_member TO {name} WITH SET FALSE, INHERIT TRUE")
        with opened(address) as memory:
            kept = memory.remember("bound by force")
            assert [hit.id for hit in memory.recall("force")] == [kept.id]
            assert memory.stats()["store"]["wall"] == "up (forced)"


def test_login_that_may_not_install_pgvector_is_told_who_may(
    server: PostgresServer, administrator: Run
) -> None:
    with login(administrator, server.address()) as (name, address):
        administrator(f"CREATE DATABASE of_{name} OWNER {name}")
        try:
            with pytest.raises(StoreReadOnly, match="no right to install pgvector") as refused:
                Database(
                    make_url(address)
                    .set(database=f"of_{name}")
                    .render_as_string(hide_password=False)
                )
        finally:
            administrator(f"DROP DATABASE of_{name} WITH (FORCE)")
    assert "CREATE EXTENSION vector" in str(refused.value.hint)


# --- A restore that leaves the rights out ---------------------------------------------------------


def test_restore_without_privileges_opens_for_the_owner(
    server: PostgresServer, ready: str, administrator: Run
) -> None:
    with opened(ready) as memory:
        kept = memory.remember("outlived a restore")
    restored = restore(server, ready, administrator)

    with opened(restored) as memory:
        assert memory.get(kept.id) == kept
        assert [hit.id for hit in memory.recall("outlived")] == [kept.id]
        assert memory.stats()["store"]["wall"] == "up (role recollect_member)"
        assert memory.health().sound
        memory.remember("and can be written to")


def test_restore_on_a_server_that_never_had_the_role(
    server: PostgresServer, ready: str, administrator: Run
) -> None:
    with opened(ready) as memory:
        kept = memory.remember("outlived a restore")
    other = PostgresServer()
    try:
        restored = restore(server, ready, lambda _: None, other)
        with opened(restored) as memory:
            assert [hit.id for hit in memory.recall("outlived")] == [kept.id]
            assert memory.stats()["store"]["wall"] == "up (role recollect_member)"
    finally:
        other.stop()


def test_restore_without_privileges_tells_another_login_who_can_help(
    server: PostgresServer, ready: str, administrator: Run
) -> None:
    restored = restore(server, ready, administrator)
    with login(administrator, restored, "IN ROLE recollect_member") as (name, address):
        with pytest.raises(StoreReadOnly, match=f"{name} has no right") as refused:
            Database(address)
        assert "belong to postgres" in str(refused.value)
        assert "Open the store once with the login postgres" in str(refused.value.hint)
        Database(restored).close()
        Database(address).close()


def restore(
    server: PostgresServer, address: str, run: Run, other: PostgresServer | None = None
) -> str:
    """Dump a store without its privileges and restore it into a new database; its address."""
    target = other or server
    name = "postgres" if other else f"restored_{next(_numbers)}"
    run(f"CREATE DATABASE {name}")
    dump = server.run_program("pg_dump", "--no-privileges", "--dbname", address)
    target.run_program("psql", "--quiet", "--dbname", target.address(name), told=dump)
    return target.address(name)
