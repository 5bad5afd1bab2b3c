"""What only a file can suffer: not a database, no room, no right to write, a damaged page."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event

import recollect
from recollect import composition
from recollect.engine import Recollect
from recollect.storage.database import Database
from recollect.storage.dialects.sqlite import SqliteDialect
from recollect.storage.schema import COLLECTIONS
from recollect.vocabulary.errors import (
    InvalidSetting,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)
from tests.contracts.state import state_of
from tests.embedders import WordEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Recollect]:
    with recollect.open(path, user="ada", embedder=WordEmbedder(), worker=False) as opened:
        yield opened


def new_connections(memory: Recollect) -> Engine:
    """The engine of a memory, which has to connect anew for whatever comes next."""
    database = memory._services.recall._database
    for connection in (database._kept, *database._idle):
        if connection is not None:
            connection.close()
    database._kept = None
    database._idle.clear()
    database._engine.dispose()
    return database._engine


def test_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1_000)
    with pytest.raises(StoreDamaged, match="not a SQLite database") as refused:
        Database(str(path))
    assert "--db" in (refused.value.hint or "")
    assert path.read_bytes() == b"Dear diary, " * 1_000


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        Database(str(tmp_path))


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        Database(str(tmp_path / "file" / "deeper" / "memory.db"))


def test_missing_folders_are_made(tmp_path: Path) -> None:
    Database(str(tmp_path / "a" / "b" / "memory.db")).close()
    assert (tmp_path / "a" / "b" / "memory.db").exists()


def test_a_folder_that_was_misspelled_is_not_made(tmp_path: Path, path: Path) -> None:
    """The same for a program that opens a store as for a command that is typed."""
    path.write_bytes(b"")
    missing = tmp_path / "misspeled" / "memory.db"
    for address in (missing, f"sqlite:///{missing}"):
        with pytest.raises(StoreUnavailable, match=r"does not exist\. Nothing was changed"):
            recollect.open(address, worker=False)
    with pytest.raises(StoreUnavailable, match=r"does not exist\. Nothing was changed"):
        composition.move(str(path), str(missing))
    with pytest.raises(StoreUnavailable, match="is a folder, not a file"):
        recollect.open(tmp_path, worker=False)
    assert not missing.parent.exists()


def test_empty_file_is_a_new_store(path: Path) -> None:
    path.touch()
    Database(str(path)).close()
    assert path.stat().st_size > 0


def test_full_disk_is_said_plainly_and_nothing_is_half_written(
    path: Path, memory: Recollect
) -> None:
    memory.remember("before the disk was full")
    database = Database(str(path))
    before = state_of(database)

    def no_room(connection: object, *_: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[attr-defined]

    engine = new_connections(memory)
    event.listen(engine, "connect", no_room)
    with pytest.raises(StoreFull, match="disk is full"):
        memory.record("x" * 5_000_000)
    assert state_of(database) == before
    event.remove(engine, "connect", no_room)
    new_connections(memory)
    memory.record("room again")
    database.close()


def test_file_that_may_not_be_written_is_said_plainly(path: Path, memory: Recollect) -> None:
    kept = memory.remember("readable all the same")

    def read_only(connection: object, *_: object) -> None:
        connection.execute("PRAGMA query_only = ON")  # type: ignore[attr-defined]

    event.listen(new_connections(memory), "connect", read_only)
    with pytest.raises(StoreReadOnly, match="read-only"):
        memory.remember("never")
    assert memory.get(kept.id) == kept
    assert [hit.id for hit in memory.recall("readable")] == [kept.id]


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_damaged_full_text_is_noticed_and_made_anew(
    path: Path, memory: Recollect, collection: str, tmp_path: Path
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    for number in range(50):
        memory.remember(f"alpha memory {number}")
        memory.record(f"alpha event {number}")
        (code / f"part{number}.py").write_text(f"def alpha{number}():\n    return {number}\n")
    memory.code.index(code)
    expected = [hit.id for hit in memory.recall("alpha", limit=200)]
    database = Database(str(path))
    database.write(
        lambda t: t.exec_driver_sql(
            f"UPDATE {collection}_keywords_data SET block = x'ff00ff00ff' WHERE id > 10"
        )
    )

    health = memory.health()
    assert not health.sound
    assert any(collection in problem for problem in health.keyword_problems)

    memory.rebuild_index()
    assert memory.health().sound
    assert [hit.id for hit in memory.recall("alpha", limit=200)] == expected
    database.close()


def test_row_that_points_at_nothing_is_noticed(path: Path, memory: Recollect) -> None:
    memory.remember("alpha", tags=["red"])
    database = Database(str(path))

    def cut_loose(connection: object) -> None:
        raw = connection.connection.dbapi_connection  # type: ignore[attr-defined]
        raw.execute("COMMIT")
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("DELETE FROM memories")

    database.write(cut_loose)
    health = memory.health()
    assert not health.sound
    assert any("memory_tags" in problem for problem in health.store_problems)
    database.close()


def test_file_that_others_hold_for_too_long_is_said_plainly(path: Path, memory: Recollect) -> None:
    impatient, holder = Database(str(path), busy_seconds=0.01), Database(str(path))

    def hold(_: object) -> None:
        """In a thread of its own: a call inside another has the patience of the outer one."""
        with (
            ThreadPoolExecutor(1) as other,
            pytest.raises(StoreBusy, match=r"Nothing of this call was written"),
        ):
            other.submit(impatient.write, lambda transaction: None).result()

    holder.write(hold)
    for database in (impatient, holder):
        database.close()
    assert memory.remember("works again").id


def test_a_read_that_cannot_begin_waits_as_a_write_does(
    path: Path, memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("alpha")
    database, hasty = Database(str(path)), Database(str(path), busy_seconds=0.0)
    begin, refusals = SqliteDialect.begin, [2]

    def refuse(self: SqliteDialect, connection: Connection) -> None:
        if refusals[0]:
            refusals[0] -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorname = "SQLITE_BUSY"
            raise error
        begin(self, connection)

    monkeypatch.setattr(SqliteDialect, "begin", refuse)
    with database.reading() as transaction:
        assert transaction.exec_driver_sql("SELECT count(*) FROM memories").scalar() == 1
    assert refusals == [0]

    refusals[0] = 1  # whoever has no time left is not tried again
    with (
        pytest.raises(StoreBusy, match=r"has held the database for 0 seconds"),
        hasty.reading(),
    ):
        raise AssertionError("it was read")
    database.close()
    hasty.close()


def test_complaint_of_another_kind_is_still_one_of_ours(memory: Recollect) -> None:
    database = memory._services.recall._database
    with pytest.raises(StoreError, match="no such table: nowhere"):
        database.write(lambda t: t.exec_driver_sql("SELECT * FROM nowhere"))
    with (
        pytest.raises(StoreError, match="no such table: nowhere"),
        database.reading() as transaction,
    ):
        transaction.exec_driver_sql("SELECT * FROM nowhere")


def test_address_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="mysql://"):
        Database("mysql://user:password@host/db")
