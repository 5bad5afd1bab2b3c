"""Characters that do not show: which of them hide something, and which writing needs.

A joiner holds a family emoji together, a tag sequence makes the flag of Scotland, Persian and Hindi
are spelled with joiners, Hebrew beside digits wants direction marks, and a file may begin with a
byte order mark. None of these hides anything. The same characters among other letters do.
"""

import re
import unicodedata
from typing import Final

INVISIBLE: Final = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
#: Flags of parts of a country: a black flag, letters that do not show, and an end.
_FLAG: Final = re.compile(
    "\U0001f3f4(?:\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067"
    "|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "|\U000e0075\U000e0073[\U000e0061-\U000e007a]{2})\U000e007f"
)
_PICTURE: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
#: One joiner between two pictures, the first perhaps with its style or the colour of its skin.
_JOINED: Final = re.compile(f"(?<={_PICTURE})\u200d(?={_PICTURE})|(?<=\ufe0f)\u200d(?={_PICTURE})")
_JOINERS: Final = frozenset("\u200c\u200d")
_DIRECTIONS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_WORD_BREAK: Final = "\u200b"
_BYTE_ORDER: Final = "\ufeff"
#: Scripts whose letters are joined and kept apart by joiners: Arabic to Sinhala, Tibetan, Burmese,
#: Khmer, Mongolian; and those that are written without spaces.
_JOINING: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdff"
    "\ufe70-\ufefc]"
)
_UNSPACED: Final = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_FROM_THE_RIGHT: Final = frozenset({"R", "AL", "AN"})
_NEAR: Final = 8


def hides_more(text: str, allowed: int) -> bool:
    """Whether more characters of a text than that do not show and are no part of how it is
    written."""
    if text.isascii() or INVISIBLE.search(text) is None:
        return False
    shown = _JOINED.sub("", _FLAG.sub("", text))
    signs = {sign for sign in set(shown) if unicodedata.bidirectional(sign) in _FROM_THE_RIGHT}
    for found in INVISIBLE.finditer(shown):
        allowed -= not _belongs(shown, found.start(), signs)
        if allowed < 0:
            return True
    return False


def _belongs(text: str, place: int, from_the_right: set[str]) -> bool:
    """Whether the character at a place is how its neighbours are spelled."""
    sign = text[place]
    if sign in _DIRECTIONS:
        return not from_the_right.isdisjoint(text[max(0, place - _NEAR) : place + _NEAR])
    beside = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
    if sign in _JOINERS:
        return _JOINING.search(beside) is not None
    if sign == _WORD_BREAK:
        return _UNSPACED.search(beside) is not None
    return sign == _BYTE_ORDER and place == 0
