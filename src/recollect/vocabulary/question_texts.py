"""Detects texts that only ask: a question states nothing, so it cannot answer or contradict.

A memo that is named after the question it was made for, or after the topics of its conversation,
points at what was said and states nothing itself either.
"""

import re
from typing import Final

from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType

_READ: Final = 4_000
_PIECES: Final = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s|\n")
_ASKS: Final = re.compile(r"[?\uff1f][\"')\]\u201d\u2019\u00bb\s]{0,3}$")
_ASKS_WITHOUT_MARK: Final = re.compile(
    r"(?:(?:when|where|who|what|why|how|which)(?:'s| is| are| was| were| do| does| did| can| could"
    r"| should| will| would| has| have| had)|(?:quand|o\u00f9|qui|pourquoi|comment|combien) "
    r"(?:est|sont|a|ont|se|faut|peut|dois|doit|on|va)|est-ce qu)\b[^.!:;]{0,200}$",
    re.IGNORECASE,
)
_GREETING: Final = 3  # words
#: Authors of a memo's text for which the memo only points and states nothing.
_POINTS: Final = frozenset({"question", "source"})


def only_asks(text: str) -> bool:
    """Whether a text asks and states nothing else but a greeting."""
    pieces = [one.strip() for one in _PIECES.split(text[:_READ]) if one.strip()]
    asking = [bool(_ASKS.search(one) or _ASKS_WITHOUT_MARK.match(one)) for one in pieces]
    return any(asking) and all(
        asks or len(one.split()) <= _GREETING for asks, one in zip(asking, pieces, strict=True)
    )


def makes_claim(memory: Memory) -> bool:
    """Whether a memory states something that can answer or be contradicted."""
    if memory.type is MemoryType.MEMO and memory.extras.get("summary_by") in _POINTS:
        return False
    return not only_asks(memory.content)
