"""Retry delay of a failed job: random, from zero to a ceiling that grows with each attempt.

Drawing from the whole range (full jitter) spreads the retries of jobs that failed together. No
delay is longer than an hour, whatever the attempt.
"""

from datetime import timedelta
from typing import Final

FIRST: Final = timedelta(seconds=2)
GROWTH: Final = 4
LONGEST: Final = timedelta(hours=1)
_STEPS: Final = 8  # by then the ceiling has long been reached


def ceiling(attempt: int) -> timedelta:
    """The longest delay after this attempt; the first is attempt 1."""
    steps = min(max(attempt - 1, 0), _STEPS)
    return min(LONGEST, FIRST * int(GROWTH**steps))


def backoff(attempt: int, chance: float) -> timedelta:
    """The delay after this attempt, for a random number between 0 and 1."""
    return ceiling(attempt) * chance
