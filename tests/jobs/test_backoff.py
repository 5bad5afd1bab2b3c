"""The pause after a failure grows, is spread over its whole range, and never passes an hour."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.jobs.backoff import FIRST, LONGEST, backoff, ceiling

ATTEMPTS = st.integers(1, 10_000)
CHANCES = st.floats(0, 1, exclude_max=True)


@given(ATTEMPTS, CHANCES)
def test_pause_stays_between_zero_and_its_ceiling(attempt: int, chance: float) -> None:
    assert timedelta(0) <= backoff(attempt, chance) <= ceiling(attempt) <= LONGEST


@given(ATTEMPTS)
def test_ceiling_never_shrinks(attempt: int) -> None:
    assert ceiling(attempt) <= ceiling(attempt + 1)


@given(ATTEMPTS)
def test_ceiling_grows_until_it_is_an_hour(attempt: int) -> None:
    assert ceiling(attempt + 1) >= min(LONGEST, 2 * ceiling(attempt))


@given(ATTEMPTS, CHANCES, CHANCES)
def test_greater_chance_is_longer_pause(attempt: int, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert backoff(attempt, low) <= backoff(attempt, high)


def test_jitter_is_full() -> None:
    assert backoff(3, 0.0) == timedelta(0)
    assert backoff(3, 1.0) == ceiling(3)


def test_ceilings_of_the_eight_attempts() -> None:
    seconds = [ceiling(attempt).total_seconds() for attempt in range(1, 9)]
    assert seconds == [2, 8, 32, 128, 512, 2048, 3600, 3600]


@given(st.integers(-10, 0))
def test_attempt_before_the_first_counts_as_the_first(attempt: int) -> None:
    assert ceiling(attempt) == FIRST
