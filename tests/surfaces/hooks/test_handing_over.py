"""A program that is handed over is the one that was started: its end, its streams, its locks."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fork_server import handed_over
from tests.surfaces.hooks.harness import Harness


@pytest.mark.parametrize(("typed", "code"), [("spaces", 0), ("show mem_x", 1), ("nonsense", 2)])
def test_it_says_and_ends_as_an_interpreter_does(tmp_path: Path, typed: str, code: int) -> None:
    usual = {**os.environ, "RECOLLECT_DB": str(tmp_path / "memory.db"), "RECOLLECT_USER": "ada"}
    copy, interpreter = (
        subprocess.run(
            [sys.executable, "-m", "recollect", *typed.split()],
            env={**usual, **more},
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        for more in (handed_over(), {})
    )

    assert (copy.returncode, copy.stdout, copy.stderr) == (
        code,
        interpreter.stdout,
        interpreter.stderr,
    )


def test_a_daemon_that_is_killed_ends_its_interpreter_and_frees_the_lock(harness: Harness) -> None:
    harness.home.mkdir()
    lock = os.open(harness.home / "daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    interpreter = subprocess.Popen(
        [sys.executable, "-m", "recollect.surfaces.hooks", str(harness.home), str(lock)],
        env=harness.environment,
        pass_fds=[lock],
    )
    os.close(lock)
    harness.until((harness.home / "daemon.sock").exists)
    harness.until((harness.home / "daemon.pid").exists)
    harness.until(lambda: bool((harness.home / "daemon.pid").read_text()))

    assert harness.pid != interpreter.pid
    with (harness.home / "daemon.lock").open("a") as tried, pytest.raises(BlockingIOError):
        fcntl.flock(tried, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.kill(harness.pid, signal.SIGKILL)

    assert interpreter.wait(240) == -signal.SIGKILL
    harness.wait()
