"""Clocks for tests: time moves only when somebody looks at it, or when a test says so."""

import threading
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TICK = timedelta(milliseconds=1)


class TickingClock:
    """Each look is a millisecond after the one before, so ids sort as they were made."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            self.now += TICK
            return self.now

    def move(self, by: timedelta) -> datetime:
        """Let time pass; the time it is then."""
        with self._lock:
            self.now += by
            return self.now
