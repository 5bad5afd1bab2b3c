"""A database that another process holds, and Ctrl-C at every stage of a start.

Nothing here waits for a time to pass: a holder is told to let go when the word was said, and a
start is interrupted when it says where it is.
"""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recollect.storage import writer_lock
from recollect.storage.database import Database
from recollect.vocabulary.errors import StoreBusy
from tests.surfaces.cli.runner import InProcess, Processes

#: A finder of modules that says where it is and then stays there.
STAYS = """
import os, sys, time
class Stays:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["STAY_AT"]:
            sys.meta_path.remove(self)
            print("here", flush=True)
            for _ in range(6000):
                time.sleep(0.05)
if "STAY_AT" in os.environ:
    sys.meta_path.insert(0, Stays())
"""


@contextmanager
def held(path: Path) -> Iterator[Callable[[], None]]:
    """The write lock of a file in the hands of another process; what is given lets it go."""
    program = (
        "import sqlite3, sys\n"
        f"c = sqlite3.connect({str(path)!r}, isolation_level=None)\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "print('held', flush=True)\n"
        "sys.stdin.readline()\n"
        "c.execute('ROLLBACK')\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"

    def let_go() -> None:
        assert holder.stdin
        if not holder.stdin.closed:
            holder.stdin.write("\n")
            holder.stdin.close()

    let_go.pid = holder.pid  # type: ignore[attr-defined]
    try:
        yield let_go
    finally:
        let_go()
        holder.wait(60)
        holder.stdout.close()


def test_whoever_waits_is_told_for_whom(process: Processes) -> None:
    with held(process.db) as let_go:
        started = process.start("remember", "patience")
        assert started.stderr
        said = started.stderr.readline()
        let_go()
        out, err = started.communicate(timeout=60)
    assert "Waiting for another process" in said
    if Path("/proc/locks").exists():
        assert f"pid {let_go.pid}, {Path(sys.executable).name}" in said  # type: ignore[attr-defined]
    assert (started.returncode, err) == (0, "")
    assert out.startswith("Remembered")


def test_every_wait_has_an_end(cli: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_BUSY_SECONDS", "0.4")
    monkeypatch.setattr(writer_lock, "NOTICE_SECONDS", 0.0)  # at the first look
    kept = cli.remember("there before")
    with held(cli.db):
        for typed in (["remember", "x"], ["record", "x"], ["rebuild"], ["pin", kept]):
            ran = cli(*typed)
            assert (ran.code, ran.out) == (1, ""), typed
            said, *rest = ran.err.splitlines()
            assert said.startswith("Waiting for another process"), typed
            assert len(rest) == 1
            assert "has held the database for" in rest[0]
            assert "Nothing of this call was written; what was there before is kept." in rest[0]
            assert "Wait until it is done, or stop it, and try again." in rest[0]
        assert cli.json("list")["items"][0]["content"] == "there before"
        assert cli("recall", "before").code == 0
        ran = cli("remember", "x", "--json")
        assert ran.error["code"] == "store_busy"
        ran = cli("doctor")
        assert ran.code == 1
        assert "has held the database for" in ran.out
    assert cli("doctor").code == 0


def test_store_that_is_opened_for_the_first_time_waits_too(
    no_file_yet: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making the tables is a write like others."""
    monkeypatch.setenv("RECOLLECT_BUSY_SECONDS", "0.4")
    connection = sqlite3.connect(no_file_yet.db)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with held(no_file_yet.db):
        ran = no_file_yet("list")
        assert ran.code == 1
        assert "has held the database for" in ran.err
    assert no_file_yet("list").code == 0


def test_readers_of_a_file_that_is_held_alone(
    cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may lock readers out as well."""
    monkeypatch.setenv("RECOLLECT_BUSY_SECONDS", "0.4")
    cli.remember("there before")
    connection = sqlite3.connect(cli.db, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    ran = cli("list")
    connection.execute("ROLLBACK")
    connection.close()
    assert ran.code == 1
    assert "has held the database for" in ran.err
    assert cli("list").code == 0


def test_thread_that_waits_for_another_thread_gives_up_too(tmp_path: Path) -> None:
    """A call waits as long as its own time, whoever is in the way."""
    database = Database(str(tmp_path / "memory.db"), busy_seconds=0.2)
    assert database._turnstile is not None
    with database._turnstile:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            waiting_one = pool.submit(database.write, lambda _: None)
            with pytest.raises(StoreBusy, match="Nothing of this call was written"):
                waiting_one.result(60)
    database.write(lambda _: None)
    database.close()


def test_control_c_while_waiting(process: Processes) -> None:
    with held(process.db):
        started = process.start("remember", "x")
        assert started.stderr
        assert "Waiting for another process" in started.stderr.readline()
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert err == "Stopped. What was acknowledged before is kept.\n"


@pytest.mark.parametrize(
    "module",
    [
        "recollect.surfaces.cli.main",
        "recollect.surfaces.cli.app",
        "typer.main",
        "recollect.surfaces.cli.commands.remember",
        "recollect.composition.services",
        "sqlalchemy.engine",
        "numpy._core._multiarray_umath",
        "alembic.command",
    ],
)
def test_control_c_while_it_starts(process: Processes, tmp_path: Path, module: str) -> None:
    """At whatever module it is: 130, one sentence, no trace."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STAYS)
    process.environment["PYTHONPATH"] = f"{folder}:{process.environment['PYTHONPATH']}"
    process.environment["STAY_AT"] = module
    process.db.unlink()  # a new file has its tables made
    started = process.start("remember", "x")
    assert started.stdout
    assert started.stdout.readline() == "here\n"
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, ""), err
    assert err in {"Stopped.\n", "Stopped. What was acknowledged before is kept.\n"}
