"""How long a server asked to be left alone, and what it said, read from its own words."""

import pytest
import tenacity
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.endpoint import (
    LONGEST_WAIT_SECONDS,
    JsonEndpoint,
    Reply,
    Trouble,
    _wait,
    _wait_asked_for,
)

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
    assert _wait_asked_for(retry_after, date) == wait


def after(attempt: int, trouble: Trouble) -> tenacity.RetryCallState:
    state = tenacity.RetryCallState(tenacity.Retrying(), None, (), {})
    state.attempt_number = attempt
    state.set_result(trouble)
    return state


@given(st.integers(1, 500))
def test_waits_are_bounded(attempt: int) -> None:
    assert 0.25 <= _wait(after(attempt, Trouble("is away"))) <= LONGEST_WAIT_SECONDS


def test_waits_double_until_the_server_says_otherwise() -> None:
    for attempt, most in enumerate([0.5, 1.0, 2.0, 4.0], 1):
        assert most / 2 <= _wait(after(attempt, Trouble("is away"))) <= most
    assert _wait(after(3, Trouble("is busy", 7.0))) == 7.0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "no\\n  such model"}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"message": "no such model"}', "no such model"),
        (b'{"detail": [{"msg": "field"}]}', '[{"msg": "field"}]'),
        (b"{}", ""),
        (b"<html>\n gone", "<html> gone"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"x" * 1_000, "x" * 200),
    ],
)
def test_what_a_server_said_is_one_short_line(body: bytes, said: str) -> None:
    assert JsonEndpoint("http://127.0.0.1/v1/").quoted(Reply(400, body)) == said


def test_the_address_has_no_slash_at_its_end() -> None:
    assert JsonEndpoint(" http://127.0.0.1:8080/v1/ ").address == "http://127.0.0.1:8080/v1"
