"""Runs work under a deadline: the caller never waits longer than the budget.

Late work continues in the background, its result is dropped, and the point is counted as skipped.
Errors in such work never reach the agent.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from recollect.vocabulary.agents import BUDGETS, Point

T = TypeVar("T")

#: Upper limit of a wait in seconds, whatever the budget; raised only by a patience above 1.
LONGEST: Final = 3.0
_log: Final = logging.getLogger(__name__)


class DeadlineRunner:
    """Runs work at the injection points of an agent's loop, each within its budget."""

    def __init__(self, patience: float = 1.0, threads: int = 2) -> None:
        self._patience = patience
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="recollect-context")
        self._skipped: Counter[Point] = Counter()

    @property
    def skipped(self) -> Mapping[Point, int]:
        """Number of times each point was skipped."""
        return dict(self._skipped)

    def within(self, point: Point, work: Callable[[], T]) -> T | None:
        """Run the work and return its result, or None when it is late or fails."""
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
        """Accept no more work; late work is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
