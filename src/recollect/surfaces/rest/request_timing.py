"""Which requests are so brief that the loop does them itself.

A kind of request is one route, asked of one space by one sender. It is brief when it took little of
the processor the last times; what turns out slow, or is new, goes to the pool of threads.
"""

import time
from collections.abc import Callable, Hashable
from typing import Final, TypeVar

T = TypeVar("T")

BRIEF: Final = 0.02  # seconds of the processor
SLOW: Final = 0.1  # seconds on the clock
REST: Final = 1.0  # so long nothing of a kind that was slow is tried again
_MOST: Final = 10_000


class RequestTiming:
    """How long kinds of requests take. Used by the loop and by the threads of the pool."""

    def __init__(self) -> None:
        self._cost: dict[Hashable, float] = {}
        self._resting: dict[Hashable, float] = {}

    def is_brief(self, kind: Hashable) -> bool:
        """Whether the loop may do one of this kind."""
        if self._cost.get(kind, BRIEF) >= BRIEF:
            return False
        return kind not in self._resting or self._rested(kind)

    def watched(self, kind: Hashable, work: Callable[[], T]) -> T:
        """Do it here, and note when it was not brief after all."""
        began = time.monotonic()
        try:
            return work()
        finally:
            if time.monotonic() - began > SLOW:
                _put(self._resting, kind, time.monotonic() + REST)

    def learned(self, kind: Hashable, work: Callable[[], T]) -> T:
        """Do it in a thread, and note what it cost there, however long it waited for others."""
        began = time.thread_time()
        try:
            return work()
        finally:
            spent = time.thread_time() - began
            _put(self._cost, kind, max(spent, self._cost.get(kind, 0.0) / 2))

    def _rested(self, kind: Hashable) -> bool:
        if time.monotonic() < self._resting[kind]:
            return False
        del self._resting[kind]
        return True


def _put(known: dict[Hashable, float], kind: Hashable, value: float) -> None:
    if len(known) >= _MOST:
        known.clear()
    known[kind] = value
