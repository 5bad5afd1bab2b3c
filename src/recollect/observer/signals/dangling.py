"""Finds words that are bound to the moment or to what stood on the screen, and name neither.

"For now" and "in this branch" end with the work at hand. "Those changes", "the others" and "sort by
date" are understood by who saw what they speak of: they can be told only beside words that name it.
So are "in this case", lettered answers without their questions, and an answer to a question that
offers two sides if it does not say which.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.diagnoses import identifiers, names_in
from recollect.observer.names import LEAST_SHARED, common_words
from recollect.observer.names import words as words_of
from recollect.observer.signals.numbered_answers import is_lettered
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
#: A case that only the talk before names.
_OF_THIS_CASE: Final = re.compile(
    r"\b(?:in|for|with) (?:this|that|these|those|such) (?:(?:particular|specific) )?"
    r"(?:cases?|situations?|scenarios?|instances?)\b",
    re.I,
)
#: What names such a case in the same words: a condition, or what is so beforehand.
_NAMED_CASE: Final = re.compile(
    r"\b(?:if|when|whenever|unless|once|since|because|as soon as)\b", re.I
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: Where a question goes over to its other side, and words that say which side is meant.
_OTHER_SIDE: Final = re.compile(r",? or (?:(?:should|shall|do|does|would|is|are|can) )?", re.I)
#: What one side of a question has somebody do.
_ACT: Final = re.compile(
    r"\b(?:should|shall|do|does|would|can|could) (?:we|I|it|this|that|you|they|`[^`]{1,60}`|"
    r"the [\w-]{2,30})\s+(?:just |only |also )?(\w{4,30})",
    re.I,
)
_SAYS_WHICH: Final = re.compile(
    r"(?:the )?(?:first|second|former|latter|last|both|neither|either)\b|(?:yes|no)\b", re.I
)
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


def is_half_an_answer(turn: Mapping[str, Any], again: str) -> bool:
    """Whether words answer what they do not tell: lettered questions, a question with two sides, or
    a case that was spoken of; ``again`` is the agent's sentence for the user's point."""
    words = own_words(str(turn["words"]), OWN)
    if is_lettered(words) and not turn.get("answers"):
        return True
    return not again and (_is_of_a_case(words) or leaves_the_choice(words, answered(turn)))


def _is_of_a_case(words: str) -> bool:
    """Whether words speak of a case that they do not name."""
    return _OF_THIS_CASE.search(words) is not None and _NAMED_CASE.search(words) is None


def leaves_the_choice(words: str, question: str) -> bool:
    """Whether words answer a question that offers two sides without saying which: they name what
    both have in common, or nothing of either."""
    sides = _OTHER_SIDE.split(question, maxsplit=1)
    if len(sides) < 2 or _SAYS_WHICH.match(words):
        return False
    acts = [_ACT.search(side) for side in (sides[0], f"should {sides[1]}")]
    one, other = (act.group(1).lower() if act else "" for act in acts)
    if one and other and one != other:
        return bool(common_words(one, words)) == bool(common_words(other, words))
    mine, theirs = (
        {word for word in words_of(side) if len(word) >= LEAST_SHARED} for side in sides
    )
    said = set(words_of(words))
    return bool((mine - theirs) & said) == bool((theirs - mine) & said)
