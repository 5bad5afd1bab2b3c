"""Work that is done in time or not at all: whoever waits is never kept past the budget.

What is late goes on behind, its result is dropped, and the point is counted as skipped. Nothing
that goes wrong in such work reaches the agent.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from recollect.vocabulary.agents import BUDGETS, Point

T = TypeVar("T")

#: Whatever budgets say, nobody waits longer than this.
LONGEST: Final = 3.0
_log: Final = logging.getLogger(__name__)


class DeadlineRunner:
    """Runs work for the points of an agent's loop, each within its budget."""

    def __init__(self, patience: float = 1.0, threads: int = 2) -> None:
        self._patience = patience
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="recollect-context")
        self._skipped: Counter[Point] = Counter()

    @property
    def skipped(self) -> Mapping[Point, int]:
        """How often each point was skipped."""
        return dict(self._skipped)

    def within(self, point: Point, work: Callable[[], T]) -> T | None:
        """The work's result, or None when it is late or fails."""
        seconds = BUDGETS[point] * self._patience
        if self._patience <= 1:
            seconds = min(seconds, LONGEST)
        try:
            return self._pool.submit(work).result(timeout=seconds)
        except TimeoutError:
            self._skipped[point] += 1
        except Exception:  # noqa: BLE001 an agent never stumbles over its memory
            self._skipped[point] += 1
            _log.warning("Nothing was served at %s", point.value, exc_info=True)
        return None

    def close(self) -> None:
        """Take no more work; what is late is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
