"""Moving a store from the command line: what is told, and with which exit code."""

import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.surfaces.cli.pausing import stayed
from tests.surfaces.cli.runner import InProcess, Processes


@pytest.fixture
def new(cli: InProcess, tmp_path: Path) -> Path:
    """Where a store with two memories goes."""
    cli.remember("one", "--tag", "a")
    cli.remember("two")
    return tmp_path / "new.db"


def damage(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM memory_tags")
    connection.close()


def test_moves_and_says_what_is_there(cli: InProcess, new: Path) -> None:
    ran = cli("move", str(cli.db), str(new))
    assert ran.code == 0, ran
    *rows, empty, last = ran.out.splitlines()
    told = {row.split("\t")[0]: row.split("\t")[1:] for row in rows}
    assert told["memories"] == ["2", "same"]
    assert {verdict for _, verdict in told.values()} == {"same"}
    assert "0" not in {count for count, _ in told.values()}
    assert empty.endswith(" parts without rows, the same in both.")
    assert {"memory_history", "vectors", "jobs", "memories_keywords", "store_facts"} <= set(told)
    copied = sum(int(row[0]) for row in told.values())
    assert last == f"Copied {copied} rows; FROM and TO hold the same."
    found = InProcess(new).json("recall", "one")["found"]
    assert found[0]["text"] == "one"


def test_again_only_compares(cli: InProcess, new: Path) -> None:
    first = cli.json("move", str(cli.db), str(new))
    assert first["copied"] > 0
    assert (first["resumed"], first["anew"], first["differing"]) == (False, False, [])
    ran = cli("move", str(cli.db), str(new))
    assert ran.out.splitlines()[-1] == "All was there already; FROM and TO hold the same."


def test_a_difference_is_told_and_fails(cli: InProcess, new: Path) -> None:
    cli.json("move", str(cli.db), str(new))
    damage(new)
    ran = cli("move", str(cli.db), str(new))
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert "FROM and TO differ in memory_tags. FROM is as it was." in lines[-1]
    here, there = (line.split("\t") for line in lines if line.startswith("memory_tags"))
    assert (here[1], there[1]) == ("1", "0")
    assert here[2].startswith("FROM, digest ")
    assert there[2].startswith("TO, digest ")
    assert here[2].split()[-1] != there[2].split()[-1]
    ran = cli("move", str(cli.db), str(new), "--json")
    assert (ran.code, ran.document["differing"]) == (1, ["memory_tags"])


def test_refusals_are_sentences(cli: InProcess, new: Path, empty_store: Path) -> None:
    shutil.copy(empty_store, new)
    before = new.read_bytes()
    ran = cli("move", str(cli.db), str(new))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("The target holds something else already. Nothing was changed.")
    assert new.read_bytes() == before
    for source, target in ((new.parent, new), (cli.db, new.parent / "no" / "new.db")):
        assert cli("move", str(source), str(target), "--json").error["code"] == "store_unavailable"
    missing = new.parent / "missing.db"
    assert "There is no store at" in cli("move", str(missing), str(new)).err
    assert cli("move", str(cli.db)).code == 2


def test_interrupted_it_goes_on(process: Processes, tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    history.write_text("".join(f'{{"id": "{n}", "text": "event {n}"}}\n' for n in range(200)))
    assert process.here("import", str(history)).code == 0
    new = tmp_path / "new.db"
    moving = stayed(process, tmp_path, "copying events", "move", str(process.db), str(new))
    assert 0 < _rows(new) < 200
    moving.send_signal(signal.SIGINT)
    _, told = moving.communicate(timeout=60)
    assert moving.returncode == 130
    assert (
        told == "Stopped. What was copied is kept; the same command continues where it stopped.\n"
    )
    refused = process("list", env={"RECOLLECT_DB": str(new)})
    assert refused.err.startswith("This store is the target of a move that has not ended.")
    ran = process.here("move", str(process.db), str(new), "--json")
    assert ran.code == 0, ran
    assert (ran.document["resumed"], ran.document["differing"]) == (True, [])
    assert _rows(new) == 200


def _rows(path: Path) -> int:
    """How many events are over."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])
