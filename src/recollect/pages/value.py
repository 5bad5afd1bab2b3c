"""The structural filter: what a message is worth by its shape alone, free and in code.

What has under 20 characters, or is a bare "thanks", is worth nothing and gets no vector. Long text,
a code block, a list, a link and a question each add to the score, which is kept with the event's
signals; what has none is worth nothing.
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
_CODE: Final = re.compile(r"```|^(?: {4}|\t)\S", re.MULTILINE)
_LIST: Final = re.compile(r"^[^\S\n]*+(?:[-*•]|\d++[.)])[^\S\n]++\S", re.MULTILINE)
_LINK: Final = re.compile(r"https?://")


def is_trivial(text: str) -> bool:
    """Whether a text is too short to say anything, or only manners."""
    return len(text.strip()) < SHORT or is_bare(text)


def is_bare(text: str) -> bool:
    """Whether a text is only manners."""
    return len(text) <= LONG and _BARE.match(text) is not None


def value_of(text: str) -> int:
    """What a text is worth: 0 for what is trivial or plain, more for each sign of substance."""
    if is_trivial(text):
        return 0
    return (
        (len(text) > LONG)
        + 2 * bool(_CODE.search(text))
        + bool(_LIST.search(text))
        + bool(_LINK.search(text))
        + ("?" in text or "\uff1f" in text)
    )
