"""Times are aware and in UTC, and come back to the microsecond."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vocabulary.clock import (
    aware,
    from_microseconds,
    parse_time,
    system_clock,
    to_microseconds,
)
from recollect.vocabulary.errors import InvalidTime

zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(
    datetime(2, 1, 1),  # noqa: DTZ001
    datetime(9998, 12, 31),  # noqa: DTZ001
    timezones=zones,
)


@given(moments)
def test_time_is_kept_to_the_microsecond(moment: datetime) -> None:
    assert from_microseconds(to_microseconds(moment)) == moment


@given(moments, moments)
def test_numbers_sort_as_times_do(one: datetime, other: datetime) -> None:
    assert (to_microseconds(one) < to_microseconds(other)) == (one < other)


@given(moments)
def test_aware_means_utc(moment: datetime) -> None:
    assert aware(moment) == moment
    assert aware(moment).tzinfo is UTC
    assert parse_time(moment.isoformat()) == moment


def test_system_clock_is_aware() -> None:
    assert system_clock().tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [datetime(2026, 1, 1), "2026-01-01", 5, None, datetime(2026, 1, 1).date()],  # noqa: DTZ001
)
def test_what_is_no_aware_time_is_refused(value: object) -> None:
    with pytest.raises(InvalidTime, match="The when"):
        aware(value, "when")  # type: ignore[arg-type]


def test_time_outside_the_calendar_is_refused() -> None:
    with pytest.raises(InvalidTime, match="out of range"):
        aware(datetime.min.replace(tzinfo=timezone(timedelta(hours=1))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-31", datetime(2026, 5, 31, tzinfo=UTC)),
        (" 2026-05-31T14:00:00+02:00 ", datetime(2026, 5, 31, 12, tzinfo=UTC)),
        ("2026-05-31T14:00:00Z", datetime(2026, 5, 31, 14, tzinfo=UTC)),
        ("2026-05-31 14:00:00.000001+00:00", datetime(2026, 5, 31, 14, 0, 0, 1, tzinfo=UTC)),
    ],
)
def test_time_is_read_as_people_write_it(text: str, expected: datetime) -> None:
    assert parse_time(text) == expected


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "2026-05-31T14:00:00", "5", "٢٠٢٦"]
)
def test_time_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidTime):
        parse_time(text)
