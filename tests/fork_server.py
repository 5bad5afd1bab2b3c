"""Programs in processes of their own that need not load the libraries first.

To load them takes most of a short program's time. So one process loads them and waits; for each
program it forks, and the copy becomes the program, with arguments, environment, folder and standard
streams of its own, and ends with an exit code of its own. A program is a command of ``recollect``
or a module that ``python -m`` would run. A program that the engine itself starts, such as the
daemon of the hooks, becomes a copy too where its environment says so (``handed_over``): its
interpreter begins, hands arguments, folder and descriptors over, and waits for the end. What a
fresh interpreter does (what it loads, how it takes Ctrl-C while it starts, odd settings of the
interpreter) is tested with one: ``Processes.command``, and every call with options or an
environment that an interpreter reads.
"""

import atexit
import fcntl
import importlib
import marshal
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
_NOT_LOADED: Final = ("__main__", ".migrations", ".surfaces.rest", ".surfaces.panel", ".mem0")
#: What an interpreter reads as it starts.
_READ_AT_START: Final = ("PYTHON", "LC_", "LANG", "OPENBLAS", "TZ", "RECOLLECT_TEST_")
#: The module that is the command line.
COMMAND: Final = "recollect"
#: What the commands load that are servers. It takes longest: loaded before the first of them.
_OF_SERVERS: Final = {
    "serve": (
        "recollect.surfaces.panel.panel",
        "recollect.surfaces.rest.server",
        "uvicorn.lifespan.on",
        "uvicorn.protocols.http.auto",
        "uvicorn.protocols.websockets.auto",
    ),
    "mcp": (
        "recollect.surfaces.mcp.refusals",
        "recollect.surfaces.mcp.server",
        "uvicorn.lifespan.on",
        "uvicorn.protocols.http.auto",
    ),
}
#: A server of several processes has its figures counted otherwise, from the loading on.
_LOADS_DIFFERENTLY: Final = "--processes"
#: What an interpreter loads as it starts, to hand its program over.
HANDING_OVER: Final = Path(__file__).parent / "handing_over" / "sitecustomize.py"
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
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, listening:
            listening.bind("")  # a name that nobody has, and no file
            listening.listen(64)
            self.address = bytes(listening.getsockname()).hex()
            passed = [theirs.fileno(), listening.fileno()]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", *map(str, passed)],
                cwd=_ROOT,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=passed,
            )

    def takes(self, arguments: Sequence[object], environment: Mapping[str, str]) -> bool:
        """Whether a copy can do what an interpreter of its own would."""
        length = sum(len(str(part)) for part in (*arguments, *environment.values()))
        return (
            all(isinstance(part, str) for part in arguments)
            and _LOADS_DIFFERENTLY not in arguments
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
        command = [module, *arguments]
        told = marshal.dumps((command, dict(environment), str(folder), [0, 1, 2], False))
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


def handed_over() -> dict[str, str]:
    """What makes ``python -m recollect`` and its modules run in a copy, whoever starts them: a part
    of their environment."""
    return {
        "PYTHONPATH": os.pathsep.join([str(HANDING_OVER.parent), str(_ROOT / "src"), str(_ROOT)]),
        "TESTS_FORK_SERVER": fork_server().address,
    }


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


def _use() -> None:
    """What is loaded and compiled when it is first used: weights, patterns, statements."""
    import recollect

    with (
        tempfile.TemporaryDirectory(dir=temporary_root()) as folder,
        recollect.open(f"{folder}/used.db", user="ada", worker=False) as memory,
    ):
        memory.remember("Anything.")
        memory.recall("anything")


class _Server:
    """Forks for each command that is asked for, and tells how it ended."""

    def __init__(self, control: socket.socket, listening: socket.socket) -> None:
        self._control = control
        self._listening = listening
        self._status_of: dict[int, int] = {}
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def next_command(self) -> list[str] | None:
        """In each copy its command; in the process that waits None, when nobody asks any more."""
        while True:
            control, listening = self._control.fileno(), self._listening.fileno()
            ready, _, _ = select.select([control, listening, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4_096)
                self._tell_who_ended()
            if control in ready:
                told, received, _, _ = socket.recv_fds(self._control, 4 * _LONGEST, 4)
                if not told:
                    return None
                if command := self._copied(told, received):
                    return command
            if listening in ready:
                connection, _ = self._listening.accept()
                with connection:
                    told, received, _, _ = socket.recv_fds(connection, 4 * _LONGEST, 64)
                if told and (command := self._copied(told, received)):
                    return command

    def _copied(self, told: bytes, received: list[int]) -> list[str] | None:
        """In the copy its command."""
        arguments = marshal.loads(told)[0]
        for name in _OF_SERVERS.get(arguments[1], ()) if arguments[0] == COMMAND else ():
            importlib.import_module(name)
        pid = os.fork()
        if pid == 0:
            return self._become(told, received)
        self._status_of[pid] = received.pop()
        _tell(self._status_of[pid], pid)
        for descriptor in received:
            os.close(descriptor)
        return None

    def _tell_who_ended(self) -> None:
        while self._status_of:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            told = self._status_of.pop(pid)
            _tell(told, status)
            os.close(told)

    def _become(self, told: bytes, received: list[int]) -> list[str]:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        self._listening.close()
        for descriptor in (received.pop(), self._woken, self._wake, *self._status_of.values()):
            os.close(descriptor)
        arguments, environment, folder, numbers, leads_session = marshal.loads(told)
        if leads_session:
            os.setsid()
        above = max(*numbers, *received) + 1
        moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, above) for descriptor in received]
        for descriptor in received:
            os.close(descriptor)
        for number, descriptor in zip(numbers, moved, strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(folder)
        _open_streams()
        return list(arguments)


def _tell(descriptor: int, number: int) -> None:
    """Tell whoever asked, unless nobody is there any more."""
    with suppress(BrokenPipeError):
        os.write(descriptor, _NUMBER.pack(number))


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


def serve(control: int, listening: int) -> None:
    """Wait for commands; a copy leaves with one to run."""
    import gc

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _load()
    gc.freeze()
    server = _Server(socket.socket(fileno=control), socket.socket(fileno=listening))
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
    serve(int(sys.argv[1]), int(sys.argv[2]))
