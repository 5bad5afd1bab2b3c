"""Attacks on a store of PostgreSQL: logins, rights, settings and files of the server itself."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Engine, create_engine, make_url

from benchmarks.attack.attacks import POSTGRES, attack, expect
from benchmarks.attack.target import Target

_NUMBERS = count()
_COLLECTIONS = ("memories", "events", "chunks")
_PLANT = """
    CREATE FUNCTION pg_temp.turn(text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN EXECUTE 'ALTER ROLE ' || $1 || ' CREATEROLE'; RETURN 1; END $$;
    CREATE TEMPORARY VIEW {table} AS
        SELECT 'x'::text AS space_id, pg_temp.turn('{login}') AS slot, 'a'::tsvector AS tokens;
    GRANT ALL ON {table} TO PUBLIC;
    SELECT set_config('recollect.space', 'x', false);
"""


def run(address: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement on a connection of its own; its rows, if it gives any."""
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def login(target: Target, attributes: str = "") -> Iterator[tuple[str, str]]:
    """A new login of the server: its name, and the store's address with it."""
    name = f"attacker_{next(_NUMBERS)}"
    run(target.address, f"CREATE ROLE {name} LOGIN {attributes}")
    url = make_url(target.address).set(username=name)
    try:
        yield name, url.render_as_string(hide_password=False)
    finally:
        run(target.address, f"DROP OWNED BY {name}")
        run(target.address, f"DROP ROLE {name}")


def _turned(target: Target, attributes: str) -> str:
    """What a login became by having the owner's functions read a view of its own, or nothing."""
    target.open().close()
    with login(target, attributes) as (name, address):
        for collection in _COLLECTIONS:
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(_PLANT.format(table=f"{collection}_keywords", login=name))
                try:
                    connection.execute(f"SELECT * FROM recollect_{collection}_postings('a')")
                except psycopg.Error:
                    continue
        became = "SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = "
        ((owner,),) = run(target.address, f"{became}'{name}'")
        return f"{name} acted with the rights of the tables' owner" if owner else ""


@attack(19, "a login that may only connect becomes the owner by a temporary view", stores=POSTGRES)
def connected_login_becomes_owner(target: Target) -> None:
    seen = _turned(target, "")
    expect(not seen, seen)


@attack(19, "a login of the store becomes its owner by a temporary view", stores=POSTGRES)
def member_login_becomes_owner(target: Target) -> None:
    seen = _turned(target, "IN ROLE recollect_member")
    expect(not seen, seen)


@attack(19, "any login plants a function beside the tables", stores=POSTGRES)
def login_plants_a_function(target: Target) -> None:
    run(target.address, "GRANT CREATE ON SCHEMA public TO PUBLIC")  # as PostgreSQL 14 left it
    target.open().close()
    with login(target) as (_, address):
        try:
            run(address, "CREATE FUNCTION public.lower(integer) RETURNS text RETURN 'mine'")
        except psycopg.errors.InsufficientPrivilege:
            return
    expect(False, "a function of a stranger's lies in the schema of the tables")


@attack(20, "a login that makes roles is locked out of the tables it made", stores=POSTGRES)
def maker_is_locked_out(target: Target) -> None:
    target.open().close()  # the role is there now
    with login(target, "CREATEROLE") as (name, address):
        run(target.address, f"GRANT recollect_member TO {name} WITH ADMIN TRUE, SET FALSE")
        run(target.address, f"CREATE DATABASE of_{name} OWNER {name}")
        there = _within(address, f"of_{name}")
        try:
            run(_within(target.address, f"of_{name}"), "CREATE EXTENSION vector")
            mine = Target(target.store, there, target.folder)
            done = [mine.command("remember", "made by this login"), mine.command("list")]
            seen = [one.stderr for one in done if one.returncode]
            expect(not seen, seen)
        finally:
            run(target.address, f"DROP DATABASE of_{name} WITH (FORCE)")


@attack(20, "a restore without privileges cannot be opened", stores=POSTGRES)
def restore_cannot_be_opened(target: Target) -> None:
    target.command("remember", "The restore drill is on Friday.")
    for kind in ("TABLES", "FUNCTIONS"):
        run(target.address, f"REVOKE ALL ON ALL {kind} IN SCHEMA public FROM recollect_member")
    done = target.command("list")
    expect(done.returncode == 0 and "Friday" in done.stdout, done.stderr)


def _within(address: str, database: str) -> str:
    return make_url(address).set(database=database).render_as_string(hide_password=False)


@attack(23, "a database that is not UTF-8, or set to other dates, ends in a bug", stores=POSTGRES)
def database_of_another_encoding(target: Target) -> None:
    name = make_url(target.address).database
    for encoding in ("SQL_ASCII", "LATIN1"):
        other = f"{name}_{encoding.lower()}"
        run(
            target.address,
            f"CREATE DATABASE {other} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0",
        )
        there = Target(target.store, _within(target.address, other), target.folder)
        done = there.command("remember", "thank you 🙏")
        expect(done.returncode != 0 and encoding in done.stderr, done.stderr or done.stdout)
    for setting in ("datestyle = 'German'", "client_encoding = 'LATIN1'", "row_security = off"):
        run(target.address, f"ALTER DATABASE {name} SET {setting}")
    for words in (("remember", "thank you 🙏"), ("list",), ("doctor",)):
        done = target.command(*words)
        expect(done.returncode == 0, f"{words[0]}: {done.stderr or done.stdout}")


@attack(25, "a read whose connection is cut under it fails", stores=POSTGRES)
def read_is_cut(target: Target) -> None:
    with target.open() as memory:
        kept = memory.remember("The cut falls while this is read.")
        for read in (lambda: memory.get(kept.id), memory.list, lambda: memory.recall("cut falls")):
            with ThreadPoolExecutor(1) as pool, psycopg.connect(target.address) as blocking:
                blocking.execute("LOCK TABLE memories, places IN ACCESS EXCLUSIVE MODE")
                reading = pool.submit(read)
                while not run(target.address, _WAITING):
                    expect(not reading.done(), "nothing waited for the table")
                run(target.address, _END_WAITING)
                blocking.rollback()
                failed = reading.exception()
            expect(failed is None, failed)


_WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    " AND application_name = 'recollect' AND datname = current_database()"
)
_END_WAITING = f"SELECT pg_terminate_backend(pid, 10000) FROM ({_WAITING}) AS waiting"


@attack(25, "another program's database, or an empty version, is told untruly")
def database_is_not_ours(target: Target) -> None:
    engine = sqlalchemy_engine(target)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    done = target.command("list")
    expect("another program" in done.stderr and "recipes" in done.stderr, done.stderr)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE recipes")
    target.command("remember", "ours now")
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    engine.dispose()
    done = target.command("list")
    expect("alembic_version is empty" in done.stderr, done.stderr or done.stdout)


@attack(25, "a time limit or a login that only reads is told untruly", stores=POSTGRES)
def limits_of_the_server(target: Target) -> None:
    target.command("remember", "before the limits")
    name = make_url(target.address).database
    run(target.address, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    done = target.command("remember", "never")
    expect("default_transaction_read_only" in done.stderr, done.stderr or done.stdout)
    other = _within(target.address, "postgres")
    run(other, f"ALTER DATABASE {name} RESET default_transaction_read_only")
    run(other, f"ALTER DATABASE {name} SET statement_timeout = '3s'")
    with psycopg.connect(target.address) as blocking:
        blocking.execute("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE")
        done = target.command("list")
    expect("statement_timeout" in done.stderr, done.stderr or done.stdout)


def sqlalchemy_engine(target: Target) -> Engine:
    """An engine on the target's database as any other program has one."""
    if target.store == "postgres":
        return create_engine(make_url(target.address).set(drivername="postgresql+psycopg"))
    return create_engine(f"sqlite:///{target.address}")


@attack(24, "words that were forgotten lie in the store's files after their erasing")
def words_outlive_their_erasing(target: Target) -> None:
    words = "Quetzalcoatlus porcelain zeppelin"
    with target.open() as memory:
        kept = memory.remember(words)
        said = memory.record(words, stream="talk")
        if target.store == "postgres":
            run(target.address, "ANALYZE")
        memory.forget(kept.id, for_good=True)
        memory.delete_event(said.id)
    done = target.command("doctor", "--erase-traces")
    expect(done.returncode == 0 and "backups" in done.stdout, done.stderr or done.stdout)
    found = [
        f"{path.name}: {word!r}"
        for path in _files(target)
        for word in (b"quetzalcoatl", b"porcelain", b"zeppelin")
        if path.is_file() and word in path.read_bytes().lower()
    ]
    expect(not found, found)


def _files(target: Target) -> list[Path]:
    if target.store == "sqlite":
        return [path for path in target.folder.iterdir() if "memory.db" in path.name]
    run(target.address, "CHECKPOINT")
    ((folder, number),) = run(
        target.address,
        "SELECT current_setting('data_directory'), oid::text FROM pg_database"
        " WHERE datname = current_database()",
    )
    return list((Path(folder) / "base" / number).iterdir())


_READ_BY_STRANGER = (
    "memories", "events", "audiences", "streams", "stream_members", "space_members", "jobs",
    "places", "vectors", "place_changes", "memories_keywords", "events_keywords",
    "memory_tags", "memory_history", "access_tokens", "schedules",
)  # fmt: skip
_WRITTEN_BY_STRANGER = (
    "UPDATE space_members SET role = 'owner'",
    "INSERT INTO space_members SELECT space_id, 'eve', 'owner', 0 FROM spaces",
    "DELETE FROM memories_keywords",
    "UPDATE memories SET content = 'mine'",
    "DELETE FROM memories",
    "UPDATE streams SET access = 'open'",
    "UPDATE spaces SET name = 'mine'",
    "DELETE FROM jobs",
    "DELETE FROM store_facts",
    "TRUNCATE memories_keywords",
    "TRUNCATE memories CASCADE",
)


@attack(21, "a stranger in the space reads without any filter", stores=POSTGRES)
def stranger_reads(target: Target) -> None:
    with _inhabited(target) as space, _as_stranger(target, space) as connection:
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in _READ_BY_STRANGER
        }
        found = {table: count for table, count in counts.items() if count}
        expect(not found, f"rows that a stranger saw: {found}")


@attack(21, "a stranger in the space writes roles, words and memories", stores=POSTGRES)
def stranger_writes(target: Target) -> None:
    with _inhabited(target) as space:
        for statement in _WRITTEN_BY_STRANGER:
            with _as_stranger(target, space) as connection:
                try:
                    changed = connection.execute(statement).rowcount
                except psycopg.Error:
                    continue
                connection.rollback()
            expect(changed == 0, f"{statement}: {changed} rows")


@contextmanager
def _inhabited(target: Target) -> Iterator[str]:
    """A space with personal memories, a private stream and work to do; its id."""
    with target.open() as memory:
        memory.remember("for all to see", tags=["open"])
        memory.remember("ada's diagnosis is nobody's business", visibility="personal")
        memory.open_stream("layoffs", access="private")
        memory.record("who goes first", stream="layoffs")
        memory.admit("layoffs", "bob")
        yield memory.space.id


@contextmanager
def _as_stranger(target: Target, space: str) -> Iterator[Any]:
    """A transaction that has entered the space as somebody who does not belong to it."""
    with psycopg.connect(target.address) as connection:
        connection.execute("SET ROLE recollect_member")
        has = connection.execute("SELECT to_regproc('recollect_enter') IS NOT NULL").fetchone()
        if has == (True,):
            connection.execute("SELECT recollect_enter(%s, 'eve', '', '', false)", (space,))
        else:
            connection.execute(
                "SELECT set_config('recollect.space', %s, true),"
                " set_config('recollect.user', 'eve', true)",
                (space,),
            )
        yield connection
        connection.rollback()
