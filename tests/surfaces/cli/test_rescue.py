"""The doctor on a damaged file: what can be saved, saving it, never advice to ask the doctor."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.storage.test_rescue import PAGE, pages_of, write_at
from tests.surfaces.cli.runner import InProcess


@pytest.fixture
def damaged(cli: InProcess) -> InProcess:
    """Commands on a store with a page of nought among its memories."""
    lines = [f"memory {n} of the harbour " + "x" * 600 for n in range(60)]
    for line in lines[:30]:
        cli.remember(line)
    cli.json("record", "said before")
    cli.json("recall", "harbour")  # the notes of what was served are written as it ends
    connection = sqlite3.connect(cli.db)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    leaf = pages_of(cli.db, "memories")[-2]
    write_at(cli.db, (leaf - 1) * PAGE, bytes(PAGE))
    return cli


def test_doctor_says_what_can_be_saved(damaged: InProcess) -> None:
    before = damaged.db.read_bytes()
    ran = damaged("doctor", "--json", "--embedder", "none")
    assert ran.code == 1
    assert damaged.db.read_bytes() == before
    checks = {check["name"]: check for check in ran.document["checks"]}
    assert checks["damage"]["state"] == "problem"
    assert "doctor --rescue NEW.db" in checks["damage"]["advice"]
    tables = {one["table"]: one for one in ran.document["damage"]["tables"]}
    lost = tables["memories"]["lost"]
    assert lost > 0
    assert tables["memories"]["rows"] + lost == 30
    assert tables["events"]["rows"] == 1
    assert checks["damage"]["message"].startswith(f"Lost: {lost} of memories")
    assert "an unknown number" not in checks["damage"]["message"].partition(" other table")[2]
    for check in checks.values():
        assert "'recollect doctor'" not in f"{check['message']} {check['advice']}"
    shown = damaged("doctor").out
    assert shown.index("memories\t") < shown.index("events\t") < shown.index("audiences\t")
    assert f"memories\t{30 - lost}\t{lost}\tlost: mem_" in shown


def test_doctor_rescues(damaged: InProcess, tmp_path: Path) -> None:
    before = damaged.db.read_bytes()
    ran = damaged("doctor", "--rescue", str(tmp_path / "new.db"))
    assert ran.code == 3
    assert "Wrote" in ran.out
    assert "of memories" in ran.out
    assert damaged.db.read_bytes() == before
    new = InProcess(tmp_path / "new.db")
    assert new("doctor").code == 0
    assert 0 < len(new.json("list")["items"]) < 30
    assert new.json("recall", "harbour")["found"]
    assert damaged("doctor", "--rescue", str(new.db), "--json").error["code"] == "conflict"


def test_rescue_of_a_sound_store_loses_nothing(cli: InProcess, tmp_path: Path) -> None:
    identifier = cli.remember("The harbour closes at nine.")
    report = cli.json("doctor", "--rescue", str(tmp_path / "new.db"))
    assert all(one["lost"] == 0 for one in report["tables"])
    assert [one["id"] for one in InProcess(tmp_path / "new.db").json("list")["items"]] == [
        identifier
    ]


def test_other_commands_send_to_the_doctor(damaged: InProcess) -> None:
    ran = damaged("list", "--limit", "100")
    assert ran.code == 1
    assert "The database file is damaged. 'recollect doctor' says what can be saved." in ran.err


def test_export_goes_past_the_damage(damaged: InProcess, tmp_path: Path) -> None:
    ran = damaged("export")
    assert ran.code == 3
    document = json.loads(ran.out)
    kept = {one["id"] for one in document["memories"]}
    lost = {one["id"] for one in document["unreadable"] if one["kind"] == "memory"}
    assert len(kept) + len(lost) == 30
    assert lost
    assert [len(one["events"]) for one in document["streams"]] == [1]
    assert f"{len(document['unreadable'])} things could not be read" in ran.err or len(lost) == 1
    assert min(lost) in ran.err
    ran = damaged("export", "--output", str(tmp_path / "out.json"), "--json")
    assert ran.code == 3
    assert {one["id"] for one in ran.document["unreadable"]} >= lost
    assert json.loads((tmp_path / "out.json").read_text()) != {}


@pytest.mark.parametrize("content", [b"Dear diary, " * 2_000, bytes(9_000)])
def test_doctor_of_no_store(no_file_yet: InProcess, content: bytes, tmp_path: Path) -> None:
    no_file_yet.db.write_bytes(content)
    ran = no_file_yet("doctor")
    assert ran.code == 1
    assert "Nothing in the file can be read as a store of Recollect." in ran.out
    assert "'recollect doctor'" not in ran.out
    ran = no_file_yet("doctor", "--rescue", str(tmp_path / "new.db"))
    assert ran.code == 1
    assert not (tmp_path / "new.db").exists()
    assert no_file_yet.db.read_bytes() == content


def test_doctor_leaves_an_empty_file_alone(no_file_yet: InProcess) -> None:
    no_file_yet.db.touch()
    ran = no_file_yet("doctor")
    assert ran.code == 0
    assert "is empty" in ran.out
    assert no_file_yet.db.read_bytes() == b""


def test_header_that_is_lost(cli: InProcess, tmp_path: Path) -> None:
    """SQLite no longer takes the file for a database; its rows are there all the same."""
    identifier = cli.remember("The harbour closes at nine.")
    write_at(cli.db, 0, b"Dear diary, it rained.")
    ran = cli("doctor", "--json")
    assert ran.code == 1
    tables = {one["table"]: one["rows"] for one in ran.document["damage"]["tables"]}
    assert tables["memories"] == 1
    assert cli("doctor", "--rescue", str(tmp_path / "new.db")).code == 0
    found = InProcess(tmp_path / "new.db").json("list")["items"]
    assert [one["id"] for one in found] == [identifier]
