"""Time expressions in a question ("in May 2023", "last week", "two months ago") as a time span.

Relative times are computed from the newest visible item, not from today: in a history that ended a
year ago, "yesterday" is the day before its newest item.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.lazy_patterns import lazy_pattern

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
} | {"a": 1, "an": 1, "couple": 2, "few": 3}

_MONTH: Final = lazy_pattern(
    r"(?:\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    rf"\b({'|'.join(_MONTHS)})\b(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
    r"(?:,?\s+((?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_VERB_MAY: Final = lazy_pattern(r"(?<!in )(?<!of )(?<!last )(?<!this )(?<!since )\bmay\b(?!\s+\d)")
_YEAR: Final = lazy_pattern(r"\b((?:19|20)\d\d)\b")
_ISO: Final = lazy_pattern(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_AGO: Final = lazy_pattern(
    r"\b(\d+|[a-z]+)\s+(?:of\s+)?(day|week|month|year)s?\s+(?:ago|earlier|back)\b", re.IGNORECASE
)
_LAST: Final = lazy_pattern(r"\b(?:last|past|previous)\s+([a-z]+)\b", re.IGNORECASE)
_YESTERDAY: Final = lazy_pattern(r"\b(yesterday|today|last night)\b", re.IGNORECASE)
_LENGTH: Final = {"day": 1, "week": 7, "month": 30, "year": 365}


_HINT: Final = lazy_pattern(
    rf"\d{{4}}|\b(?:{'|'.join(_MONTHS)}|ago|earlier|back|last|past|previous|yesterday|today)\b",
    re.I,
)


class TimeSpan(NamedTuple):
    """Start (inclusive) and end (exclusive) in microseconds, and the words that named the span."""

    start: int
    end: int
    words: str


def span_of(text: str, newest: Callable[[], int]) -> TimeSpan | None:
    """The span that a question names, or None."""
    if not _HINT.search(text):
        return None
    anchor = from_microseconds(newest())
    for read in _READERS:
        found = read(text, anchor)
        if found is not None:
            start, end, words = found
            return TimeSpan(to_microseconds(start), to_microseconds(end), words)
    return None


_Found = tuple[datetime, datetime, str] | None


def _date(text: str, _: datetime) -> _Found:
    found = _ISO.search(text)
    if found is None:
        return None
    start = _day(int(found[1]), int(found[2]), int(found[3]))
    return None if start is None else (start, start + timedelta(days=1), found[0])


def _month(text: str, anchor: datetime) -> _Found:
    found = _MONTH.search(_VERB_MAY.sub("might", text))
    if found is None:
        return None
    number = _MONTHS.index(found[2].lower()) + 1
    named = found[4] or (year[1] if (year := _YEAR.search(text)) else None)
    year_number = int(named) if named else anchor.year - (number > anchor.month)
    day = found[1] or found[3]
    start = _day(year_number, number, int(day or 1))
    if start is None:
        return None
    return start, start + timedelta(days=1) if day else _next_month(start), found[0].strip()


def _ago(text: str, anchor: datetime) -> _Found:
    found = _AGO.search(text)
    if found is None:
        return None
    count = int(found[1]) if found[1].isdigit() else _NUMBERS.get(found[1].lower(), 0)
    length = _LENGTH[found[2].lower()]
    if not 0 < count * length < 40_000:
        return None
    middle = anchor - timedelta(days=count * length)
    return middle - timedelta(days=length / 2), middle + timedelta(days=length / 2), found[0]


def _last(text: str, anchor: datetime) -> _Found:
    day = _YESTERDAY.search(text)
    if day is not None:
        back = 0 if day[1].lower() == "today" else 1
        start = anchor.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=back)
        return start, start + timedelta(days=1), day[0]
    found = _LAST.search(text)
    if found is None:
        return None
    word = found[1].lower().rstrip("s")
    if word in _LENGTH or word == "weekend":
        return anchor - timedelta(days=2 * _LENGTH.get(word, 7)), anchor, found[0]
    if word in _DAYS:
        start = anchor.replace(hour=0, minute=0, second=0, microsecond=0)
        start -= timedelta(days=(anchor.weekday() - _DAYS.index(word) - 1) % 7 + 1)
        return start, start + timedelta(days=1), found[0]
    return None


def _year(text: str, _: datetime) -> _Found:
    season = next((name for name in _SEASONS if re.search(rf"\b{name}\b", text, re.I)), None)
    found = _YEAR.search(text)
    if found is None:
        return None
    start = datetime(int(found[1]), _SEASONS[season] if season else 1, 1, tzinfo=UTC)
    return start, start + timedelta(days=92 if season else 365), found[0]


_READERS: Final[tuple[Callable[[str, datetime], _Found], ...]] = (_date, _month, _ago, _last, _year)


def _day(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _next_month(start: datetime) -> datetime:
    return (start + timedelta(days=32)).replace(day=1)
