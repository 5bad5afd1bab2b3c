"""How long a server asked to be left alone, and how long is waited between two attempts."""

import pytest
import tenacity
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.retries import LONGEST_WAIT_SECONDS, FailedAttempt, _wait, wait_asked_for

NOON = "Sun, 15 Nov 2026 12:00:00 GMT"
LATER = "Sun, 15 Nov 2026 12:00:20 GMT"


@pytest.mark.parametrize(
    ("retry_after", "date", "wait"),
    [
        (None, NOON, None),
        ("", NOON, None),
        ("5", None, 5),
        (" 12 ", NOON, 12),
        (LATER, NOON, 20),
        (NOON, LATER, 0),
        (LATER, None, None),
        (LATER, "yesterday", None),
        ("soon", NOON, None),
        ("-5", NOON, None),
        ("1e9", NOON, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    retry_after: str | None, date: str | None, wait: float | None
) -> None:
    assert wait_asked_for(retry_after, date) == wait


def after(attempt: int, trouble: FailedAttempt) -> tenacity.RetryCallState:
    state = tenacity.RetryCallState(tenacity.Retrying(), None, (), {})
    state.attempt_number = attempt
    state.set_result(trouble)
    return state


@given(st.integers(1, 500))
def test_waits_are_bounded(attempt: int) -> None:
    assert 0.25 <= _wait(after(attempt, FailedAttempt("is away"))) <= LONGEST_WAIT_SECONDS


def test_waits_double_until_the_server_says_otherwise() -> None:
    for attempt, most in enumerate([0.5, 1.0, 2.0, 4.0], 1):
        assert most / 2 <= _wait(after(attempt, FailedAttempt("is away"))) <= most
    assert _wait(after(3, FailedAttempt("is busy", 7.0))) == 7.0
