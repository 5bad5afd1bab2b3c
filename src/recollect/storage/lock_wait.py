"""Waiting for another process that holds the database: said after two seconds, and ended in time.

What is said goes to the log ``recollect.waiting``; a command line shows it, a server writes it
down. Who holds a file is found in the system's list of locks, where there is one. The file itself
is not opened for that: letting it go again would drop every lock that this process has on it.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

#: After so many seconds whoever waits is told.
NOTICE_SECONDS: Final = 2.0
#: Where SQLite's locks begin in a file, and the byte of its shared memory that a writer locks.
_FILE_LOCKS: Final = 0x40000000
_WRITER_LOCK: Final = 120
_FIELDS: Final = 8

log = logging.getLogger("recollect.waiting")
_current = threading.local()


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
