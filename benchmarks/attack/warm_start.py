"""Starts the product without loading its libraries anew each time: most of an attack went by there.

A helper process loads them once and opens nothing. For each start it forks a process, which takes
the environment, the folder and the files it is given in place of its own, and then runs the command
line as the shell would. Attacks on the start itself begin processes of their own.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_LOADED: Final = (
    "recollect.surfaces.cli.main",
    "recollect.composition.features",
    "recollect.surfaces.rest.server",
    "recollect.surfaces.panel.panel",
    "recollect.inference.static_embedder",
    "alembic.command",
    "psycopg",
)
_LOOKS: Final = 0.01


class StartedProcess:
    """A process of the product: its id, what it wrote, and how it ended."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.pid = pid
        self._folder = folder

    def text(self, name: str) -> str:
        """What was written to ``stdout`` or ``stderr`` until now."""
        return (self._folder / name).read_text("utf-8", "replace")

    def first_line(self) -> str:
        """The first line that it writes; empty when it ended without one."""
        while "\n" not in (text := self.text("stdout")) and not self._ended.exists():
            time.sleep(_LOOKS)
        return text or self.text("stdout")

    def wait(self, seconds: float) -> int:
        """How it ended; whoever takes longer is ended, and an error is raised."""
        until = time.monotonic() + seconds
        while not self._ended.exists():
            if time.monotonic() > until:
                self.stop(signal.SIGKILL)
                raise subprocess.TimeoutExpired("recollect", seconds)
            time.sleep(_LOOKS)
        return int(self._ended.read_text())

    def stop(self, how: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if not self._ended.exists():
            os.kill(self.pid, how)

    @property
    def _ended(self) -> Path:
        return self._folder / "code"


class WarmStarter:
    """The helper process, and what is asked of it."""

    def __init__(self) -> None:
        self._helper = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.attack.warm_start"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self._folder = tempfile.TemporaryDirectory(prefix="recollect-attack-starts-")

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], place: Path, told: str
    ) -> StartedProcess:
        """Run ``recollect`` with these arguments in a folder, with a text as its input."""
        folder = Path(tempfile.mkdtemp(dir=self._folder.name))
        (folder / "stdin").write_text(told)
        for name in ("stdout", "stderr"):
            (folder / name).touch()
        wish = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "place": str(place),
            "folder": str(folder),
        }
        assert self._helper.stdin is not None
        assert self._helper.stdout is not None
        self._helper.stdin.write(json.dumps(wish) + "\n")
        self._helper.stdin.flush()
        return StartedProcess(int(self._helper.stdout.readline()), folder)

    def close(self) -> None:
        """End the helper."""
        assert self._helper.stdin is not None
        assert self._helper.stdout is not None
        self._helper.stdin.close()
        self._helper.wait(30)
        self._helper.stdout.close()
        self._folder.cleanup()


# --- in the helper process ------------------------------------------------------------------------


def _help() -> None:
    """Load, then fork for each wish until there are none."""
    for name in _LOADED:
        __import__(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who watch
    for line in sys.stdin:
        if os.fork() == 0:
            _watch(json.loads(line))


def _watch(wish: dict[str, Any]) -> None:
    """Start the product, tell its id, wait for its end and write it down."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        _run(wish)
    os.write(1, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    written = Path(wish["folder"]) / "code"
    part = written.with_suffix(".part")
    part.write_text(str(code))
    part.rename(written)
    os._exit(0)


def _run(wish: dict[str, Any]) -> None:
    """Become the process that was wished for."""
    code = 70
    try:
        os.setsid()
        folder = Path(wish["folder"])
        for number, (name, how) in enumerate(
            (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY))
        ):
            os.dup2(os.open(folder / name, how), number)
        os.environ.clear()
        os.environ.update(wish["environment"])
        os.chdir(wish["place"])
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.argv = ["recollect", *wish["arguments"]]
        from recollect.surfaces.cli.main import main

        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _help()
