"""Lets the writers of one file go in turns, in whatever process they are.

SQLite has one writer at a time and lets the others guess when it is free, so whoever writes much
starves the rest. Here a writer first takes the gate and then the way through: who waits at the gate
goes next, and whoever just came out queues behind. It is manners, not safety: SQLite's own lock
stays what keeps writers apart, and after ``patience`` a writer goes on to it without a turn. One in
a hurry gives up instead, before anything is begun.

The turns of all stores of a person are kept in one small file among the temporary ones: two bytes a
store, by the number of its file, and locks on those bytes that end with the process.

Whoever waits is told after two seconds for whom, in the log ``recollect.waiting``: a command line
shows it, a server writes it down. Who holds a file is found in the system's list of locks, where
there is one. The file itself is not opened for that: letting it go again would drop every lock that
this process has on it.
"""

import logging
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Final

from recollect.vocabulary.errors import StoreBusy

try:
    import fcntl

    _ASK = int(getattr(fcntl, "F_OFD_SETLK", 0))
except ImportError:  # where there are no such locks, writers have no manners
    _ASK = 0

#: Seconds between two looks at a lock that another process holds: at first, and at most.
_GLANCE: Final = 0.0003
_LONGEST_GLANCE: Final = 0.003
_LOCK: Final = "hhqqi"  # what is locked how, from where, from which byte on, how many, by whom
#: After so many seconds whoever waits is told.
NOTICE_SECONDS: Final = 2.0
#: Where SQLite's locks begin in a file, and the byte of its shared memory that a writer locks.
_FILE_LOCKS: Final = 0x40000000
_WRITER_LOCK: Final = 120
_FIELDS: Final = 8

log = logging.getLogger("recollect.waiting")
_current = threading.local()
_hurry = threading.local()


class Wait:
    """One call that may have to wait: since when, until when, and whether it was said."""

    def __init__(self, patience: float, holder: Callable[[], str]) -> None:
        self._began = time.monotonic()
        self._holder = holder
        self._told = False
        self.end = self._began + patience

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return time.monotonic() - self._began

    @property
    def over(self) -> bool:
        """Whether it lasted long enough."""
        return time.monotonic() >= self.end

    @property
    def holder(self) -> str:
        """Who is waited for, in words."""
        return self._holder()

    def look(self) -> None:
        """Say that something is waited for, once, when it has lasted a while."""
        if not self._told and self.seconds >= NOTICE_SECONDS:
            self._told = True
            left = max(1, round(self.end - time.monotonic()))
            log.warning(
                "Waiting for %s, which is writing to the database (up to %d more seconds) ...",
                self.holder,
                left,
            )


@contextmanager
def waiting(patience: float, holder: Callable[[], str]) -> Iterator[Wait]:
    """The wait of this thread: a call inside another shares its time."""
    known: Wait | None = getattr(_current, "wait", None)
    if known is not None:
        yield known
        return
    _current.wait = wait = Wait(patience, holder)
    try:
        yield wait
    finally:
        _current.wait = None


def current_wait() -> Wait | None:
    """The wait of this thread, if it may have to wait."""
    found: Wait | None = getattr(_current, "wait", None)
    return found


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    """Writers of this thread wait no longer than this for their turn: then it is StoreBusy."""
    _hurry.seconds = seconds
    try:
        yield
    finally:
        del _hurry.seconds


def in_a_hurry() -> bool:
    """Whether this thread would rather give up than wait."""
    return getattr(_hurry, "seconds", None) is not None


class WriterLock:
    """One writer at a time in this process, and turns between processes."""

    def __init__(self, file: str, patience: float) -> None:
        self._here = threading.Lock()
        self._patience = patience
        self._turns = _opened()
        self._gate = place_of(file)
        self._through = False

    def __enter__(self) -> None:
        hurry: float | None = getattr(_hurry, "seconds", None)
        if not self._here.acquire(timeout=self._longest() if hurry is None else hurry):
            raise _busy()
        if self._turns is None:
            return
        try:
            self._queue(self._turns, self._patience if hurry is None else hurry)
            if hurry is not None and not self._through:
                raise _busy()
        except BaseException:
            self._here.release()
            raise

    @staticmethod
    def _longest() -> float:
        """How long to wait for another thread of this process: as long as this call may wait."""
        wait = current_wait()
        return -1 if wait is None else max(0.0, wait.end - time.monotonic())

    def _queue(self, turns: int, patience: float) -> None:
        """Go through the gate, and through the way behind it, while there is patience."""
        wait = current_wait()
        end = time.monotonic() + patience
        end = end if wait is None else min(end, wait.end)
        at_gate = _taken(turns, self._gate, end)
        try:
            self._through = at_gate and _taken(turns, self._gate + 1, end)
        finally:
            if at_gate:
                free(turns, self._gate)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._through and self._turns is not None:
            self._through = False
            free(self._turns, self._gate + 1)
        self._here.release()

    def close(self) -> None:
        """Let the locks go for good."""
        if self._turns is not None:
            os.close(self._turns)
            self._turns = None


def _busy() -> StoreBusy:
    return StoreBusy("Others are writing. Nothing of this call was written.", hint="Try again.")


def place_of(file: str) -> int:
    """The byte that is a store's gate: the same by whatever path its file was opened."""
    try:
        known = Path(file).stat()
    except OSError:
        return 0
    number = blake2b(f"{known.st_dev}:{known.st_ino}".encode(), digest_size=7).digest()
    return 2 * int.from_bytes(number, "big")


def lock(turns: int, place: int) -> None:
    """Lock one byte, or raise ``BlockingIOError`` when somebody has it."""
    _ask(turns, fcntl.F_WRLCK, place)


def free(turns: int, place: int) -> None:
    """Let one byte go."""
    _ask(turns, fcntl.F_UNLCK, place)


def _ask(turns: int, kind: int, place: int) -> None:
    fcntl.fcntl(turns, _ASK, struct.pack(_LOCK, kind, os.SEEK_SET, place, 1, 0))


def _opened() -> int | None:
    """The file of turns, opened anew: a lock belongs to what was opened, not to the process."""
    if not _ASK:
        return None
    try:
        name = f"recollect-{os.getuid()}.turns"
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(Path(gettempdir()) / name, flags, 0o600)
    except OSError:
        return None


def _taken(turns: int, place: int, end: float) -> bool:
    """Whether a lock could be had before a time."""
    pause = _GLANCE
    wait = current_wait()
    while True:
        try:
            lock(turns, place)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            if wait is not None:
                wait.look()
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_GLANCE)


def holder_of(file: str) -> str:
    """The process that holds the write lock of a SQLite file, in words."""
    pid = _writer_of(Path(file).expanduser())
    if pid is None:
        return "another process"
    name = _program(pid)
    return f"another process (pid {pid}, {name})" if name else f"another process (pid {pid})"


def _writer_of(path: Path) -> int | None:
    wanted = {
        key: place
        for name, place in ((Path(f"{path}-shm"), _WRITER_LOCK), (path, _FILE_LOCKS))
        if (key := _key(name)) is not None
    }
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        parts = line.split()
        if len(parts) < _FIELDS or parts[3] != "WRITE" or parts[5] not in wanted:
            continue
        place, start = wanted[parts[5]], int(parts[6])
        held = start == place if place == _WRITER_LOCK else start >= place
        if held and parts[4].isdigit() and int(parts[4]) != os.getpid():
            return int(parts[4])
    return None


def _key(path: Path) -> str | None:
    """How the list of locks names a file."""
    try:
        known = path.stat()
    except OSError:
        return None
    return f"{os.major(known.st_dev):02x}:{os.minor(known.st_dev):02x}:{known.st_ino}"


def _program(pid: int) -> str:
    """What a process runs: its program, and of an interpreter the module or the script. Nothing
    else of its command line is shown: that may hold anything."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\x00")
    except OSError:
        return ""
    program = os.path.basename(words[0])
    if program.startswith("python") and len(words) > 1:
        if words[1] == "-m" and len(words) > 2:
            program = f"{program} -m {words[2]}"
        elif words[1] and not words[1].startswith("-"):
            program = f"{program} {os.path.basename(words[1])}"
    return program[:60] if program.isprintable() else ""
