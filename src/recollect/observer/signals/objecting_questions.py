"""Recognises questions that correct: a reason or another way is in them, and the agent gave way.

People put a correction as a question ("can't the decoder do that?"), and a question for a cause or
a thought looks alike. What tells them apart is in both: the question itself names another way, or
why something is so, and the agent gives way to it, in its own words or by a change that stays.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.outcomes import agrees
from recollect.observer.signals.turn_text import OWN, is_prose, own_words
from recollect.observer.turn_words import has_yielded

#: A question for another way: it names one, compares, or asks why something is not done.
_ANOTHER_WAY: Final = re.compile(
    r"\b(?:instead|rather than|why not)\b|"
    r"\b(?:can't|cannot|couldn't|shouldn't|wouldn't) (?:we|you|it|this|that|the)\b|"
    r"\bwhy (?:don't|do not|aren't|can't|couldn't|shouldn't) (?:we|you)\b",
    re.I,
)
#: Words of a reason.
_REASON: Final = re.compile(
    r"\b(?:because|since (?!then\b|when\b)|so that|otherwise|in order (?:to|not)|"
    r"to (?:not|avoid|be able)|(?:we|it|this) (?:already|only|never|always) \w)",
    re.I,
)
#: A question for a cause, or for what is so: it opens with a question word.
_FOR_A_CAUSE: Final = re.compile(
    r"^(?:(?:but|and|so|hm+|ok|also|wait)[,. ]+){0,2}(?:why|how|what|where|when|which|who)\b", re.I
)
#: Where a question begins behind a statement in its sentence: "the hook knows it, why do we ...".
_ASKS_THEN: Final = re.compile(
    r", (?:so )?(?:why|can't|couldn't|shouldn't|can we|should we)\b", re.I
)
_STATES: Final = re.compile(
    r"\b(?:is|are|has|have|knows?|needs?|should|must|isn't|doesn't|don't)\b", re.I
)
#: Beginning of a clause that asks or supposes.
_OPENS_ASKING: Final = re.compile(
    r"(?:(?:but|and|so|hm+|ok|also|wait)[,. ]+)?"
    r"(?:why|how|what|if|when|can|could|should|would|is|are|do|does)\b",
    re.I,
)
#: A statement beside a question, which says how something should be.
_DUTY: Final = re.compile(
    r"\b(?:should(?:n't)?|must(?:n't)?|(?:don't|do not|doesn't|does not) need|needs? to|only)\b",
    re.I,
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: An answer that says yes to what was proposed.
_YES: Final = re.compile(r"(?:(?:ah|oh|hm+)[,. ]+)?(?:yes|yeah|yep|sure|indeed)\b", re.I)
#: Fewest telling words of a question that can be understood.
_TELLING: Final = 3


def is_heeded(turn: Mapping[str, Any], again: str) -> bool:
    """Whether a turn corrects by asking and the agent gave way; ``again`` is the sentence by which
    the agent said the user's point again, empty if it did not."""
    words = own_words(str(turn["words"]), OWN)
    if "?" not in words or not (has_substance(words) or (again and _states_beside(words))):
        return False
    situation = turn.get("situation", frozenset())
    if "next_undoes" in situation or turn.get("refuted"):
        return False
    worked = any(not is_prose(path) for path in turn["edited"])
    if again:
        return worked or is_refusal(turn)
    answer = str(turn["answer"]).strip()
    gave_way = agrees(turn) or has_yielded(answer) or _YES.match(answer) is not None
    corrected = {"edited_again", "next_corrects"} <= set(situation)
    return gave_way and worked and (is_refusal(turn) or not corrected)


def _states_first(sentence: str) -> bool:
    """Whether a sentence says how something is before it asks."""
    asked = _ASKS_THEN.search(sentence)
    if asked is None or _OPENS_ASKING.match(sentence):
        return False
    return _STATES.search(sentence[: asked.start()]) is not None


def _states_beside(words: str) -> bool:
    """Whether a sentence beside the question says how something should be."""
    return any(not one.endswith("?") and _DUTY.search(one) for one in _SENTENCE.split(words))


def has_substance(words: str) -> bool:
    """Whether a question names another way, or why something is so, rather than only asking."""
    telling = {word for word in words_of(words) if len(word) >= LEAST_SHARED}
    if len(telling) < _TELLING:
        return False
    return any(
        _ANOTHER_WAY.search(one)
        or _states_first(one)
        or (_REASON.search(one) and not _FOR_A_CAUSE.match(one))
        for one in _SENTENCE.split(words)
    )
