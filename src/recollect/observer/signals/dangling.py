"""Finds words that are bound to the moment or to what stood on the screen, and name neither.

"For now" and "in this branch" end with the work at hand. "Those changes", "the others" and "sort by
date" are understood by who saw what they speak of: they can be told only beside words that name it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.diagnoses import identifiers, names_in
from recollect.observer.signals.turn_text import OWN, answered, own_words, points_at, replied_to

#: Words that bind a sentence to the work of the moment.
_MOMENT: Final = re.compile(
    r"\b(?:for now|for the moment|for the time being|"
    r"this (?:branch|PR|pull request|merge request)|"
    r"(?:here|there|this one|that one) (?:as well|too)|the one here)\b",
    re.I,
)
#: A way to do something to a thing that is not named.
_WITHOUT_OBJECT: Final = re.compile(
    r"\b(?:should|to|let's|lets|must|can|could|please|then|rather|and|just)\s+"
    r"(?:sort|order|group|filter|rank|rename|convert|split)\s+(?:by|to|into|as)\b",
    re.I,
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: Fewest characters of what is left of words that say something beside the moment.
_LEFT: Final = 60


def without_the_moment(words: str) -> str:
    """The sentences that are not bound to the work of the moment; all of them if none is, nothing
    if too little is left."""
    sentences = [one for one in _SENTENCE.split(words) if one.strip()]
    left = [one for one in sentences if not _MOMENT.search(one)]
    if len(left) == len(sentences):
        return words
    told = " ".join(left)
    return told if len(told) >= _LEFT else ""


def is_incomplete(turn: Mapping[str, Any], again: str) -> bool:
    """Whether words speak of something that neither they, nor what was refused, nor the agent's
    words beside them name; ``again`` is the agent's sentence for the user's point."""
    words = own_words(str(turn["words"]), OWN)
    if not (points_at(words) or _WITHOUT_OBJECT.search(words)):
        return False
    if "(proposed: " in str(turn["action"]) or "(removing: " in str(turn["action"]):
        return False
    beside = f"{again} {answered(turn)} {replied_to(turn)}"
    return not (names_in(words) or identifiers(beside))
