"""Turns that react to another: they end by asking, or open with thanks, praise or agreement.

What is asked about was told. A turn that asks on, or that answers another with "that's great",
repeats the words of what was told and says little itself, so it counts a little less.
"""

import re
from collections.abc import Sequence
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.vocabulary.lazy_patterns import lazy_pattern

_ENDS_ASKING: Final = lazy_pattern(r"[?\uff1f][\"')\]\u201d\u2019\u00bb\s]{0,3}$")
_TAIL: Final = 8  # characters
#: The beginning of a turn, after what a program put before it in brackets (a photo's description).
_BRACKETS: Final = lazy_pattern(r"\s{0,9}\[[^\]\n]{0,400}\]\s{0,9}")
_REACTS: Final = lazy_pattern(
    r"\W{0,9}(?:thanks|thank you|thx|congrats|congratulations|wow|cool|awesome|great|glad|sounds"
    r"|that['\u2019]?s|yeah|definitely|absolutely|merci|bravo|f\u00e9licitations|g\u00e9nial|ouais"
    r"|absolument)\b",
    re.IGNORECASE,
)


def mark_reactions(candidates: Sequence[RecallCandidate]) -> None:
    """Mark the events among the candidates that ask, and those that open with a reaction."""
    for one in candidates:
        if one.collection == "events":
            one.signals["asks"] = float(ends_asking(one.text))
            one.signals["reacts"] = float(opens_with_reaction(one.text))


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question."""
    return bool(_ENDS_ASKING.search(text.rstrip()[-_TAIL:]))


def opens_with_reaction(text: str) -> bool:
    """Whether a text begins with thanks, congratulations, praise or agreement."""
    before = _BRACKETS.match(text)
    return bool(_REACTS.match(text, before.end() if before else 0))
