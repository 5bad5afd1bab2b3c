"""mem0's data comes over: from its JSON and from its history database, and never twice."""

import json
import sqlite3
from pathlib import Path

import pytest

from recollect.mem0 import Memory
from recollect.surfaces.mem0.importer import import_mem0
from recollect.vocabulary.errors import ImportFailed
from tests.surfaces.cli.runner import InProcess

ITEMS = [
    {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "memory": "User loves sci-fi movies.",
        "hash": "285d07801ae42054732314853e9eadd7",
        "metadata": {"category": "movies"},
        "created_at": "2025-02-27T16:33:20.557Z",
        "updated_at": None,
        "user_id": "alice",
    },
    {"id": "2", "memory": "Bob plays the violin.", "user_id": "bob", "agent_id": "tutor"},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"results": ITEMS}),
        json.dumps(ITEMS),
        "\n".join(map(json.dumps, ITEMS)),
    ],
)
def test_what_get_all_gave(tmp_path: Path, text: str) -> None:
    source = tmp_path / "all.json"
    source.write_text(text)
    with Memory(db=tmp_path / "m.db", worker=False, embedder="static") as m:
        report = import_mem0(m.engine, source)
        assert (report.read, report.added) == (2, 2)
        (alice,) = m.get_all(user_id="alice")["results"]
        assert (alice["memory"], alice["metadata"], alice["created_at"]) == (
            "User loves sci-fi movies.",
            {"category": "movies"},
            "2025-02-27T16:33:20.557Z",
        )
        assert m.search("violin", agent_id="tutor")["results"][0]["user_id"] == "bob"
        m.delete(alice["id"])
        again = import_mem0(m.engine, source)
        assert (again.added, again.already_there) == (0, 2)


def test_their_history_database(tmp_path: Path) -> None:
    source = tmp_path / "history.db"
    with sqlite3.connect(source) as connection:
        connection.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT,"
            " new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME,"
            " is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        rows = [
            ("1", "a", None, "I live in Rome.", "ADD", "2025-01-01", None, 0, None, "user"),
            (
                "2",
                "a",
                "I live in Rome.",
                "I live in Oslo.",
                "UPDATE",
                None,
                "2025-02-01",
                0,
                None,
                None,
            ),
            ("3", "b", None, "Gone.", "ADD", "2025-01-01", None, 0, None, None),
            ("4", "b", "Gone.", None, "DELETE", None, "2025-03-01", 1, None, None),
        ]
        connection.executemany(f"INSERT INTO history VALUES ({','.join('?' * 10)})", rows)
    connection.close()
    with Memory(db=tmp_path / "m.db", worker=False, embedder="static") as m:
        assert import_mem0(m.engine, source).added == 1
        (kept,) = m.engine.list().items
        assert kept.content == "I live in Oslo."


def test_bad_files_are_sentences_and_bad_items_are_named(tmp_path: Path) -> None:
    source = tmp_path / "bad"
    with Memory(db=tmp_path / "m.db", worker=False, embedder="static") as m:
        for text in ("{", '"x"', "SQLite format 3\x00 no"):
            source.write_text(text)
            with pytest.raises(ImportFailed):
                import_mem0(m.engine, source)
        with pytest.raises(ImportFailed):
            import_mem0(m.engine, tmp_path / "missing")
        source.write_text(json.dumps([{"id": "1"}, 7, {"memory": "x"}, ITEMS[0]]))
        report = import_mem0(m.engine, source)
        assert (report.added, report.skipped, len(report.problems)) == (1, 3, 3)


def test_on_the_command_line(cli: InProcess, tmp_path: Path) -> None:
    source = tmp_path / "all.json"
    source.write_text(json.dumps({"results": ITEMS}))
    assert cli("import", "mem0", str(source)).out == "Imported 2 memories.\n"
    assert cli("import", str(source), "--format", "mem0").out == (
        "Imported 0 memories; 2 there already.\n"
    )
    listed = cli.json("list", "--space", "mem0")
    assert len(listed["items"]) == 2


def test_our_own_export_on_the_command_line(cli: InProcess, tmp_path: Path) -> None:
    cli.remember("Come back.")
    cli.json("record", "Said.", "--stream", "talk")
    taken = tmp_path / "export.json"
    assert cli("export", "--output", str(taken)).code == 0
    other = InProcess(tmp_path / "other.db")
    assert other("import", str(taken)).out == "Imported 2 events and memories into 1 stream.\n"
    assert other.json("recall", "come back")["found"][0]["text"] == "Come back."
