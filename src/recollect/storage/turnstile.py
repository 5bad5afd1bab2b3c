"""Lets the writers of one file go in turns, in whatever process they are.

SQLite has one writer at a time and lets the others guess when it is free, so whoever writes much
starves the rest. Here a writer first takes the gate and then the way through: who waits at the gate
goes next, and whoever just came out queues behind. It is manners, not safety: SQLite's own lock
stays what keeps writers apart, and after ``patience`` a writer goes on to it without a turn.
"""

import os
import threading
import time
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Final

try:
    import fcntl
except ImportError:  # where there are no such locks, writers have no manners
    fcntl = None  # type: ignore[assignment]

#: Seconds between two looks at a lock that another process holds: at first, and at most.
_GLANCE: Final = 0.0003
_LONGEST_GLANCE: Final = 0.003


class Turnstile:
    """One writer at a time in this process, and turns between processes."""

    def __init__(self, file: str, patience: float) -> None:
        self._here = threading.Lock()
        self._patience = patience
        self._gate, self._way = (_opened(file, part) for part in ("gate", "way"))
        self._through = False

    def __enter__(self) -> None:
        self._here.acquire()
        if self._gate is None or self._way is None:
            return
        end = time.monotonic() + self._patience
        try:
            at_gate = _taken(self._gate, end)
            self._through = at_gate and _taken(self._way, end)
            if at_gate:
                fcntl.flock(self._gate, fcntl.LOCK_UN)
        except BaseException:
            self._here.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._through and self._way is not None:
            self._through = False
            fcntl.flock(self._way, fcntl.LOCK_UN)
        self._here.release()

    def close(self) -> None:
        """Let the locks go for good."""
        for handle in (self._gate, self._way):
            if handle is not None:
                os.close(handle)
        self._gate = self._way = None


def _opened(file: str, part: str) -> int | None:
    """A lock that is the same for everyone who opened the same file, by whatever path."""
    if fcntl is None:
        return None  # type: ignore[unreachable]
    try:
        known = Path(file).stat()
        name = f"recollect-{os.getuid()}-{known.st_dev:x}-{known.st_ino:x}.{part}"
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(Path(gettempdir()) / name, flags, 0o600)
    except OSError:
        return None


def _taken(handle: int, end: float) -> bool:
    """Whether a lock could be had before a time."""
    pause = _GLANCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_GLANCE)
