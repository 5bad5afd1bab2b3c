"""The fence around what recall serves, by which it is known again and never captured as new.

What an agent is given from memory comes back to us: in its transcript, in tool results, in its own
words. A fenced piece is kept where it happened and left out of what is searched and learned; so
nothing that was recalled can come to be believed twice because it was recalled.
"""

import re
from typing import Final

OPENS: Final = "<recollect-memory"
CLOSES: Final = "</recollect-memory>"
_FORGED: Final = re.compile(r"<\s*+(/?)\s*+recollect-memory", re.IGNORECASE)


def fenced(text: str) -> str:
    """A text with the fence around it. A fence inside it cannot end it early, however spelled."""
    inner = _FORGED.sub(r"&lt;\1recollect-memory", text)
    return f"{OPENS}>\n{inner}\n{CLOSES}"


def without_fenced(text: str) -> str:
    """A text without what recall had served in it; the very same text when there is none."""
    kept: list[str] = []
    at = 0
    while (start := text.find(OPENS, at)) >= 0 and (inside := text.find(">", start)) >= 0:
        kept += (text[at:start], " ")
        end = text.find(CLOSES, inside)
        at = len(text) if end < 0 else end + len(CLOSES)
    return "".join((*kept, text[at:])) if kept else text
