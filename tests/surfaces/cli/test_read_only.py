"""A store that cannot be written can be read, and reading it writes nothing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.cli.limited import NONE, RIGHTS, SEVERAL
from tests.surfaces.cli.runner import LIMITED, Processes, Ran

MODES = [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)]


@pytest.fixture
def shelf(process: Processes, tmp_path: Path) -> Iterator[Path]:
    """A folder of its own for the store, which can be made read-only; its rights come back."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    process.here("remember", "The harbour closes at nine.", "--tag", "port")
    process.here("record", "Which harbour?")
    shutil.move(process.db, folder / "memory.db")
    process.db = folder / "memory.db"
    process.environment["RECOLLECT_DB"] = str(process.db)
    yield folder
    folder.chmod(0o755)


READS = ("list", "recall harbour", "stats", "spaces", "log", "export", "doctor", "read")
WRITES = ("remember never", "record never", "rebuild")


def run(process: Processes, *commands: str, to: str = RIGHTS) -> dict[str, Ran]:
    """What commands of somebody without a right, or without room, to write left behind."""
    ended = process.limited(to, SEVERAL, json.dumps([command.split() for command in commands]))
    assert ended.code == 0, ended.err
    ran = [Ran(*one) for one in ended.document]
    return dict(zip(commands, ran, strict=True))


def check(ran: dict[str, Ran]) -> None:
    """Every command that reads answers as ever; every one that writes says why it does not."""
    for command in ("list", "recall harbour", "export"):
        assert "closes at nine" in ran[command].out, ran[command]
    for command in READS:
        assert ran[command].code == 0, (command, ran[command])
    assert "read-only" in ran["doctor"].out
    for command in WRITES:
        assert (ran[command].code, ran[command].out) == (1, ""), ran[command]
        assert "The database is read-only. Nothing was changed." in ran[command].err


@pytest.mark.parametrize("mode", MODES)
def test_rights_that_allow_no_writing(
    process: Processes, shelf: Path, mode: tuple[int, int]
) -> None:
    before = process.db.read_bytes()
    process.db.chmod(mode[0])
    shelf.chmod(mode[1])
    check(run(process, *READS, *WRITES))
    assert process.db.read_bytes() == before
    if mode[1] == 0o555:
        assert [file.name for file in shelf.iterdir()] == ["memory.db"]


def test_file_system_that_cannot_be_written(process: Processes, shelf: Path) -> None:
    """A mount of its own, seen by the command alone; rights of files take its place elsewhere."""
    typed = json.dumps([command.split() for command in (*READS, *WRITES)])
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" "$0"'
    ended = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'({mount}) 2>/dev/null || exit 99; exec "$@"', shelf,
         sys.executable, "-m", LIMITED, NONE, SEVERAL, typed],
        env=process.environment, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    if ended.returncode == 99 or ended.stderr.startswith("unshare"):
        shelf.chmod(0o555)
        check(run(process, *READS, *WRITES))
        return
    assert ended.returncode == 0, ended.stderr
    check(
        dict(zip((*READS, *WRITES), [Ran(*one) for one in json.loads(ended.stdout)], strict=True))
    )


def test_journal_of_a_writer_is_read_too(process: Processes, shelf: Path) -> None:
    """While its owner has the store open, what stands in the journal only is found."""
    connection = sqlite3.connect(process.db)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE memories SET content = 'The harbour closes at ten.'")
    connection.commit()
    try:
        process.db.chmod(0o444)
        for end in ("-wal", "-shm"):
            Path(f"{process.db}{end}").chmod(0o444)
        shelf.chmod(0o555)
        ran = run(process, "list", "remember never")
        assert "closes at ten" in ran["list"].out
        assert "The database is read-only" in ran["remember never"].err
    finally:
        shelf.chmod(0o755)
        connection.close()


def test_journal_that_cannot_be_read_there_is_said(process: Processes, shelf: Path) -> None:
    connection = sqlite3.connect(process.db)
    connection.execute("UPDATE memories SET content = 'The harbour closes at ten.'")
    connection.commit()
    copy = shelf.parent / "copy"
    copy.mkdir()
    for end in ("", "-wal"):
        shutil.copy(f"{process.db}{end}", copy / f"memory.db{end}")
    connection.close()
    process.environment["RECOLLECT_DB"] = str(copy / "memory.db")
    try:
        (copy / "memory.db").chmod(0o444)
        copy.chmod(0o555)
        ran = run(process, "list")["list"]
    finally:
        copy.chmod(0o755)
    assert ran.code == 1
    assert "Copy both files to a folder that can be written" in ran.err
    assert sorted(os.listdir(copy)) == ["memory.db", "memory.db-wal"]


@pytest.mark.parametrize("journal", [False, True])
def test_full_disk_is_read_and_every_write_says_so(
    process: Processes, shelf: Path, journal: bool
) -> None:
    """With no room for the journal's index; a journal that a killed writer left is read too."""
    if journal:
        connection = sqlite3.connect(process.db)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE memories SET importance = 0.5")
        connection.commit()
        for end in ("", "-wal"):
            shutil.copy(f"{process.db}{end}", shelf / f"copy.db{end}")
        connection.close()
        process.environment["RECOLLECT_DB"] = str(shelf / "copy.db")
    ran = run(process, *READS, *WRITES, "say hello", to="1000")
    for command in ("list", "recall harbour", "export"):
        assert "closes at nine" in ran[command].out, ran[command]
    for command in (*READS, "say hello"):
        if command != "doctor":
            assert ran[command].code == 0, (command, ran[command])
    assert "The disk is full" in ran["doctor"].out
    for command in WRITES:
        assert (ran[command].code, ran[command].out) == (1, ""), ran[command]
        assert "The disk is full. Nothing of this call was written" in ran[command].err
    assert run(process, "remember later")["remember later"].code == 0


def test_older_schema_is_not_brought_up_to_date(process: Processes, shelf: Path) -> None:
    connection = sqlite3.connect(process.db)
    connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.commit()
    connection.close()
    process.db.chmod(0o444)
    shelf.chmod(0o555)
    ran = run(process, "list")["list"]
    assert ran.code == 1
    assert "made by an older version and is read-only" in ran.err
