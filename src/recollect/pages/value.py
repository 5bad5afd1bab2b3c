"""Structural filter: the value of a message by its form alone, without a model.

A text of under 20 characters or a bare "thanks" has no value and gets no vector. Long text, a code
block, a list, a link and a question each add to the score, which is stored with the event's
signals; a text with none of these has the value 0.
"""

import re
from typing import Final

SHORT: Final = 20
LONG: Final = 200
_BARE: Final = re.compile(
    r"^(?:\s|[!.,…~*_-]|(?:thanks?|thank you|thx|ty|ok(?:ay)?|k|kk|yes|yep|yeah|no|nope|lol"
    r"|haha+|nice"
    r"|cool|great|sure|done|same|hi|hello|hey|bye|good morning|merci|oui|non|d'accord|super|\+1)\b"
    r"|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d])+$",
    re.IGNORECASE,
)
_FENCE: Final = "```"
_INDENTED: Final = re.compile(r"^(?: {4}|\t)\S", re.MULTILINE)
_LIST: Final = re.compile(r"^[^\S\n]*+(?:[-*•]|\d++[.)])[^\S\n]++\S", re.MULTILINE)
_LINKS: Final = ("https://", "http://")


def is_trivial(text: str) -> bool:
    """Whether a text is too short to say anything, or only a courtesy."""
    return len(text.strip()) < SHORT or is_bare(text)


def is_bare(text: str) -> bool:
    """Whether a text is only a courtesy."""
    return len(text) <= LONG and _BARE.match(text) is not None


def value_of(text: str) -> int:
    """Value of a text: 0 if it is trivial or plain, more for each sign of substance."""
    if is_trivial(text):
        return 0
    has_lines = "\n" in text  # in a single line both are at its beginning, or nowhere
    indented = _INDENTED.search(text) if has_lines else _INDENTED.match(text)
    listed = _LIST.search(text) if has_lines else _LIST.match(text)
    return (
        (len(text) > LONG)
        + 2 * (_FENCE in text or indented is not None)
        + (listed is not None)
        + any(link in text for link in _LINKS)
        + ("?" in text or "\uff1f" in text)
    )
