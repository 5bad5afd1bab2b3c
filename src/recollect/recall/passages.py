"""Splits long texts into passages: whole sentences or lines, about sixty words each.

A text of up to `ONE_PASSAGE` words is one passage. The same text is always split into the same
passages, so a passage is identified by its number.
"""

from typing import Final

from recollect.vocabulary.lazy_patterns import lazy_pattern

ONE_PASSAGE: Final = 120
_WORDS: Final = 60
_LONGEST: Final = 600
_MAX_PASSAGES: Final = 64
_ENDS: Final = lazy_pattern(r"(?<=[.!?])\s|\n")


def passages(text: str) -> list[str]:
    """The passages of a text in order; at the maximum number, the last one holds the rest."""
    if len(text) <= ONE_PASSAGE or text.count(" ") + text.count("\n") < ONE_PASSAGE:
        return [text]
    found: list[str] = []
    gathered: list[str] = []
    count = 0
    for sentence in _ENDS.split(text):
        for piece in _pieces(sentence):
            words = piece.count(" ") + 1
            if gathered and count + words > _WORDS and len(found) < _MAX_PASSAGES - 1:
                found.append(" ".join(gathered))
                gathered, count = [], 0
            gathered.append(piece)
            count += words
    if gathered:
        found.append(" ".join(gathered))
    return found or [text]


def _pieces(sentence: str) -> list[str]:
    """A sentence, cut into pieces where it is too long."""
    if not sentence.strip():
        return []
    if len(sentence) <= _LONGEST:
        return [sentence.strip()]
    return [
        sentence[start : start + _LONGEST].strip() for start in range(0, len(sentence), _LONGEST)
    ]
