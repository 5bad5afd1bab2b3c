"""Notices that something new cannot hold beside something known, so that the person can be asked.

Two claims are about one thing when they share what they are about and differ in what is told of
it: another time, another number, another place, the opposite. Words of change ("moved to", "now",
"no longer") make it likelier. Nothing is replaced without the person's word.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.memories.metadata import dates_of
from recollect.memories.near_duplicates import TextClaim, read

_CHANGE: Final = re.compile(
    r"\b(?:moved|changed|now|no longer|not any ?more|instead|rescheduled|postponed|switched"
    r"|actually|from now on|turns out|correction|was wrong|updated?|new|déplacée?|repoussée?"
    r"|changée?"
    r"|désormais|plutôt|ne \w+ plus|finalement|maintenant)\b",
    re.IGNORECASE,
)
_SHARED: Final = 0.51
_SHARED_OF_CHANGE: Final = 0.3
_ABOUT_CHANGE: Final = frozenset(
    "move chang now longer instead reschedul postpon switch actual updat new wrong correct".split()
)


def contradiction(old: str, new: str, *, sure: bool = False) -> str | None:
    """The question to ask when both cannot hold; None when they can.

    With ``sure``, for what nobody is asked about: the new text must tell of a change or deny the
    old one. Another number alone may be another thing: "service 1", "service 2".
    """
    one, other = read(old), read(new)
    about = other.stems - _ABOUT_CHANGE
    shared = one.stems & about
    if not shared:
        return None
    share = len(shared) / max(1, min(len(one.stems), len(about)))
    changes = _tells_of_change(new)
    if share < (_SHARED_OF_CHANGE if changes else _SHARED):
        return None
    differs = _difference(one, other, old, new)
    if differs is None or (differs == "name" and not changes and share < 0.6):
        return None
    if sure and not changes and differs not in ("negation", "turn"):
        return None
    return question_of(old, new)


def question_of(old: str, new: str) -> str:
    """What the person is asked about two claims."""
    return f"I have noted: “{_short(old)}”. Shall “{_short(new)}” replace it?"


def _difference(one: TextClaim, other: TextClaim, old: str, new: str) -> str | None:
    """In what two claims about one thing differ, if that is something that can only be one way."""
    if one.decisive - {"moved"} != other.decisive - {"moved"}:
        return "turn" if one.stems == other.stems else None
    if one.negated != other.negated:
        return "negation"
    if one.numbers and other.numbers and one.numbers != other.numbers:
        return "number"
    dates, other_dates = set(dates_of(old)), set(dates_of(new))
    if dates and other_dates and dates != other_dates:
        return "date"
    left, right = one.stems - other.stems, other.stems - one.stems
    if len(left) == 1 and len(right - _ABOUT_CHANGE) == 1 and one.stems & other.stems:
        names = one.names ^ other.names
        return "name" if names else "word" if _tells_of_change(new) else None
    return None


@lru_cache(64)  # one new text is held against several old ones
def _tells_of_change(text: str) -> bool:
    return bool(_CHANGE.search(text))


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:119]}…"
