"""Python programs as child processes, used like those of ``subprocess`` and started by forking.

``started`` runs a module as ``python -m`` would, in a copy of the process that has loaded the
libraries (``tests/fork_server.py``): a test that needs a second process, to race with it or to kill
it, need not wait until an interpreter has loaded everything anew.
"""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from tests.fork_server import COMMAND, ForkedCommand, fork_server

ROOT: Final = Path(__file__).resolve().parents[1]


class ForkedProcess:
    """A program that runs, with text on its standard streams; the part of ``Popen`` tests use."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        module: str = COMMAND,
        stdin: int | Any | None = None,
        stderr: int | None = None,
    ) -> None:
        given, self.stdin = _input(stdin)
        out, self.stdout = _output()
        self.stderr: IO[str] | None = None
        err = os.dup(2)
        if stderr == subprocess.PIPE:
            os.close(err)
            err, self.stderr = _output()
        streams = [given, out, err]
        try:
            self._command: ForkedCommand = fork_server().start(
                arguments, environment, folder, streams, module
            )
        finally:
            for descriptor in streams:
                os.close(descriptor)
        self.pid = self._command.pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        self.returncode = self._command.poll()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, when it has ended."""
        try:
            self.returncode = self._command.wait(timeout)
        except TimeoutError as error:
            raise subprocess.TimeoutExpired("a forked program", timeout or 0) from error
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it says until it ends, with nothing more to read for it."""
        if self.stdin is not None:
            with suppress(OSError):
                self.stdin.close()
        with ThreadPoolExecutor(2) as readers:
            said = [readers.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            try:
                self.wait(timeout)
            except BaseException:
                self.kill()  # so that the readers come to an end
                raise
            out, err = (one.result() for one in said)
        return out, err


def started(
    module: str, *arguments: str, stdin: int | None = None, stderr: int | None = None
) -> ForkedProcess:
    """A module of the tests as a program of its own, in the root of the repository."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return ForkedProcess(
        arguments, environment=environment, folder=ROOT, module=module, stdin=stdin, stderr=stderr
    )


def _input(wanted: int | Any | None) -> tuple[int, IO[str] | None]:
    """What the program reads from, and where a test writes to it."""
    if wanted == subprocess.PIPE:
        theirs, ours = os.pipe()
        return theirs, open(ours, "w", encoding="utf-8")
    if wanted is None or wanted == subprocess.DEVNULL:
        return os.open(os.devnull, os.O_RDONLY), None
    return os.dup(wanted if isinstance(wanted, int) else wanted.fileno()), None


def _output() -> tuple[int, IO[str]]:
    """What the program writes to, and where a test reads it."""
    ours, theirs = os.pipe()
    return theirs, open(ours, encoding="utf-8")


def _rest(stream: IO[str] | None) -> str:
    if stream is None or stream.closed:
        return ""
    with stream:
        return stream.read()
