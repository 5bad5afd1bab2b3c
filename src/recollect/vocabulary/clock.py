"""Time is aware and in UTC, and a clock is injected, never called directly.

A clock is any callable that returns an aware time. Stores save a time as whole microseconds since
1970, which sorts and compares the same everywhere.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.vocabulary.errors import InvalidTime

Clock = Callable[[], datetime]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def system_clock() -> datetime:
    """The machine's current time, aware."""
    return datetime.now(UTC)


def aware(moment: datetime, what: str = "time") -> datetime:
    """The time in UTC; a naive one is refused, because its meaning would be a guess."""
    if not isinstance(moment, datetime):
        raise InvalidTime(f"The {what} must be a datetime, not {type(moment).__name__}.")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTime(
            f"The {what} {moment.isoformat()} has no time zone.",
            hint="Give an aware datetime, for example datetime.now(UTC).",
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidTime(f"The {what} {moment.isoformat()} is out of range.") from error


def parse_time(text: str, what: str = "time") -> datetime:
    """An ISO 8601 time with its zone, as a person or a file writes it; a bare date means UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidTime(
            f"The {what} {text!r} is not an ISO 8601 time.",
            hint="Write it like 2026-05-31T14:00:00+00:00.",
        ) from error
    if moment.tzinfo is None and len(text.strip()) == len("2026-05-31"):
        moment = moment.replace(tzinfo=UTC)
    return aware(moment, what)


def to_microseconds(moment: datetime) -> int:
    """Whole microseconds since 1970, the stored form."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """The aware time of a stored value."""
    return _EPOCH + timedelta(microseconds=value)
