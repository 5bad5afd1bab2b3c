"""Checks of what callers pass: numbers, flags, names of choices, and text that can be stored.

True is not a number, and text is not parsed into one. A memory is written deliberately, so bad text
is refused with a reason. An event is whatever happened, so bad characters are replaced by visible
ones and the event is stored.
"""

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final, TypeVar

from recollect.vocabulary.errors import InvalidInput, InvalidText

E = TypeVar("E", bound=StrEnum)

MEMORY_LIMIT: Final = 200_000
EVENT_LIMIT: Final = 32_000_000
NAME_LIMIT: Final = 200

#: A commit hash or a prefix of one: nothing that git could take for an option.
_COMMIT: Final = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE | re.ASCII)
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
#: Any character that is seen: no white space, no mark of width, direction or variation.
_VISIBLE: Final = re.compile(
    r"[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


def is_number(value: object) -> bool:
    """Whether it is a finite number, and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(value: object, low: int, high: int, what: str) -> int:
    """An integer in a range; ``what`` names it in the error."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InvalidInput(f"{what} {low:,} to {high:,}, not {shown(value)}.")
    return value


def amount(value: object, low: float, high: float, what: str) -> float:
    """A number in a range; ``what`` names it in the error."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(f"{what} {low:,} to {high:,}, not {shown(value)}.")
    return float(value)


def fraction(value: object, what: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"The {what} must be a number from 0 to 1, not {shown(value)}.")
    return float(value)


def flag(value: object, what: str) -> bool:
    """A boolean, and nothing that merely looks like one."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{what} must be true or false, not {shown(value)}.")
    return value


def shown(value: object) -> str:
    """A value for an error message, shortened."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number that large" if value > 0 else "a number that small"
    try:
        text = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} that is nested very deep"
    return text if len(text) <= 80 else f"{text[:77]}..."


def choice(kind: type[E], value: str, what: str) -> E:
    """The enum member of that value."""
    try:
        return kind(value)
    except (ValueError, RecursionError):
        known = ", ".join(member.value for member in kind)
        raise InvalidInput(
            f"There is no {what} {shown(value)}.", hint=f"Choose one of: {known}."
        ) from None


def refuse_unknown(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Refuse an unknown field. ``what`` begins the sentence: "A memory"."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(
            f"{what} has no field {unknown[0]!r}.", hint=f"The fields are: {', '.join(known)}."
        )


def checked_text(text: str, what: str, limit: int) -> str:
    """The text itself if it can be stored; otherwise an error that says why not."""
    if not isinstance(text, str):
        raise InvalidText(f"The {what} must be text, not {type(text).__name__}.")
    if not _VISIBLE.search(text):
        raise InvalidText(f"The {what} is empty.")
    if len(text) > limit:
        raise InvalidText(
            f"The {what} has {len(text):,} characters; at most {limit:,} are taken.",
            hint="Record it as an event and keep a memory that points at it."
            if limit == MEMORY_LIMIT
            else None,
        )
    return storable(text, what)


def storable(text: str, what: str) -> str:
    """The text itself if every character can be stored."""
    found = _UNSTORABLE.search(text)
    if found:
        kind = (
            "a NUL byte"
            if found.group() == "\x00"
            else "bytes that are not UTF-8, or half of a surrogate pair,"
        )
        raise InvalidText(f"The {what} holds {kind} at character {found.start():,}.")
    return text


def repaired_text(text: str, what: str = "text") -> str:
    """The text with a visible replacement for each character that cannot be stored."""
    if not isinstance(text, str):
        raise InvalidText(f"The {what} must be text, not {type(text).__name__}.")
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub(lambda found: "␀" if found.group() == "\x00" else "\ufffd", text)


def checked_name(name: str, what: str) -> str:
    """A short single-line name: of a space, a person, a tag."""
    checked_text(name, what, NAME_LIMIT)
    if not name.isprintable():
        raise InvalidText(f"The {what} {name!r} holds characters that do not print.")
    return name.strip()


def is_commit(name: str) -> bool:
    """Whether a text can be a commit hash: hexadecimal, four characters or more."""
    return _COMMIT.fullmatch(name) is not None


def checked_commit(commit: str) -> str:
    """A commit hash in lower case; otherwise an error that says why not."""
    name = checked_name(commit, "commit")
    if not is_commit(name):
        raise InvalidText(
            f"The commit {shown(name)} is not hexadecimal.",
            hint="Give the name that 'git rev-parse HEAD' tells, or at least its first four signs.",
        )
    return name.lower()
