"""Counts of what this process does and how long its verbs take, until they are written.

Counting only adds to a table in memory: it never waits, and a process that dies loses what it had
not written. A duration counts in the first bucket that is long enough.
"""

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, TypeVar

V = TypeVar("V", bound=type)

#: The verbs whose durations are measured.
TIMED: Final = (
    *("remember", "recall", "get", "list", "update", "forget", "supersede", "record", "read"),
    *("feedback", "trend", "research", "history", "stats", "overview"),
)
#: Upper bounds of the duration buckets, in seconds; the last is open.
DURATION_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_DURATION: Final = "verb"


def timed_verbs(family: V) -> V:
    """The same group of verbs, which measures the duration of each timed verb.

    An object of it has its ``space``, and the counts among its ``_services``.
    """
    for name in TIMED:
        if hasattr(family, name):
            setattr(family, name, _timed(name, getattr(family, name)))
    return family


def _timed(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(verb)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        began = time.monotonic()
        try:
            return verb(self, *args, **kwargs)
        finally:
            self._services.counts.timed(self.space.id, name, time.monotonic() - began)

    return call


class PendingCounts:
    """Counters of this process that are not written yet, by space and name."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()

    def add(self, space_id: str, name: str, count: int = 1) -> None:
        """Count something."""
        if count:
            with self._lock:
                key = space_id, name
                self._counts[key] = self._counts.get(key, 0) + count

    def timed(self, space_id: str, verb: str, seconds: float) -> None:
        """Count a call in its duration bucket."""
        place = bisect_left(DURATION_BUCKETS, seconds)
        self.add(space_id, f"{_DURATION}:{verb}:{place}")

    def take(self, *, everything: bool = True) -> dict[tuple[str, str], int]:
        """The counters to write. Durations alone are no reason to write, unless everything is
        requested.
        """
        with self._lock:
            if not everything and all(name.startswith(_DURATION) for _, name in self._counts):
                return {}
            taken, self._counts = self._counts, {}
            return taken


def percentiles(counts: Mapping[str, int], share: float = 0.95) -> dict[str, tuple[float, int]]:
    """For each verb, the duration that this share of its calls did not exceed, and their number."""
    buckets: dict[str, list[int]] = {}
    for name, count in counts.items():
        kind, _, rest = name.partition(":")
        verb, _, place = rest.rpartition(":")
        if kind == _DURATION:
            buckets.setdefault(verb, [0] * (len(DURATION_BUCKETS) + 1))[int(place)] += count
    return {verb: (_bound(each, share), sum(each)) for verb, each in sorted(buckets.items())}


def _bound(counts: list[int], share: float) -> float:
    wanted, seen = share * sum(counts), 0
    for place, count in enumerate(counts[:-1]):
        seen += count
        if seen >= wanted:
            return DURATION_BUCKETS[place]
    return 2 * DURATION_BUCKETS[-1]
