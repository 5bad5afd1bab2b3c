"""Programs in processes of their own that need not load the libraries first.

To load them takes most of a short program's time. So one process loads them and waits; for each
program it forks, and the copy becomes the program, with arguments, environment, folder and standard
streams of its own, and ends with an exit code of its own. A program is a command of ``recollect``
or a module that ``python -m`` would run. What a fresh interpreter does (what it loads, how it takes
Ctrl-C while it starts, odd settings of the interpreter) is tested with one: ``Processes.command``,
and every call with options or an environment that an interpreter reads.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from tests.compiled_statements import share_compiled_statements
from tests.temporary import temporary_root

_ROOT: Final = Path(__file__).resolve().parents[1]
#: Of these a short command loads nothing, or loads it when it is used.
_NOT_LOADED: Final = (
    *("__main__", ".migrations", ".mem0"),
    *(".surfaces.mcp", ".surfaces.panel", ".surfaces.rest"),
)
#: What an interpreter reads as it starts.
_READ_AT_START: Final = ("PYTHON", "LC_", "LANG", "OPENBLAS", "TZ", "RECOLLECT_TEST_")
#: The module that is the command line.
COMMAND: Final = "recollect"
#: A longer command does not fit into one message.
_LONGEST: Final = 60_000
_NUMBER: Final = struct.Struct("i")


def _start_settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_START)}


class ForkedCommand:
    """A command that was started; used like a process of ``subprocess``."""

    def __init__(self, status: int) -> None:
        self._status = status
        self._code: int | None = None
        self.pid = self._told()

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._look(0)

    def wait(self, timeout: float | None) -> int:
        """Its exit code, when it has ended."""
        code = self._look(timeout)
        if code is None:
            raise TimeoutError("The command did not end.")
        return code

    def _look(self, timeout: float | None) -> int | None:
        if self._code is None and select.select([self._status], [], [], timeout)[0]:
            self._code = os.waitstatus_to_exitcode(self._told())
            os.close(self._status)
        return self._code

    def _told(self) -> int:
        """The next number that the process that waits has told: first its id, then how it ended."""
        return int(_NUMBER.unpack(os.read(self._status, _NUMBER.size))[0])


class ForkServer:
    """The process that waits, as tests see it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._settings = _start_settings(environment)
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
                cwd=_ROOT,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def takes(self, arguments: Sequence[object], environment: Mapping[str, str]) -> bool:
        """Whether a copy can do what an interpreter of its own would."""
        length = sum(len(str(part)) for part in (*arguments, *environment.values()))
        return (
            all(isinstance(part, str) for part in arguments)
            and length < _LONGEST
            and _start_settings(environment) == self._settings
        )

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        streams: Sequence[int],
        module: str = COMMAND,
    ) -> ForkedCommand:
        """A command on these three descriptors, or another module."""
        ours, theirs = os.pipe()
        told = json.dumps([[module, *arguments], dict(environment), str(folder)]).encode()
        try:
            socket.send_fds(self._ours, [told], [*streams, theirs])
        finally:
            os.close(theirs)
        return ForkedCommand(ours)

    def close(self) -> None:
        """Let it end."""
        self._ours.close()
        self._process.wait(60)


@cache
def fork_server() -> ForkServer:
    """The one of this process; it ends with it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])}
    made = ForkServer(environment)
    atexit.register(made.close)
    return made


# --- In the process that waits --------------------------------------------------------------------


def _load() -> None:
    import recollect

    for found in pkgutil.walk_packages(recollect.__path__, "recollect."):
        if not any(part in found.name for part in _NOT_LOADED):
            importlib.import_module(found.name)
    for name in ("alembic.command", "rich.console", "rich.table", "tests.stores"):
        importlib.import_module(name)
    share_compiled_statements()
    _use()


@cache
def _load_server() -> None:
    """The libraries that ``recollect serve`` alone loads, before the first of them is forked, so
    that copies for other commands do not carry them. What counts its requests is not among them: it
    reads where to count as it is loaded."""
    for name in ("fastapi", "fastapi.openapi.utils", "uvicorn", "jinja2"):
        importlib.import_module(name)
    gc.freeze()


def _use() -> None:
    """What is loaded and compiled when it is first used: weights, patterns, statements."""
    import recollect

    with (
        tempfile.TemporaryDirectory(dir=temporary_root()) as folder,
        recollect.open(f"{folder}/used.db", user="ada", worker=False) as memory,
    ):
        kept = memory.remember("Anything.")
        memory.remember("Anything.")
        memory.recall("anything")
        memory.list()
        memory.get(kept.id)
        memory.history(kept.id)
        _ = memory.people.is_new, memory.people.belongs
        memory.contradictions.list()
        memory.health()
        memory.forget(kept.id)


class _Server:
    """Forks for each command that is asked for, and tells how it ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._status_of: dict[int, int] = {}
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def next_command(self) -> list[str] | None:
        """In each copy its command; in the process that waits None, when nobody asks any more."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4_096)
                self._tell_who_ended()
            if self._control.fileno() in ready:
                told, received, _, _ = socket.recv_fds(self._control, 4 * _LONGEST, 4)
                if not told:
                    return None
                if "serve" in json.loads(told)[0]:
                    _load_server()
                pid = os.fork()
                if pid == 0:
                    return self._become(told, received)
                self._status_of[pid] = received.pop()
                os.write(self._status_of[pid], _NUMBER.pack(pid))
                for descriptor in received:
                    os.close(descriptor)

    def _tell_who_ended(self) -> None:
        while self._status_of:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            told = self._status_of.pop(pid)
            os.write(told, _NUMBER.pack(status))
            os.close(told)

    def _become(self, told: bytes, received: list[int]) -> list[str]:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        for number, descriptor in enumerate(received[:3]):
            os.dup2(descriptor, number)
        for descriptor in (*received, self._woken, self._wake, *self._status_of.values()):
            os.close(descriptor)
        arguments, environment, folder = json.loads(told)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(folder)
        _open_streams()
        return list(arguments)


def _open_streams() -> None:
    """The standard streams, as an interpreter opens them that starts."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        made = open(  # noqa: SIM115
            number,
            "w" if number else "r",
            encoding=before.encoding,
            errors=before.errors,
            newline="\n",
            closefd=False,
        )
        if number:
            made.reconfigure(line_buffering=number == 2 or made.isatty())
        setattr(sys, name, made)


def serve(descriptor: int) -> None:
    """Wait for commands; a copy leaves with one to run."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _load()
    gc.freeze()
    server = _Server(socket.socket(fileno=descriptor))
    command = server.next_command()
    if command is None:
        return
    code = 0
    try:
        _run(*command)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)  # a copy would take all that was loaded apart, which it did not load


def _run(module: str, *arguments: str) -> None:
    sys.argv = [module, *arguments]
    if module == COMMAND:
        from recollect.surfaces.cli.main import main

        main()
    else:
        runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    serve(int(sys.argv[1]))
