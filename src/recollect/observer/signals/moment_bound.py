"""Finds turns that hold for their moment only: an order at a tool call, talk, or a proposal.

What a user orders when a command is held back is done a minute later, what was only talked over was
not decided, what is offered as a question is one way among others, and what was removed is gone.
Readers found hardly any of it worth keeping, however much it sounds like a norm. A turn that lays
down a rule is bound to its moment only if it says so itself ("for now"), and a question with a
reason or another way in it is not, if the agent gave way to it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.signals.dangling import is_half_an_answer, is_incomplete, without_the_moment
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.objecting_questions import is_heeded
from recollect.observer.signals.turn_text import OWN, own_words
from recollect.observer.signals.wishes import is_policy, is_rule

#: Beginning of the action of a refused command, and of another tool that is no edit.
_COMMAND: Final = ("running ", "using ")
#: Words that forbid something or prefer a kind of thing, rather than order the next step.
_FORBIDDING: Final = re.compile(
    r"\b(?:don't|do not|never|not|no need|prefer|avoid|without|let's not|only|"
    r"no(?=[,.! ]))\b|n't\b|\buse [\w`./-]{2,40}(?: [\w`./-]{2,40}){0,3} (?:for|to|in|when)\b"
    r"(?! (?:the|this|that|your|my|our) (?:plan|task|issue|ticket|change|fix|commit|summary|report|"
    r"design|todo|spec|pr|pull request|branch|step)s?\b)",
    re.I,
)
#: Beginning of a question, also without its mark.
_ASKING: Final = re.compile(
    r"^(?:why|can|could|would|is|are|do(?! not)|does|did|how|what|where)\b", re.I
)
#: What the agent did this time.
_THIS_TIME: Final = re.compile(r"\byou(?:'ve| have| just) \w+", re.I)
#: Beginning of a sentence that is one case of a question before it.
_OF_A_CASE: Final = re.compile(
    r"^(?:for|in|then|and|so|if) (?:the (?:first|second|last|latter|former|other)|it|this|that)\b",
    re.I,
)
#: Beginning of words about one item of a list that only that moment had.
_ITEM: Final = re.compile(
    r"^(?:\w{1,8},? )?(?:(?:for|on|about|regarding|re:?|as for) #?\d+|#\d+)\b", re.I
)
#: A place in the web, which is that of one thing.
_ADDRESS: Final = re.compile(r"\bhttps?://\S", re.I)
#: Words of somebody who weighs, or puts one step before the next.
_WEIGHING: Final = re.compile(
    r"\b(?:actually|maybe|perhaps|for now|this time|first|hang on|one sec)\b", re.I
)
#: Remark in brackets.
_ASIDE: Final = re.compile(r"\([^()\n]{0,300}\)")
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: A tag after a statement, which asks for assent only.
_TAG: Final = re.compile(r",? (?:or|right|no|ok)\s*\?$", re.I)
#: A question that names what should be taken in the place of what: a wish, however politely.
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|the existing|our (?:own )?\w|already (?:have|has|exists?))\b",
    re.I,
)
#: Beginning of a thought, and of a remark on one place that somebody reads.
_THOUGHT: Final = re.compile(
    r"^(?:\w{1,8}[,:. ]+){0,3}?(?:in theory|maybe|perhaps|I (?:guess|wonder|suppose))\b", re.I
)
_READING: Final = re.compile(
    r"^(?:\w{1,8}[,:. ]+){0,2}?(?:I(?:'m| am) )?looking at\b|\bon line \d", re.I
)
#: A question for the cause of something, which is a report of a fault.
_WHY: Final = re.compile(r"^(?:but |and |so |hm+,? )?(?:why|how come|what)\b", re.I)
#: Words that say how something is or should be.
_LAID_DOWN: Final = re.compile(
    r"\b(?:should(?:n't)?|must|need(?:s|n't)?|never|always|only|want|prefer|wrong|is|are|isn't|"
    r"aren't|has|have|doesn't|don't|not)\b",
    re.I,
)
#: An order to take something away, and a reason for it.
_REMOVING: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yeah|and|so|now|I think|we can|let's|lets|can we|please|also|just|then)"
    r"[,.]? ){0,5}(?:remove|delete|drop|get rid of)\b",
    re.I,
)
_REASONED: Final = re.compile(
    r"\b(?:because|since|so that|otherwise|risk|would|no longer|any ?more|obsolete|reason|"
    r"confus\w+|mislead\w+|no need|not needed)\b",
    re.I,
)


def is_moment_bound(turn: Mapping[str, Any], again: str) -> bool:
    """Whether a turn holds for its moment only; ``again`` is the sentence by which the agent said
    the user's point again, empty if it did not."""
    words = own_words(str(turn["words"]), OWN)
    if not without_the_moment(words) or is_half_an_answer(turn, again):
        return True
    if is_rule(words):
        return False
    if is_incomplete(turn, again):
        return True
    if is_heeded(turn, again):
        return False
    if is_refusal(turn) and str(turn["action"]).startswith(_COMMAND):
        return _is_order(words, again)
    open_still = words.rstrip().endswith("?") and not _TAG.search(words)
    talked = not (is_refusal(turn) or turn["edited"]) and (open_still or not again)
    remark = _THOUGHT.match(words) or _ITEM.match(words) or (_READING.search(words) and not again)
    return bool(talked or remark) or is_proposal(words) or _is_removal(words)


def is_proposal(words: str) -> bool:
    """Whether words only offer or ask for something, and lay down nothing outside of questions."""
    sentences = [_TAG.sub(".", one.strip()) for one in _SENTENCE.split(_ASIDE.sub("", words))]
    asked = [one for one in sentences if one.endswith("?")]
    told = [one for one in sentences if one and not one.endswith("?")]
    wished = len(asked) == 1 and _INSTEAD.search(asked[0]) is not None
    if not asked or wished:
        return False
    return _WHY.search(asked[-1]) is not None or not any(
        _LAID_DOWN.search(one) for one in told if not _OF_A_CASE.match(one)
    )


def _is_order(words: str, again: str) -> bool:
    """Whether words at a refused command order the next step, about one thing or for now."""
    asks = "?" in words or _ASKING.match(words.strip()) is not None
    if asks or any(form.search(words) for form in (_ADDRESS, _WEIGHING, _THIS_TIME)):
        return True
    return not (_FORBIDDING.search(words) or is_policy(words) or again)


def _is_removal(words: str) -> bool:
    """Whether words have something taken away without a reason, of which nothing is left then."""
    return _REMOVING.match(words.strip()) is not None and _REASONED.search(words) is None
