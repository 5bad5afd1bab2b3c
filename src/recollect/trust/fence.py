"""Fence markers around recalled text, so that it is recognised and never captured as new.

Memories that an agent was given come back to us: in its transcript, in tool results, in its own
words. A fenced piece stays in the event and is left out of what is searched and learned; so nothing
becomes more trusted only because it was recalled.
"""

import re
from typing import Final

OPENS: Final = "<recollect-memory"
CLOSES: Final = "</recollect-memory>"
_FORGED: Final = re.compile(r"<\s*+(/?)\s*+recollect-memory", re.IGNORECASE)


def fenced(text: str) -> str:
    """A text with the fence around it. A fence inside cannot end it early, however spelled."""
    inner = _FORGED.sub(r"&lt;\1recollect-memory", text)
    return f"{OPENS}>\n{inner}\n{CLOSES}"


def without_fenced(text: str) -> str:
    """A text without its fenced parts; the same object if there are none."""
    kept: list[str] = []
    at = 0
    while (start := text.find(OPENS, at)) >= 0 and (inside := text.find(">", start)) >= 0:
        kept += (text[at:start], " ")
        end = text.find(CLOSES, inside)
        at = len(text) if end < 0 else end + len(CLOSES)
    return "".join((*kept, text[at:])) if kept else text
