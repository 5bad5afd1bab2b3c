"""A fair queue for the writers of one SQLite file, across threads and processes.

SQLite allows one writer at a time and lets the others poll, so a process that writes much starves
the rest. Two byte locks make a queue of it: a writer takes the queue lock, then the turn lock, and
releases the queue lock. Whoever holds the queue lock writes next; whoever just wrote waits behind.
This is for fairness only: SQLite's own lock still keeps writers apart, and after ``timeout``
seconds a writer goes on to it without a turn. Inside ``lock_timeout`` it raises StoreBusy instead,
before anything is begun.

The locks of all stores of a user are in one small temporary file: two bytes for each store, at a
place computed from the device and inode of its file. They end with the process.

A writer that waits for more than two seconds logs for whom to ``recollect.waiting``: the command
line shows it, a server writes it down. The process that holds a file is found in ``/proc/locks``,
where there is one. The file itself is not opened for that: closing it again would drop every lock
that this process has on it.
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

    _SET_LOCK = int(getattr(fcntl, "F_OFD_SETLK", 0))
except ImportError:  # no such locks on this platform: writers are not queued
    _SET_LOCK = 0

#: Seconds between two attempts at a lock that another process holds: at first, and at most.
_FIRST_POLL_SECONDS: Final = 0.0003
_LONGEST_POLL_SECONDS: Final = 0.003
_LOCK_LAYOUT: Final = "hhqqi"  # struct flock: type, whence, start, length, pid
#: After so many seconds a writer that waits logs it.
NOTICE_SECONDS: Final = 2.0
#: Where SQLite's locks begin in a file, and the byte of its shared memory that a writer locks.
_FILE_LOCKS: Final = 0x40000000
_WRITER_LOCK: Final = 120
_FIELDS: Final = 8

log = logging.getLogger("recollect.waiting")
_current = threading.local()
_limit = threading.local()


class Wait:
    """One call that may have to wait: since when, until when, and whether that was logged."""

    def __init__(
        self, timeout: float, holder: Callable[[], str], since: float | None = None
    ) -> None:
        self._began = time.monotonic() if since is None else since
        self._holder = holder
        self._logged = False
        self.end = self._began + timeout

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

    def log_when_long(self) -> None:
        """Log that a writer waits, once, when it has lasted a while."""
        if not self._logged and self.seconds >= NOTICE_SECONDS:
            self._logged = True
            left = max(1, round(self.end - time.monotonic()))
            log.warning(
                "Waiting for %s to finish writing to the database (up to %d more seconds) ...",
                self.holder,
                left,
            )


@contextmanager
def waiting(
    timeout: float, holder: Callable[[], str], since: float | None = None
) -> Iterator[Wait]:
    """The wait of this thread, from now or since a time; a call inside another shares its time."""
    known: Wait | None = getattr(_current, "wait", None)
    if known is not None:
        yield known
        return
    _current.wait = wait = Wait(timeout, holder, since)
    try:
        yield wait
    finally:
        _current.wait = None


def current_wait() -> Wait | None:
    """The wait of this thread, if it may have to wait."""
    found: Wait | None = getattr(_current, "wait", None)
    return found


@contextmanager
def lock_timeout(seconds: float) -> Iterator[None]:
    """Writers of this thread raise StoreBusy when their turn does not come within ``seconds``."""
    _limit.seconds = seconds
    try:
        yield
    finally:
        del _limit.seconds


def has_lock_timeout() -> bool:
    """Whether this thread is inside ``lock_timeout``."""
    return getattr(_limit, "seconds", None) is not None


class WriterLock:
    """One writer at a time in this process, and a queue between processes."""

    def __init__(self, file: str, timeout: float) -> None:
        self._thread_lock = threading.Lock()
        self._timeout = timeout
        self._lock_file = _open_lock_file()
        self._place = place_of(file)
        self._has_turn = False

    def __enter__(self) -> None:
        limit: float | None = getattr(_limit, "seconds", None)
        if not self._thread_lock.acquire(timeout=self._longest() if limit is None else limit):
            raise _busy()
        if self._lock_file is None:
            return
        try:
            self._wait_for_turn(self._lock_file, self._timeout if limit is None else limit)
            if limit is not None and not self._has_turn:
                raise _busy()
        except BaseException:
            self._thread_lock.release()
            raise

    @staticmethod
    def _longest() -> float:
        """How long to wait for another thread of this process: as long as this call may wait."""
        wait = current_wait()
        return -1 if wait is None else max(0.0, wait.end - time.monotonic())

    def _wait_for_turn(self, lock_file: int, timeout: float) -> None:
        """Wait for the queue lock and then for the turn lock, until the timeout."""
        wait = current_wait()
        end = time.monotonic() + timeout
        end = end if wait is None else min(end, wait.end)
        is_next = _acquire_until(lock_file, self._place, end)
        try:
            self._has_turn = is_next and _acquire_until(lock_file, self._place + 1, end)
        finally:
            if is_next:
                release(lock_file, self._place)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._has_turn and self._lock_file is not None:
            self._has_turn = False
            release(self._lock_file, self._place + 1)
        self._thread_lock.release()

    def close(self) -> None:
        """Release the locks for good."""
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None


def _busy() -> StoreBusy:
    return StoreBusy("Others are writing. Nothing of this call was written.", hint="Try again.")


def place_of(file: str) -> int:
    """The byte of a store's queue lock: the same by whatever path its file was opened."""
    try:
        known = Path(file).stat()
    except OSError:
        return 0
    number = blake2b(f"{known.st_dev}:{known.st_ino}".encode(), digest_size=7).digest()
    return 2 * int.from_bytes(number, "big")


def acquire(lock_file: int, place: int) -> None:
    """Lock one byte, or raise ``BlockingIOError`` when somebody has it."""
    _set_lock(lock_file, fcntl.F_WRLCK, place)


def release(lock_file: int, place: int) -> None:
    """Unlock one byte."""
    _set_lock(lock_file, fcntl.F_UNLCK, place)


def _set_lock(lock_file: int, kind: int, place: int) -> None:
    fcntl.fcntl(lock_file, _SET_LOCK, struct.pack(_LOCK_LAYOUT, kind, os.SEEK_SET, place, 1, 0))


def _open_lock_file() -> int | None:
    """A new descriptor of the lock file: locks belong to the descriptor, not to the process."""
    if not _SET_LOCK:
        return None
    try:
        name = f"recollect-{os.getuid()}.turns"
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(Path(gettempdir()) / name, flags, 0o600)
    except OSError:
        return None


def _acquire_until(lock_file: int, place: int, end: float) -> bool:
    """Poll for a byte lock; False when the time is over first."""
    pause = _FIRST_POLL_SECONDS
    wait = current_wait()
    while True:
        try:
            acquire(lock_file, place)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            if wait is not None:
                wait.log_when_long()
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_POLL_SECONDS)


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
