"""Validation of text for storage: Unicode without NUL and without lone surrogates.

A memory is written deliberately, so bad text is refused with a reason. An event is whatever
happened, so bad characters are replaced by visible ones and the event is stored.
"""

import re
from typing import Final

from recollect.vocabulary.errors import InvalidText
from recollect.vocabulary.numbers import shown

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
        kind = "a NUL byte" if found.group() == "\x00" else "half of a surrogate pair"
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
