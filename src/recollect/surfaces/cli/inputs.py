"""Reading what a person typed: standard input, and times."""

import sys
from typing import TYPE_CHECKING

from recollect.vocabulary.errors import InvalidText, InvalidTime

if TYPE_CHECKING:
    from datetime import datetime


def standard_input(*, repaired: bool = False) -> str:
    """Everything on standard input; bad bytes are refused, or replaced where that is right."""
    content = sys.stdin.buffer.read()
    try:
        text = content.decode("utf-8", "replace" if repaired else "strict")
    except UnicodeDecodeError as error:
        raise InvalidText(
            f"Standard input is not UTF-8 text (byte {error.start:,}). Nothing was changed."
        ) from None
    return text.removesuffix("\n")


def time_of(text: str | None) -> "datetime | None":
    """A time as a person types it: a date, or a time with its zone."""
    if text is None:
        return None
    from recollect.vocabulary.clock import parse_time

    try:
        return parse_time(text)
    except InvalidTime as error:
        raise InvalidTime(
            error.message, hint="Write it like 2026-05-31 or 2026-05-31T14:00:00+02:00."
        ) from None
