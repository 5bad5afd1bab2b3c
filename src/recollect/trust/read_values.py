"""Reads the value at an offset of a text: its start and end, and whether it is quoted.

A run of characters is measured once and cached, so that the time grows with the length of the text
and with nothing else.
"""

from typing import Final, NamedTuple

from recollect.trust.secret_values import JUDGED, is_code
from recollect.vocabulary.lazy_patterns import lazy_pattern

LONGEST: Final = 4_096
_WRAPPED: Final = lazy_pattern(
    "(?:[bru]|SecretStr\\(|Secret\\(|String::from\\(|new String\\(|bytes\\.fromhex\\(|unhexlify\\("
    "|(?:base64\\.)?b64decode\\(|Buffer\\.from\\(|[N@])(?=[\"'])"
)
_QUOTE: Final = lazy_pattern("\\\\{0,3}[\"'`\u201c\u201d\u201e\u00ab\u2018\u300c]")
_CLOSING: Final = {
    "\u201c": "\u201d",
    "\u201e": "\u201c",
    "\u00ab": "\u00bb",
    "\u2018": "\u2019",
    "\u300c": "\u300d",
}
_RUN: Final = lazy_pattern("[^\\s\"'`<>\u201c\u201d\u00ab\u00bb\u00a0\u3000]+")
_NEXT: Final = lazy_pattern(r"[,;&|](?:$|[\"']?[A-Za-z_][\w.-]{0,30}[\"']?[:=])")
_TRAILING: Final = ".,;:!?)]}>*_\u3002\u3001\uff0c\u300d"


class ReadValue(NamedTuple):
    """A value: its first characters, its start and end, whether it is quoted."""

    text: str
    start: int
    end: int
    quoted: bool


class Runs:
    """The values of one text. A run of characters is measured once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = -1
        self._quotes: dict[str, int] = {}

    def value(self, at: int) -> ReadValue:
        """The value at an offset, without quotes or the end of a list or a sentence."""
        wrapped = _WRAPPED.match(self._text, at)
        opening = _QUOTE.match(self._text, wrapped.end() if wrapped else at)
        if opening is not None:
            at = opening.end()
            closing = self._closing(opening.group(), at)
            if closing is not None:
                return self._quoted(opening.group(), at, closing)
        end = self._run(at)
        value = self._text[at : min(end, at + JUDGED)]
        cut = _NEXT.search(value)
        if cut is None and end - at > JUDGED:
            return ReadValue(value, at, end, quoted=False)
        value = value[: cut.start()] if cut else value
        if not is_code(value):
            stripped = value.rstrip(_TRAILING)
            # Punctuation at the end of a password is part of it; a full stop ends the sentence.
            value = value if value[len(stripped) :] in ("!", "?", "*") else stripped
        return ReadValue(value, at, at + len(value), quoted=False)

    def _quoted(self, opening: str, at: int, closing: int) -> ReadValue:
        """The value between quotes; French ones have a space inside."""
        if opening == "\u00ab":
            at += self._text[at : at + 1].isspace()
            closing -= closing > at and self._text[closing - 1].isspace()
        return ReadValue(self._text[at : min(closing, at + JUDGED)], at, closing, quoted=True)

    def _run(self, at: int) -> int:
        if not self._start <= at < self._end:
            run = _RUN.match(self._text, at)
            self._start, self._end = at, run.end() if run else at
        return self._end

    def _closing(self, opening: str, begins: int) -> int | None:
        """Where the quotation ends: on the same line, and not too far away."""
        closes = _CLOSING.get(opening[-1], opening)
        known = self._quotes.get(closes, -1)
        if known < begins:
            known = self._text.find(closes, begins)
            self._quotes[closes] = known = len(self._text) if known < 0 else known
        if known >= min(len(self._text), begins + LONGEST):
            return None
        return None if "\n" in self._text[begins:known] else known
