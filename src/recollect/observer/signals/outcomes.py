"""Finds the agent's sentence that tells what became of a user's words.

A wish alone is half of a lesson. The other half is what the agent said when it agreed, in its own
words, or how it reported the end of the turn. A sentence counts only if it speaks of the same
things as the user, tells how they are or should be, and is no announcement and no log.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.observer.diagnoses import is_aside, names_in, sentences_of
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.phrases import capitalised
from recollect.observer.signals.claims import bare, stands
from recollect.observer.signals.rejections import is_rejected
from recollect.observer.signals.turn_text import OWN, own_words, whole

#: Number of telling words that a sentence shares with the user's.
SHARED: Final = 2
#: Fewest and most characters of a sentence.
SHORTEST: Final = 25
LONGEST: Final = 260
#: Beginning of an answer in which an agent agrees: that its user was right, or to what was wanted.
_OPENING: Final = (
    r"(?:(?:ah|oh|yes|hmm|no|right|ha|okay|ok)\b[,.! ]{1,3}(?:I see[,.! -]{1,3})?){0,2}"
)
_RIGHT: Final = (
    r"you(?:'re|\u2019re| are) (?:absolutely |completely |totally )?(?:right|correct)|"
    r"my (?:mistake|bad)|I was wrong|fair (?:point|enough)|I stand corrected"
)
_WILLING: Final = (
    r"(?:good|great|excellent) (?:catch|point|call|idea|observation|suggestion|thinking|insight)|"
    r"got it|understood|(?:that )?makes sense|that clarifies|agreed|exactly|absolutely"
)
_CONCEDES: Final = re.compile(rf"{_OPENING}(?:{_RIGHT})", re.I)
_AGREES: Final = re.compile(rf"{_OPENING}(?:{_RIGHT}|{_WILLING})", re.I)
_AGREEMENT: Final = re.compile(
    rf"{_OPENING}(?:{_RIGHT}|{_WILLING})[ ,.!:\u2013\u2014-]{{0,4}}", re.I
)
#: Beginning of a sentence that tells of the work of the moment.
_MOMENTARY: Final = re.compile(
    r"(?:here|done|perfect|great|committed|pushed|running|everything|summary|changes|check|verif\w+|"
    r"step \d|the (?:dead code|truncation))\b",
    re.I,
)
#: Beginning of a sentence that speaks of the one before it.
_POINTING: Final = re.compile(r"(?:this|that|these|those|it|its|they|both|so)\b", re.I)
#: A step of a procedure, or an item under a heading.
_STEP: Final = re.compile(r"\u2192|->|^[A-Z][\w `'()/-]{2,60}(?::| [-\u2013\u2014]) ")


#: Words of a user who takes the agent to task for what it did or left undone.
_TO_TASK: Final = re.compile(
    r"\byou(?:'re|'ve)?\b|\bI (?:didn'?t|did not|never|only|just|already) "
    r"(?:ask|tell|told|said|say|want)|\b(?:all )?I (?:asked|told|said|wanted)\b",
    re.I,
)
#: Words of an agent that says what it should have done, or what was wanted of it and what not.
_ADMITS: Final = re.compile(
    r"\bI (?:really )?(?:should(?:n't| not)? have|should have|was(?:n't| not)? supposed to|wrongly|"
    r"mistakenly|incorrectly|forgot to|failed to|neglected to|violated|ignored)\b|"
    r"\byou (?:only |just |explicitly |specifically )?(?:asked|told|said|wanted|requested)\b"
    r".{5,120}\b(?:not|and I)\b|"
    r"\bI (?:\w+ed|wrote|built|made) .{5,120}\binstead of (?:re-?)?\w+ing\b",
    re.I,
)
_ADMITTED_WORDS: Final = 4


def concedes(turn: Mapping[str, Any]) -> bool:
    """Whether the agent says that its user was right."""
    return _CONCEDES.match(str(turn["answer"]).strip()) is not None


def agrees(turn: Mapping[str, Any]) -> bool:
    """Whether the agent agrees to what its user said or wants."""
    return _AGREES.match(str(turn["answer"]).strip()) is not None


def agreement(turn: Mapping[str, Any]) -> str:
    """The sentence by which an agent that agrees says the user's point again, or the first one
    behind "you're right", if that states something; empty if there is none, or if it may repeat
    outside text."""
    _, _, repeats = [*turn.get("answered", ()), None, None, None][:3]
    answer = str(turn["answer"])
    if not agrees(turn) or repeats is not None or turn.get("refuted"):
        return ""
    said = _AGREEMENT.sub("", whole(answer).strip(), count=1)
    first = sentences_of(said)[:1] if concedes(turn) else []
    own = [one for one in first if _POINTING.match(one) is None]
    return _best(said, turn) or next(_stating(" ".join(own)), "")


def admission(turn: Mapping[str, Any]) -> str:
    """The sentence by which an agent that was taken to task says what it should have done, or what
    was wanted and what not; empty if there is none, or if it may repeat outside text."""
    _, _, repeats = [*turn.get("answered", ()), None, None, None][:3]
    if turn.get("first") or repeats is not None or turn.get("refuted"):
        return ""
    if _TO_TASK.search(own_words(str(turn["words"]), OWN)) is None:
        return ""
    said = [bare(one) for one in sentences_of(whole(str(turn["answer"])))]
    said = [_AGREEMENT.sub("", one, count=1) for one in said]
    admitted = [one for one in said if _ADMITS.search(one) and not one.endswith((":", "?"))]
    told = [one for one in admitted if SHORTEST <= len(one) <= LONGEST and _telling(one)]
    best = max(told, key=lambda one: len(_telling(one)), default="")
    return capitalised(best) if len(_telling(best)) >= _ADMITTED_WORDS else ""


def report(turn: Mapping[str, Any]) -> str:
    """The sentence of the last message of a turn that tells how things are since then; empty if
    there is none."""
    if turn.get("refuted"):
        return ""
    texts = (str(text) for _, text, repeats in turn.get("summaries", ()) if repeats is None)
    found = [one for one in (_best(text, turn) for text in texts) if one]
    return found[-1] if found else ""


def shared_words(sentence: str, turn: Mapping[str, Any]) -> int:
    """Number of telling words of the user in a sentence."""
    return len(_telling(own_words(str(turn["words"]), OWN)) & _telling(sentence))


def _best(text: str, turn: Mapping[str, Any]) -> str:
    """The sentence that speaks most of what the user spoke of, of equal ones the first."""
    held = [one for one in _stating(text) if not is_rejected(one, turn)]
    rated = [(shared_words(one, turn), one) for one in held]
    most, best = max(rated, key=lambda pair: pair[0], default=(0, ""))
    return best if most >= SHARED else ""


def _stating(text: str) -> Iterator[str]:
    for line in sentences_of(text):
        sentence = _AGREEMENT.sub("", bare(line), count=1).strip()
        if not SHORTEST <= len(sentence) <= LONGEST or sentence.endswith(("?", ":", "-")):
            continue
        if is_aside(sentence) or _MOMENTARY.match(sentence) or _STEP.search(sentence):
            continue
        if not stands(sentence):
            continue
        yield capitalised(sentence).rstrip(".") + "."


def _telling(text: str) -> set[str]:
    found = {word for word in words_of(text) if len(word) >= LEAST_SHARED}
    return found | {name.lower() for name in names_in(text)}
