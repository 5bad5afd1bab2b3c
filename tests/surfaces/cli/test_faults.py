"""Faults, caused for real: files, disks, pipes, signals and bugs."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from recollect.surfaces.cli.faults import BUG, guarded
from tests.surfaces.cli.limited import IMPOSSIBLE, RIGHTS
from tests.surfaces.cli.pausing import stayed
from tests.surfaces.cli.runner import InProcess, Processes
from tests.surfaces.cli.test_bad_input import only_a_sentence


def content_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()}


def refused(process: Processes, *arguments: str, words: str) -> None:
    ran = process(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    only_a_sentence(ran.err)


def test_folder_in_place_of_a_file(process: Processes, tmp_path: Path) -> None:
    refused(process, "--db", str(tmp_path), "list", words="is a folder, not a file")
    assert set(content_of(tmp_path)) == {"memory.db"}


def test_missing_folder(process: Processes, tmp_path: Path) -> None:
    refused(process, "--db", "none/x.db", "list", words="The folder none does not exist.")
    assert not (tmp_path / "none").exists()


def test_default_folder_is_made(process: Processes, home: Path) -> None:
    process.environment.pop("RECOLLECT_DB")
    assert process("remember", "x").code == 0
    assert (home / "data" / "recollect" / "memory.db").exists()


@pytest.mark.parametrize("text", [b"notes, not a database\n" * 100, b"\x00" * 5_000, b"{}"])
def test_other_kinds_of_files(process: Processes, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "notes.txt").write_bytes(text)
    refused(process, "--db", "notes.txt", "list", words="The file is not a SQLite database.")
    assert (tmp_path / "notes.txt").read_bytes() == text
    assert set(content_of(tmp_path)) == {"memory.db", "notes.txt"}


def test_database_of_another_program(process: Processes) -> None:
    process.db.unlink()
    connection = sqlite3.connect(process.db)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    refused(process, "list", words="The database belongs to another program")
    connection = sqlite3.connect(process.db)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    connection.close()


def test_newer_schema(process: Processes) -> None:
    process.here("remember", "x")
    connection = sqlite3.connect(process.db)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    before = process.db.read_bytes()
    refused(process, "remember", "y", words="Install a newer version of recollect.")
    assert process.db.read_bytes() == before
    ran = process("doctor")
    assert ran.code == 1
    assert "Install a newer version of recollect." in ran.out


def test_damaged_file(process: Processes) -> None:
    process.here("remember", "x")
    with process.db.open("r+b") as file:
        file.seek(4_096)
        file.write(os.urandom(process.db.stat().st_size - 4_096))
    ran = process("recall", "x")
    assert ran.code == 1
    only_a_sentence(ran.err)
    assert process("doctor").code == 1


@pytest.mark.parametrize("mode", [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)])
def test_read_only(process: Processes, tmp_path: Path, mode: tuple[int, int]) -> None:
    process.here("remember", "x")
    before = process.db.read_bytes()
    process.db.chmod(mode[0])
    tmp_path.chmod(mode[1])
    try:
        ran = process.limited(RIGHTS, "remember", "y")
    finally:
        tmp_path.chmod(0o755)
    if ran.code == IMPOSSIBLE:
        pytest.skip("Nobody here is bound by the rights of files.")
    assert (ran.code, ran.out) == (1, "")
    assert "The database is read-only. Nothing was changed." in ran.err
    only_a_sentence(ran.err)
    assert process.db.read_bytes() == before


def test_no_room_on_the_disk(process: Processes) -> None:
    process.here("remember", "there before")
    ran = process.limited("100000", "remember", "-", input=b"word " * 30_000)
    assert (ran.code, ran.out) == (1, "")
    assert "disk" in ran.err
    only_a_sentence(ran.err)
    assert process.here("list").out.endswith("\tthere before\n")
    assert process.here("doctor").code == 0


def test_no_room_for_an_export(process: Processes, tmp_path: Path) -> None:
    process.here("remember", "-", input=b"word " * 30_000)
    process.here("recall", "word")
    ran = process.limited("120000", "export", "--output", "out.json")
    assert (ran.code, ran.out) == (1, "")
    only_a_sentence(ran.err)
    assert [name for name in content_of(tmp_path) if "out.json" in name] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full here.")
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_no_room_for_the_answer(process: Processes, json: list[str]) -> None:
    process.here("remember", "x")
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            process.command("list", *json),
            env=process.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 1
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_reader_that_goes_away(process: Processes, unbuffered: str) -> None:
    for number in range(3):
        process.here("remember", f"memory {number} " + "x" * 50_000)
    process.environment["PYTHONUNBUFFERED"] = unbuffered
    started = process.start("list")
    assert started.stdout
    assert started.stderr
    started.stdout.close()
    assert started.stderr.read() == ""
    started.stderr.close()
    assert started.wait(60) == 141


def test_output_that_is_closed_from_the_start(process: Processes) -> None:
    command = " ".join(["exec", sys.executable, "-m", "recollect", "remember", "x", ">&-"])
    ended = subprocess.run(
        ["sh", "-c", command], env=process.environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert process.here("list").out.endswith("\tx\n")


def test_control_c(process: Processes) -> None:
    started = process.start("record", "-", stdin=subprocess.PIPE)
    assert started.stdin
    started.stdin.write("word " * 100_000)  # more than a pipe holds, so it is being read by now
    started.stdin.flush()
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert err in {"Stopped. What was acknowledged before is kept.\n", "Stopped.\n"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_worker_is_told_to_stop(process: Processes, number: signal.Signals) -> None:
    process.here("remember", "x")
    started = process.start("worker")
    assert started.stdout
    first = started.stdout.readline()
    started.send_signal(number)
    out, err = started.communicate(timeout=60)
    assert "1 job done" in first
    assert (started.returncode, out) == (0, "Did 1 job; 0 jobs waiting.\n")
    assert err == "Working. Ctrl-C stops after the current batch.\n"


def test_interrupted_import_goes_on(process: Processes, tmp_path: Path) -> None:
    count = 9_000
    lines = (f'{{"id": "{n}", "text": "line {n} of it", "stream": "s"}}\n' for n in range(count))
    (tmp_path / "events.jsonl").write_text("".join(lines))
    started = stayed(process, tmp_path, "", "import", "events.jsonl")
    assert _events(process.db) == 4_000  # the first batch
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=120)
    assert (started.returncode, out) == (130, "")
    assert "The import stopped" in err
    assert "Start it again" in err
    only_a_sentence(err)
    report = process.here.json("import", str(tmp_path / "events.jsonl"))
    assert report["read"] == count
    assert process.here.json("stats")["events"] == count


def _events(db: Path) -> int:
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])


def test_bug(cli: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("half of nothing")

    monkeypatch.setattr("recollect.composition.services.build", broken)
    ran = cli("list")
    assert ran.code == BUG == 70
    assert ran.err.startswith(
        "Something unexpected happened (ZeroDivisionError: half of nothing); this is a bug. "
    )
    assert "--debug" in ran.err
    only_one_line = ran.err.count("\n")
    assert only_one_line == 1
    assert "Traceback" in cli("list", "--debug").err
    assert cli("list", "--json").error["code"] == "bug"


def test_end_of_file_in_an_odd_place_is_a_bug(capsys: pytest.CaptureFixture[str]) -> None:
    def act() -> None:
        import typer

        raise typer.Abort from EOFError("marshal data too short")

    assert guarded(act, []) == BUG
    assert "this is a bug" in capsys.readouterr().err


def test_debug_shows_where_an_error_came_from(process: Processes) -> None:
    ran = process("show", "mem_x", "--debug")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert ran.err.splitlines()[-1] == "No memory 'mem_x' is visible here."
