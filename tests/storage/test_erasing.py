"""What was deleted leaves the files when it is asked to: proven on the bytes of either store."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

import recollect
from recollect.engine import Recollect
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer

Run = Callable[[str], None]

SECRET = "Zanzibarian lighthouse keeper Ferdinand gathers vermilion umbrellas"
#: A name that no vector, number or id of a file holds by chance.
DAN = "danforth-quillfeather"
WORDS = ("zanzibar", "lighthous", "ferdinand", "vermilion", "umbrella")


def opened(address: str) -> Recollect:
    return recollect.open(address, user="ada", embedder=WordEmbedder(), worker=False)


def files_with_words(server: PostgresServer, address: str) -> list[str]:
    """Which files of the database hold any of the words, once its pages are on the disk."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return [
        f"{path.name}: {word}"
        for path in sorted((server.data / "base" / str(row[0])).iterdir())
        for word in WORDS
        if word.encode() in _bytes(path)
    ]


def _bytes(path: Path) -> bytes:
    """What a file holds; nothing, when the server has just taken it away."""
    with suppress(FileNotFoundError):
        return path.read_bytes().lower()
    return b""


def test_words_leave_the_files_of_tables_indexes_and_statistics(
    server: PostgresServer, ready: str
) -> None:
    with opened(ready) as memory:
        kept = memory.remember(SECRET)
        said = memory.record(SECRET, stream="talk")
        with psycopg.connect(ready, autocommit=True) as connection:
            connection.execute("ANALYZE")
        memory.forget(kept.id, for_good=True)
        memory.delete_event(said.id)
        stays = memory.remember("The parcel came on Tuesday.")
        with psycopg.connect(ready, autocommit=True) as connection:
            connection.execute("VACUUM")
        assert files_with_words(server, ready)  # so VACUUM alone is not what helps

        erased = memory.erase_traces()

        assert files_with_words(server, ready) == []
        told = " ".join((*erased.done, *erased.left))
        for word in ("VACUUM FULL", "CHECKPOINT", "write-ahead log", "backups", "replicas"):
            assert word in told
        assert "have a superuser run" not in told
        assert memory.stats()["store"]["wall"] == "up (role recollect_member)"
        assert [hit.id for hit in memory.recall("parcel Tuesday")] == [stays.id]
        assert memory.health().sound


def test_transaction_that_still_sees_deleted_rows_is_named(ready: str) -> None:
    with opened(ready) as memory, psycopg.connect(ready, application_name="reporting") as looking:
        looking.execute("SET default_transaction_isolation = 'repeatable read'")
        looking.commit()
        looking.execute("SELECT 1")
        memory.remember("Something later.")
        assert "reporting (process" in " ".join(memory.erase_traces().left)


def test_login_that_may_not_do_all_of_it_says_who_can(
    server: PostgresServer, administrator: Run
) -> None:
    administrator("CREATE ROLE plain LOGIN IN ROLE recollect_member")
    administrator("CREATE DATABASE of_plain OWNER plain")
    try:
        with psycopg.connect(server.address("of_plain"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        with opened(server.address("of_plain", "plain")) as memory:
            erased = memory.erase_traces()
        assert any("VACUUM FULL" in one for one in erased.done)
        assert any("have a superuser run CHECKPOINT" in one for one in erased.left)
    finally:
        administrator("DROP DATABASE of_plain WITH (FORCE)")
        administrator("DROP ROLE plain")


def test_words_leave_a_file_and_its_journal(tmp_path: Path) -> None:
    with opened(str(tmp_path / "memory.db")) as memory:
        memory.forget(memory.remember(SECRET).id, for_good=True)
        erased = memory.erase_traces()
        assert "VACUUM" in " ".join(erased.done)
        assert "backups" in " ".join(erased.left)
        assert memory.health().sound
        for path in tmp_path.iterdir():
            kept = path.read_bytes().lower()
            assert not [word for word in WORDS if word.encode() in kept], path.name


def test_traces_do_not_promise_what_vacuum_does_not_do(ready: str) -> None:
    with opened(ready) as memory:
        entry = memory.chat.add(SECRET, manually_saved=True).entry
        assert entry is not None
        told = memory.chat.forget(entry.id).traces
    assert "recollect doctor --erase-traces" in told
    assert "write-ahead log" in told
    assert "until it vacuums" not in told


def delete_dan(memory: Recollect) -> None:
    """Somebody who shared a space with others, whose words others took over, is deleted."""
    memory.add_member(DAN)
    dan = memory.within(space=memory.space.name, user=DAN)
    dan.update(dan.remember(SECRET).id, content=f"Now: {SECRET}")
    said = dan.record(SECRET, stream="talk")
    dan.recall("Ferdinand umbrellas")
    memory.remember(f"Ask the harbour. {SECRET}.", events=[said.id], repeats="keep")
    memory.rights.delete_person(DAN, confirm=DAN)


def test_a_deleted_person_leaves_the_files_of_a_server(server: PostgresServer, ready: str) -> None:
    with opened(ready) as memory:
        delete_dan(memory)
        memory.erase_traces()
        assert files_with_words(server, ready) == []
        assert [one.content for one in memory.list().items] == ["Ask the harbour."]


def test_a_deleted_person_leaves_a_file_and_its_journal(tmp_path: Path) -> None:
    with opened(str(tmp_path / "memory.db")) as memory:
        delete_dan(memory)
        held = b"".join(path.read_bytes().lower() for path in tmp_path.iterdir())
        assert [word for word in (*WORDS, DAN) if word.encode() in held] == []
        assert memory.health().sound
