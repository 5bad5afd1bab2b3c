"""Retries with exponential backoff for requests that failed temporarily.

A server may say how long to wait; if it asks for too long, there is no retry. Attempts and waits
are bounded.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    import tenacity

A = TypeVar("A")

FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 60.0


class FailedAttempt(NamedTuple):
    """Why an attempt failed, and how long the server asks to wait."""

    sentence: str
    wait_seconds: float | None = None
    cause: Exception | None = None


def until_answered(
    ask: Callable[[], A | FailedAttempt], *, attempts: int, sleep: Callable[[float], None]
) -> A | FailedAttempt:
    """The first answer; or the error of the last attempt, when the attempts are used up."""
    import tenacity

    enough = tenacity.stop_after_attempt(attempts)
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_result(lambda outcome: isinstance(outcome, FailedAttempt)),
        stop=lambda state: enough(state) or _asks_too_much(state),
        wait=_wait,
        sleep=sleep,
        retry_error_callback=_trouble,
    )
    return retrying(ask)


def _trouble(state: "tenacity.RetryCallState") -> FailedAttempt:
    """The error of the last attempt."""
    trouble: FailedAttempt = state.outcome.result()  # type: ignore[union-attr]
    return trouble


def _asks_too_much(state: "tenacity.RetryCallState") -> bool:
    return (_trouble(state).wait_seconds or 0.0) > LONGEST_WAIT_SECONDS


def _wait(state: "tenacity.RetryCallState") -> float:
    """As long as the server asks for; otherwise doubled each time, with random jitter over half of
    it so that clients do not all retry at once.
    """
    import tenacity

    asked = _trouble(state).wait_seconds
    if asked is not None:
        return asked
    doubled = tenacity.wait_exponential(FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS)
    return doubled(state) * random.uniform(0.5, 1.0)


def wait_asked_for(retry_after: str | None, date: str | None) -> float | None:
    """Seconds from a Retry-After header; a date in it is read against the server's own clock."""
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after.strip())
    try:
        wait = parsedate_to_datetime(retry_after) - parsedate_to_datetime(date or "")
    except (TypeError, ValueError):
        return None
    return max(wait, timedelta(0)).total_seconds()
