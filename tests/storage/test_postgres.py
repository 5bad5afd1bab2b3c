"""What only a server can do to us: not be there, refuse the login, lack what we need, only read.

Each is one clear sentence, and no sentence and no trace shows the password.
"""

import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy import make_url

import recollect
from recollect.storage import database as door
from recollect.storage.database import Database
from recollect.storage.dialects.postgres import dialect as postgres
from recollect.storage.dialects.postgres import roles
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.errors import (
    StoreBusy,
    StoreError,
    StoreReadOnly,
    StoreUnavailable,
)
from tests.contracts.state import state_of
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer
from tests.stores import Keeper

PASSWORD = "swordfish"

Run = Callable[[str], None]


@pytest.fixture
def guarded(server: PostgresServer, ready: str) -> Iterator[str]:
    """The address of a store that ada may use and opens with her password."""
    rules = server.data / "pg_hba.conf"
    before = rules.read_text()
    with psycopg.connect(ready, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE ada LOGIN PASSWORD '{PASSWORD}' IN ROLE {roles.ROLE}")
        rules.write_text(f"local all ada scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
    yield with_login(ready, "ada", PASSWORD)
    rules.write_text(before)
    with psycopg.connect(ready, autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP ROLE ada")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tries at everything."""
    monkeypatch.setattr(door, "ATTEMPTS", 2)


def with_login(address: str, user: str, password: str | None) -> str:
    url = make_url(address)._replace(username=user, password=password)
    return url.render_as_string(hide_password=False)


def with_options(address: str, options: str) -> str:
    url = make_url(address).update_query_dict({"options": options})
    return url.render_as_string(hide_password=False)


@contextmanager
def refused(kind: type[StoreError], *words: str) -> Iterator[None]:
    """The block ends with one clear sentence of ours that has these words, and no secrets."""
    with pytest.raises(kind) as caught:
        yield
    told = str(caught.value)
    for part in words:
        assert part in told
    assert "\n" not in told
    assert "psycopg" not in told
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def tables(address: str) -> int:
    with psycopg.connect(address) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        return int(found.fetchone()[0])  # type: ignore[index]


# --- The door -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
def test_no_server_at_the_address(tmp_path: Path) -> None:
    for place in (
        f"ada:{PASSWORD}@localhost:1/house",
        f"ada:{PASSWORD}@/house?host={tmp_path}",
        f"ada@localhost:1/house?password={PASSWORD}",
    ):
        with refused(StoreUnavailable, "No PostgreSQL server answers at", "Check that it runs"):
            Database(f"postgresql://{place}")


@pytest.mark.usefixtures("impatient")
def test_no_machine_of_that_name() -> None:
    with refused(StoreUnavailable, "No PostgreSQL server answers at"):
        Database(f"postgresql://ada:{PASSWORD}@nowhere.invalid/house")


def test_right_password_opens(guarded: str) -> None:
    Database(guarded).close()


def test_wrong_password(guarded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=_never, monotonic=monotonic))
    for wrong in (f"{PASSWORD}es", f"x{PASSWORD}"):
        with refused(StoreUnavailable, "refuses the login", "name or password"):
            Database(with_login(guarded, "ada", wrong))


def test_missing_password(guarded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=_never, monotonic=monotonic))
    with refused(StoreUnavailable, "wants a password", ".pgpass"):
        Database(with_login(guarded, "ada", None))


def test_login_that_no_rule_lets_in(
    server: PostgresServer, guarded: str, administrator: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=_never, monotonic=monotonic))
    rules = server.data / "pg_hba.conf"
    rules.write_text(f"local all ada reject\n{rules.read_text()}")
    administrator("SELECT pg_reload_conf()")
    with refused(StoreUnavailable, "refuses the login"):
        Database(guarded)


def test_no_such_database_or_login(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=_never, monotonic=monotonic))
    for address in (
        server.address("castle"),
        with_login(server.address(), "nobody_we_know", PASSWORD),
    ):
        with refused(StoreUnavailable, "has no such database or login", "Create it first"):
            Database(address)


@pytest.mark.usefixtures("impatient")
def test_server_without_a_connection_to_spare(administrator: Run, ready: str) -> None:
    """A limit of the database's own, which it does not tell from a limit of the server's."""
    name = make_url(ready).database
    administrator(f"ALTER DATABASE {name} CONNECTION LIMIT 0")
    administrator("CREATE ROLE guest LOGIN")
    try:
        with refused(StoreBusy, "no connection left to give"):
            Database(with_login(ready, "guest", PASSWORD))
    finally:
        administrator("DROP ROLE guest")


# --- What the server lacks ------------------------------------------------------------------------


def test_login_that_may_not_make_tables(empty: str, administrator: Run) -> None:
    administrator("CREATE ROLE guest LOGIN")
    try:
        with refused(StoreReadOnly, "no right", "Nothing was changed"):
            Database(with_login(empty, "guest", PASSWORD))
        assert tables(empty) == 0
    finally:
        administrator("DROP ROLE guest")


def test_server_without_pgvector(empty: str) -> None:
    with refused(StoreUnavailable, "no pgvector", "Nothing was changed", "Install"):
        Database(with_options(empty, "-c extension_control_path=/nowhere"))
    assert tables(empty) == 0


def test_server_with_an_old_pgvector(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OLDEST_PGVECTOR", (99, 0))
    with refused(StoreUnavailable, "pgvector is", "Nothing was changed", "Update"):
        Database(empty)
    assert tables(empty) == 0


def test_old_server(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OLDEST", 99)
    with refused(StoreUnavailable, "needs 99 or newer", "Nothing was changed"):
        Database(empty)
    assert tables(empty) == 0


# --- A server that only reads ---------------------------------------------------------------------


def test_server_that_only_reads_is_read_and_not_written(ready: str) -> None:
    with recollect.open(ready, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        kept = memory.remember("readable all the same")
    keeper = Keeper(ready)
    before = state_of(keeper)

    closed = with_options(ready, "-c default_transaction_read_only=on")
    with recollect.open(closed, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        assert memory.get(kept.id) == kept
        assert [hit.id for hit in memory.recall("readable")] == [kept.id]
        with refused(StoreReadOnly, "can only read", "Nothing of this call was written"):
            memory.remember("never")
        with refused(StoreReadOnly, "can only read", "Nothing of this call was written"):
            memory.forget(kept.id)

    assert state_of(keeper) == before
    keeper.close()


def test_replica_is_read_and_not_written() -> None:
    server = PostgresServer(safe=True, settings={"fsync": "off"})
    try:
        options = {"user": "ada", "embedder": WordEmbedder(), "worker": False}
        with recollect.open(server.address(), **options) as memory:  # type: ignore[arg-type]
            kept = memory.remember("readable all the same")
        server.kill()
        (server.data / "standby.signal").touch()
        server.start()

        with recollect.open(server.address(), **options) as memory:  # type: ignore[arg-type]
            assert [hit.id for hit in memory.recall("readable")] == [kept.id]
            with refused(StoreReadOnly, "it is a replica", "primary"):
                memory.remember("never")
            assert [found.id for found in memory.list().items] == [kept.id]
    finally:
        server.stop()


# --- The pool and the clock -----------------------------------------------------------------------


def test_pool_that_is_used_up(ready: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "POOL", 2)
    monkeypatch.setattr(postgres, "OVERFLOW", 1)
    monkeypatch.setattr(postgres, "POOL_SECONDS", 0.05)
    keeper = Keeper(ready)
    before = state_of(keeper)
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(keeper.reading())
        with refused(StoreBusy, "Too many calls at once", "Nothing of this call was written"):
            keeper.write(lambda t: t.exec_driver_sql("DELETE FROM store_facts"))
        with refused(StoreBusy, "Too many calls at once"), keeper.reading():
            pass
    assert state_of(keeper) == before
    keeper.close()


@pytest.mark.parametrize("apart", [timedelta(minutes=5), timedelta(minutes=-5)])
def test_clock_that_is_wrong_is_set_by_the_servers(
    ready: str, monkeypatch: pytest.MonkeyPatch, apart: timedelta
) -> None:
    def wrong() -> object:
        return system_clock() + apart

    monkeypatch.setattr(postgres, "system_clock", wrong)
    keeper = Keeper(ready)

    shared = keeper.shared_clock(wrong)  # type: ignore[arg-type]

    with keeper.reading() as connection:
        before = shared()
        there = connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
        after = shared()
    second = timedelta(seconds=1)
    assert before - second < there < after + second
    keeper.close()


def test_clock_that_was_handed_in_is_left_alone(ready: str) -> None:
    keeper = Keeper(ready)
    assert keeper.shared_clock(wrong := lambda: system_clock() - timedelta(days=9)) is wrong
    keeper.close()


def _never(_: float) -> None:
    raise AssertionError("asking again does not help")


def test_connection_from_before_the_store_learns_of_it(empty: str) -> None:
    """Whoever opens a new store while another makes it may have connected before it was there."""
    engine = postgres.PostgresDialect().open_engine(empty, busy_seconds=1)
    asked = "SELECT pg_backend_pid(), current_user::text"
    with engine.connect() as early:
        pid, before = early.exec_driver_sql(asked).one()
    Database(empty).close()
    with engine.connect() as same:
        row = same.exec_driver_sql(f"{asked}, '[1,2]'::halfvec").one()
    engine.dispose()
    assert before == "postgres"
    assert tuple(row) == (pid, roles.ROLE, b"\x00\x3c\x00\x40")
