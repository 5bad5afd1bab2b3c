"""Connections that are cut and servers that die: a write is done once, or a clear error says why.

Whatever fails here, fails at the driver or in the server itself; the store above is the real one.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import monotonic
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

import recollect
from recollect.engine import Recollect
from recollect.storage import database as door
from recollect.storage.database import Transaction
from recollect.storage.dialects.postgres import commit_status
from recollect.storage.prepared import cursor_of
from recollect.vocabulary.errors import CommitUnknown, ConnectionLost, StoreBusy, StoreUnavailable
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer
from tests.stores import Keeper

Cut = Callable[[], None]


@pytest.fixture
def keeper(ready: str) -> Iterator[Keeper]:
    """A store with a table that takes the same row twice."""
    with psycopg.connect(ready, autocommit=True) as connection:
        connection.execute("CREATE TABLE effects (word text NOT NULL)")
        connection.execute("GRANT ALL ON effects TO recollect_member")
    opened = Keeper(ready)
    yield opened
    opened.close()


@pytest.fixture
def memory(ready: str) -> Iterator[Recollect]:
    with recollect.open(ready, user="ada", embedder=WordEmbedder(), worker=False) as opened:
        yield opened


@pytest.fixture
def cut(ready: str) -> Cut:
    """Cuts every connection of the store from outside."""

    def run() -> None:
        with psycopg.connect(ready, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    return run


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nobody hears of it through the log either: the pool would tell a trace of the driver.

    That a call waits is told where it lasts, as on a machine that starts a server slowly.
    """
    yield
    warnings = [one for one in caplog.get_records("call") if one.levelno >= logging.WARNING]
    assert [one for one in warnings if one.name != "recollect.waiting"] == []


def put(word: str) -> Callable[[Transaction], None]:
    def work(transaction: Transaction) -> None:
        transaction.exec_driver_sql(f"INSERT INTO effects VALUES ('{word}')")

    return work


def words(keeper: Keeper) -> list[str]:
    with keeper.reading() as transaction:
        return list(transaction.exec_driver_sql("SELECT word FROM effects ORDER BY 1").scalars())


class Commits:
    """Has each coming commit of a store go wrong in the way that was given, until none is left."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *ways: Callable[[Any], None]) -> None:
        self.ways = list(ways)
        real = psycopg.Connection.commit

        def commit(connection: Any) -> None:
            writes = connection.execute("SHOW transaction_read_only").fetchone() == ("off",)
            if writes and self.ways:
                self.ways.pop(0)(connection)
                raise psycopg.OperationalError("consuming input failed: server closed")
            real(connection)

        monkeypatch.setattr(psycopg.Connection, "commit", commit)


def unanswered(connection: Any) -> None:
    """The server commits, and its answer is lost."""
    connection.execute("COMMIT")
    connection.close()


def unheard(connection: Any) -> None:
    """The server never hears of it."""
    connection.close()


def hanging(address: str, held: list[Any]) -> Callable[[Any], None]:
    """The connection is lost to us, but the server has not ended the transaction yet."""

    def hang(connection: Any) -> None:
        held.append(connection.pgconn)
        dead = psycopg.connect(address)
        dead.close()
        connection.pgconn = dead.pgconn

    return hang


# --- A server that dies ---------------------------------------------------------------------------


def test_server_killed_between_two_writes(server: PostgresServer, memory: Recollect) -> None:
    first = memory.remember("before the crash")
    server.kill()
    server.start()
    second = memory.remember("after the crash")

    assert memory.get(first.id) == first
    assert {hit.id for hit in memory.recall("crash")} == {first.id, second.id}
    assert memory.health().sound


def test_read_after_a_crash_simply_works(server: PostgresServer, memory: Recollect) -> None:
    kept = memory.remember("before the crash")
    server.kill()
    server.start()
    assert memory.get(kept.id) == kept


def test_pool_full_of_dead_connections_fails_nobody(keeper: Keeper, cut: Cut) -> None:
    """More of them than there are tries."""
    with ExitStack() as held:
        for _ in range(door.ATTEMPTS + 4):
            held.enter_context(keeper.reading())
    cut()
    keeper.write(put("once"))
    assert words(keeper) == ["once"]
    cut()
    assert words(keeper) == ["once"]


def test_server_that_comes_back_in_time_is_waited_for(
    server: PostgresServer, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper.write(put("before"))
    server.kill()
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == door.ATTEMPTS - 1:
            server.start()

    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=pause, monotonic=monotonic))
    keeper.write(put("after"))
    assert len(pauses) == door.ATTEMPTS - 1
    assert words(keeper) == ["after", "before"]


def test_server_that_stays_away_is_said_plainly_and_the_store_goes_on_later(
    server: PostgresServer, memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memory.remember("before the crash")
    server.kill()
    with monkeypatch.context() as hasty:
        hasty.setattr(door, "ATTEMPTS", 2)
        for verb in (
            lambda: memory.remember("never"),
            lambda: memory.get(kept.id),
            lambda: memory.recall("crash"),
            memory.health,
        ):
            with pytest.raises(StoreUnavailable, match="No PostgreSQL server answers") as told:
                verb()
            assert "Nothing of this call was written" in str(told.value)
            assert not isinstance(told.value, CommitUnknown)
    server.start()
    assert [hit.id for hit in memory.recall("crash")] == [kept.id]
    assert [found.id for found in memory.list().items] == [kept.id]


# --- A connection that is cut ---------------------------------------------------------------------


def test_write_whose_connection_is_cut_is_done_once(keeper: Keeper, cut: Cut) -> None:
    runs: list[int] = []

    def work(transaction: Transaction) -> None:
        runs.append(len(runs))
        put("first")(transaction)
        if len(runs) == 1:
            cut()
        put("second")(transaction)

    keeper.write(work)
    assert runs == [0, 1]
    assert words(keeper) == ["first", "second"]


def test_write_whose_connection_is_cut_every_time_is_not_done(
    keeper: Keeper, cut: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=lambda _: None, monotonic=monotonic))
    runs: list[int] = []

    def work(transaction: Transaction) -> None:
        runs.append(len(runs))
        put("never")(transaction)
        cut()
        put("never")(transaction)

    with pytest.raises(StoreUnavailable):
        keeper.write(work)
    assert len(runs) == door.ATTEMPTS
    assert words(keeper) == []


def test_hint_that_cannot_be_sent_does_not_spoil_a_write(
    keeper: Keeper, cut: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell = keeper.dialect.notify

    def after_a_cut(engine: Any) -> None:
        cut()
        tell(engine)

    monkeypatch.setattr(keeper.dialect, "notify", after_a_cut)
    keeper.write(put("kept"))
    assert words(keeper) == ["kept"]


class Reads:
    """Has connections of readers cut, as often as was said, once their transaction has begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cut: Cut, times: int) -> None:
        self.left = times
        begun = door.Database._begun

        def begin(database: door.Database, house: bool) -> Transaction:
            connection = begun(database, house)
            if self.left:
                self.left -= 1
                cut()
            return connection

        monkeypatch.setattr(door.Database, "_begun", begin)


READS: dict[str, Callable[[Recollect, str], object]] = {
    "get": lambda memory, known: memory.get(known),
    "list": lambda memory, known: memory.list().items[0],
    "recall": lambda memory, known: [hit.id for hit in memory.recall("before the cut")],
    "history": lambda memory, known: memory.history(known),
    "stats": lambda memory, known: memory.stats()["memories"],
    "members": lambda memory, known: memory.members(),
    "streams": lambda memory, known: memory.streams(),
    "entries": lambda memory, known: memory.chat.entries(),
    "within": lambda memory, known: memory.within(space="default", make=False).space,
}


@pytest.mark.parametrize("verb", READS)
def test_read_whose_connection_is_cut_is_repeated_once(
    memory: Recollect, cut: Cut, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    kept = memory.remember("before the cut")
    expected = READS[verb](memory, kept.id)
    reads = Reads(monkeypatch, cut, 1)
    assert READS[verb](memory, kept.id) == expected
    assert reads.left == 0


def test_read_whose_connection_is_cut_again_says_so(
    memory: Recollect, cut: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = memory.remember("before the cut")
    reads = Reads(monkeypatch, cut, 9)
    with pytest.raises(ConnectionLost, match="ended the connection"):
        memory.get(kept.id)
    assert reads.left == 7


# --- A commit without an answer -------------------------------------------------------------------


def test_commit_whose_answer_was_lost_is_not_done_again(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = Commits(monkeypatch, unanswered)
    keeper.write(put("once"))
    assert commits.ways == []
    assert words(keeper) == ["once"]


def test_commit_that_never_arrived_is_done_again(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = Commits(monkeypatch, unheard, unheard)
    keeper.write(put("once"))
    assert commits.ways == []
    assert words(keeper) == ["once"]


def test_lost_commit_of_a_verb_is_done_once(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    Commits(monkeypatch, unheard, unanswered)
    kept = memory.remember("told once")
    assert [found.id for found in memory.list().items] == [kept.id]


def test_commit_that_is_still_under_way_is_waited_for(
    ready: str, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Any] = []
    waited: list[float] = []

    def end(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            held[0].exec_(b"COMMIT")

    Commits(monkeypatch, hanging(ready, held))
    monkeypatch.setattr(commit_status, "time", SimpleNamespace(sleep=end, monotonic=monotonic))
    keeper.write(put("once"))
    assert len(waited) == 3
    assert words(keeper) == ["once"]
    held[0].finish()


def test_commit_that_does_not_end_is_not_guessed_at(
    ready: str, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Any] = []
    Commits(monkeypatch, hanging(ready, held))
    monkeypatch.setattr(commit_status, "STATUS_TIMEOUT_SECONDS", 0.0)
    with pytest.raises(CommitUnknown):
        keeper.write(put("perhaps"))
    held[0].exec_(b"COMMIT")
    held[0].finish()
    assert words(keeper) == ["perhaps"]


@pytest.mark.parametrize("way", [unanswered, unheard])
def test_commit_of_which_nobody_can_tell_is_told_so(
    server: PostgresServer,
    keeper: Keeper,
    monkeypatch: pytest.MonkeyPatch,
    way: Callable[[Any], None],
) -> None:
    def and_the_server_dies(connection: Any) -> None:
        way(connection)
        server.kill()

    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=lambda _: None, monotonic=monotonic))
    Commits(monkeypatch, and_the_server_dies)
    with pytest.raises(CommitUnknown, match="whether it was kept is not known") as told:
        keeper.write(put("perhaps"))
    assert "Nothing" not in str(told.value)
    server.start()
    assert words(keeper) == (["perhaps"] if way is unanswered else [])


@pytest.mark.parametrize(("way", "runs"), [(unanswered, 1), (unheard, 2)])
def test_server_that_crashed_over_a_commit_still_knows(
    server: PostgresServer,
    keeper: Keeper,
    monkeypatch: pytest.MonkeyPatch,
    way: Callable[[Any], None],
    runs: int,
) -> None:
    def and_the_server_starts_anew(connection: Any) -> None:
        way(connection)
        server.kill()
        server.start()

    done = []

    def work(transaction: Transaction) -> None:
        done.append(1)
        put("once")(transaction)

    Commits(monkeypatch, and_the_server_starts_anew)
    keeper.write(work)
    assert len(done) == runs
    assert words(keeper) == ["once"]


def test_number_that_was_given_out_again_is_not_taken_for_ours(
    server: PostgresServer, ready: str, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of ours had reached the disk when the server crashed, so another got our number."""
    numbers: dict[str, int] = {}

    def number_of(connection: Any) -> int:
        return int(connection.execute("SELECT pg_current_xact_id()::text").fetchone()[0])

    def and_others_are_faster(connection: Any) -> None:
        numbers["ours"] = number_of(connection)
        server.kill()
        server.start()
        with psycopg.connect(ready) as other:
            while numbers.get("theirs", 0) < numbers["ours"]:
                numbers["theirs"] = number_of(other)
                other.execute("INSERT INTO effects VALUES ('theirs')")
                other.execute("COMMIT")

    Commits(monkeypatch, and_others_are_faster)
    keeper.write(put("ours"))
    assert numbers["ours"] == numbers["theirs"]
    assert words(keeper).count("ours") == 1


# --- Conflicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_conflict_is_tried_again_within_bounds(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(door, "time", SimpleNamespace(sleep=lambda _: None, monotonic=monotonic))
    runs: list[int] = []

    def work(transaction: Transaction) -> None:
        runs.append(1)
        put("word")(transaction)
        if len(runs) < wanted:
            transaction.exec_driver_sql(
                f"DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '{code}'; END $$"
            )

    wanted = door.ATTEMPTS
    keeper.write(work)
    assert len(runs) == door.ATTEMPTS
    assert words(keeper) == ["word"]

    runs.clear()
    wanted = door.ATTEMPTS + 1
    with pytest.raises(StoreBusy, match="Nothing of this call was written"):
        keeper.write(work)
    assert len(runs) == door.ATTEMPTS
    assert words(keeper) == ["word"]


def test_real_deadlock_is_resolved(keeper: Keeper) -> None:
    """Two writers hold what the other wants; the one that the server turns away comes again."""
    keeper.write(lambda t: (put("left")(t), put("right")(t)))
    both_hold = threading.Barrier(2, timeout=120)
    met = {"left": 0, "right": 0}

    def touch(first: str, second: str) -> Callable[[Transaction], None]:
        def work(transaction: Transaction) -> None:
            met[first] += 1
            for word in (first, second):
                transaction.exec_driver_sql(f"UPDATE effects SET word = word WHERE word = '{word}'")
                if word == first and met[first] == 1:
                    both_hold.wait()

        return work

    other = threading.Thread(target=lambda: keeper.write(touch("right", "left")))
    other.start()
    keeper.write(touch("left", "right"))
    other.join(120)
    assert not other.is_alive()
    assert sorted(met.values()) == [1, 2]
    assert words(keeper) == ["left", "right"]


def test_reads_of_a_cut_connection_are_told_plainly(keeper: Keeper, cut: Cut) -> None:
    def read() -> None:
        with keeper.reading() as transaction:
            cut()
            cursor_of(transaction).execute("SELECT 1")

    with pytest.raises(StoreUnavailable, match="ended the connection"):
        read()
    assert words(keeper) == []


def test_dead_connections_are_thrown_away_once(keeper: Keeper, cut: Cut) -> None:
    """One that was made after the cut is kept and used again."""
    made: list[object] = []
    words(keeper)
    cut()
    event.listen(keeper._engine, "connect", lambda driver, _: made.append(driver))
    for _ in range(5):
        words(keeper)
    assert len(made) == 1
