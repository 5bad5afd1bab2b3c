"""Parses user input: standard input, shares and times."""

import sys
from typing import TYPE_CHECKING

from typer import BadParameter

from recollect.vocabulary.errors import InvalidText, InvalidTime

if TYPE_CHECKING:
    from datetime import datetime


def standard_input(*, repaired: bool = False) -> str:
    """Read standard input; invalid bytes are refused, or replaced if allowed."""
    content = sys.stdin.buffer.read()
    try:
        text = content.decode("utf-8", "replace" if repaired else "strict")
    except UnicodeDecodeError as error:
        raise InvalidText(
            f"Standard input is not UTF-8 text (byte {error.start:,}). Nothing was changed."
        ) from None
    return text.removesuffix("\n")


#: Names of days, and how many days ago they are.
_DAYS_AGO = {"today": 0, "yesterday": 1, "aujourd'hui": 0, "hier": 1, "avant-hier": 2}


def share(value: float | None) -> float | None:
    """Check an option that is a number from 0 to 1; it is misused otherwise, as by a word."""
    if value is not None and not 0.0 <= value <= 1.0:
        raise BadParameter(f"it is a number from 0 to 1, not {value:g}.")
    return value


def time_of(text: str | None) -> "datetime | None":
    """Parse a time: a date, a time with its zone, "yesterday", or "7d" ago."""
    if text is None:
        return None
    from recollect.vocabulary.clock import parse_time

    ago = _ago(text)
    if ago is not None:
        return ago
    try:
        return parse_time(text)
    except InvalidTime as error:
        raise InvalidTime(
            error.message,
            hint="Write it like 2026-05-31, 2026-05-31T14:00:00+02:00, yesterday or 7d.",
        ) from None


def _ago(text: str) -> "datetime | None":
    """Start of a named day, or a time given as hours, days, weeks, months or years ago."""
    import re
    from datetime import datetime, timedelta

    plain = text.strip().lower()
    now = datetime.now().astimezone()
    if plain in _DAYS_AGO:
        day = now - timedelta(days=_DAYS_AGO[plain])
        return day.replace(hour=0, minute=0, second=0, microsecond=0)
    found = re.fullmatch(r"(\d{1,4}) ?(h|d|w|m|y)(?: ago)?", plain)
    if found is None:
        return None
    hours = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}[found[2]]
    try:
        return now - timedelta(hours=int(found[1]) * hours)
    except OverflowError:
        return None
