"""Messages that a channel writes about itself: who joined, who left, which topic was set.

They hold names and words of the channel, so searches find them, and they answer nothing.
"""

import re
from typing import Final

_SERVICE: Final = re.compile(
    r"\s*(?!(?:i|we|you|he|she|they|it|who)\b)"
    r"(?:<@\w{1,40}(?:\|[^>]{1,60})?>|@?[^\s:]{1,40}(?: [^\s:]{1,40}){0,2}?) (?:"
    r"(?:has |have )?(?:joined|left)(?: the| this)? (?:channel|group|conversation|room|server|chat)"
    r"|(?:was |has been )?(?:added to|removed from|invited to) (?:the |this )?"
    r"(?:channel|group|conversation|room|chat)\b.{0,80}"
    r"|(?:has |have )?(?:set|changed|cleared|updated) the (?:channel|group|conversation|room)"
    r"(?:'s)? (?:topic|purpose|description|name)\b.{0,2000}"
    r"|(?:has |have )?set the (?:topic|purpose)(?: of [^:]{1,60})?(?: to|:).{0,2000}"
    r"|(?:has |have )?(?:renamed|archived|un-?archived) the (?:channel|group)\b.{0,200}"
    r"|pinned a message to this channel\b.{0,80}"
    r")[.!]?\s*",
    re.IGNORECASE | re.DOTALL,
)


def is_service_message(text: str) -> bool:
    """Whether a message as a whole is one that a channel writes about itself."""
    return _SERVICE.fullmatch(text[:2_500]) is not None
