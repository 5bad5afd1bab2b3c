"""Messages that a channel writes about itself: who joined, who left, which topic was set.

They hold names and words of the channel, so searches find them, and they answer nothing.
"""

import re
from typing import Final

_LONGEST_NAME: Final = 3  # words
_READ: Final = 2_000  # characters
_PRONOUNS: Final = frozenset("i we you he she they it who".split())
_HELPERS: Final = frozenset({"has", "have", "was", "been"})
#: What a channel says that somebody did; the rest of the message is what was set.
_DID: Final = re.compile(
    r"(?:joined|left) (?:the |this )?(?:channel|group|conversation|room|server|chat)[.!]?$"
    r"|(?:added to|removed from|invited to) (?:the |this )?(?:channel|group|conversation|room)\b"
    r"|(?:set|changed|cleared|updated) the (?:channel|group|conversation|room)(?:'s)?"
    r" (?:topic|purpose|description|name)\b"
    r"|set the (?:topic|purpose)(?: to\b|:)"
    r"|(?:renamed|archived|unarchived|un-archived) the (?:channel|group)\b"
    r"|pinned a message to this channel\b",
    re.IGNORECASE,
)


def is_service_message(text: str) -> bool:
    """Whether a message is one that a channel writes about itself."""
    words = text[:_READ].split()
    if not words or words[0].lower() in _PRONOUNS:
        return False
    for length in range(1, _LONGEST_NAME + 1):
        rest = words[length:]
        while rest and rest[0].lower() in _HELPERS:
            rest = rest[1:]
        if _DID.match(" ".join(rest)):
            return True
    return False
