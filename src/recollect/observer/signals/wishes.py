"""Classifies a user's words: a lasting wish, or something about the moment.

A question asks for an answer and is no wish, unless it is a wish in the form of a question ("can we
use our own logger instead?"). Pasted text does not count as the user's words.
"""

import re
from functools import lru_cache
from typing import Final

from recollect.observer.phrases import NOT_ABBREVIATED
from recollect.vocabulary.memory_types import MemoryType

_PASTED: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_SENTENCE: Final = re.compile(rf"(?<=[.?!]){NOT_ABBREVIATED}\s+|\n+")
#: Words of a correction: something is wrong, or should be different.
_CORRECTING: Final = re.compile(
    r"\b(?:no|not|never|wrong|instead|should|still|remove|rather|unless)\b|n't\b", re.I
)
_WISHING: Final = re.compile(
    r"\b(?:should|instead|rather|better|prefer|don't|do not|want|please|let's|must|always|never|"
    r"make sure)\b",
    re.I,
)
#: Beginning of a question that states a wish.
_POLITE: Final = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? |wait,? |hm+,? |ugh,? |no,? |or )*"
    r"(?:can|can't|could|couldn't|shouldn't|should(?! we)|should we (?:be|not|use|also|have)|would|"
    r"wouldn't|let's|why not|why don't|maybe)\b",
    re.I,
)
#: Words of a lasting statement: how something should be, or that it is not so.
_LASTING: Final = re.compile(
    r"\b(?:should(?:n't)?|must|never(?! ?mind)|always|wrong|incorrect|"
    r"not (?:correct|right|true)|prefer|want|needs?|instead|rather|make sure|everywhere)\b",
    re.I,
)
#: Words that make a wish lasting, whatever its outcome.
_STANDING: Final = re.compile(
    r"(?i)(?<!n't )(?<!not )\b(?:always|never(?! ?mind)|from now on|every time|everywhere|"
    r"in general|as a rule|going forward|in (?:the )?future|"
    r"make sure (?:that |we|it |no |any |every |to (?:always|never|not) )|"
    r"toujours|jamais|désormais)\b"
)
#: The same as a rule: at the beginning of a clause, or behind a word of wish or duty.
_RULING: Final = re.compile(
    r"(?:^|[.!;:,(]\s*|\b(?:please|should|must|let's|to|and|but|we|do|it)\s+)"
    r"(?:always|never(?! ?mind)) (?!been\b|did\b|had\b|got\b|was\b|were\b|came\b|went\b|"
    r"gets?\b|see\b|reach|\w{1,20}(?:ed|(?<!s)s)\b)\w|"
    r"\b(?:from now on|as a rule|going forward|"
    r"make sure (?:(?:that )?(?:we |it |you )?(?:no|any|every|all|each|always|never)|"
    r"to (?:always|never|not))|"
    r"(?:il faut|faut|tu dois|vous devez|on doit) (?:toujours|jamais)|ne jamais|d\u00e9sormais)\b",
    re.I,
)
#: Words for every case, which are a rule beside a word of wish or duty only: in a report they tell
#: how often something goes wrong.
_EVERY_CASE: Final = re.compile(
    r"\b(?:every time (?!I\b|it\b|the\b|he\b|she\b)|in general|everywhere|toujours(?! pas))\b", re.I
)
_DUTY: Final = re.compile(
    r"\b(?:should|must|needs? to|ha(?:ve|s) to|let's|please|want|prefer|make sure|use|using|faut|"
    r"doi[ts]|devez)\b",
    re.I,
)
#: Words of a decision that holds for the project: what it has and has not, what is so on purpose or
#: by default, and what somebody does not want.
_POLICY: Final = re.compile(
    r"\b(?:on purpose|deliberately|intentional(?:ly)?|by design|by default|"
    r"we (?:don't|do not|no longer|never|only|always|already) (?!need|have to|know|see|get)\w|"
    r"we (?:removed|dropped|replaced) |"
    r"there(?: is|'s| are) (?:already|no) |I (?:don't|do not) want |"
    r"(?:is|are|isn't|aren't|not) (?:needed|used|supported|valid|there) any ?more|obsolete|"
    r"(?:is|are|was|were|be|been|being|now|already|it|them|as) deprecated|phased out|"
    r"avoid (?:code )?duplicat\w+|"
    r"nous n'avons|on n'utilise|par défaut|exprès)",
    re.I,
)
#: Tag after a statement that does not make it a question.
_TAG: Final = re.compile(r",? (?:or|right|no|yeah|ok)\s*\?$", re.I)
_OTHERWISE: Final = re.compile(r"\b(?:instead|rather than)\b", re.I)
_PREFERENCE: Final = re.compile(
    r"\b(?:always|never|prefer|please (?:use|don't|do not)|don't|do not|stop|instead of|"
    r"rather than|no need|not necessary|overkill|should(?:n't| not)? (?:be|use|have|not))\b",
    re.I,
)
_DECISION: Final = re.compile(
    r"\b(?:let's|lets|we (?:should|want|will|can|need)|go with|decided?|keep|use|make it)\b", re.I
)
#: Words that only let the work continue.
_EMPTY: Final = re.compile(
    r"^(?:\W|yes|no|ok(?:ay)?|continue|go on|go ahead|stop|wait|sorry|thanks?|please|try again|"
    r"proceed|done|good|hm+|let's discuss|discuss|let me|just|a|sec(?:ond)?|moment|pause|for)*$",
    re.I,
)


def is_empty(words: str) -> bool:
    """Whether the words carry no content."""
    return _EMPTY.match(words) is not None


def is_correcting(words: str) -> bool:
    """Whether the words say that something is wrong, or should be different."""
    return _CORRECTING.search(words) is not None


def is_question(words: str) -> bool:
    """Whether the words ask something."""
    return any(sentence.endswith("?") for sentence in _sentences(words))


def is_wishing(words: str) -> bool:
    """Whether a sentence states a wish, as a statement or politely as a question."""
    return any(
        _OTHERWISE.search(sentence) or _POLITE.match(sentence)
        if sentence.endswith("?")
        else _WISHING.search(sentence)
        for sentence in _sentences(words)
    )


def is_lasting(words: str) -> bool:
    """Whether a sentence states how something should be, or that it is not so."""
    return any(
        _OTHERWISE.search(sentence) if sentence.endswith("?") else _LASTING.search(sentence)
        for sentence in _sentences(words)
    )


def is_standing(words: str) -> bool:
    """Whether the words state a wish for every time."""
    return _STANDING.search(words) is not None


def is_rule(words: str) -> bool:
    """Whether a sentence, not a question, lays down what holds every time."""
    return any(map(_rules, _sentences(words)))


def standing_sentences(words: str) -> str:
    """The sentences, no questions, that lay down what holds every time."""
    return " ".join(filter(_rules, _sentences(words)))


def _rules(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    every = _EVERY_CASE.search(sentence) is not None and _DUTY.search(sentence) is not None
    return every or _RULING.search(sentence) is not None


def is_policy(words: str) -> bool:
    """Whether a sentence, not a question, tells a decision that holds for the project."""
    return any(
        not sentence.endswith("?") and _POLICY.search(sentence) is not None
        for sentence in _sentences(words)
    )


def type_of(words: str) -> MemoryType:
    """Memory type of the user's words: a lasting wish, a decision, or something to know."""
    if _PREFERENCE.search(words):
        return MemoryType.PREFERENCE
    if "?" not in words and _DECISION.search(words):
        return MemoryType.DECISION
    return MemoryType.GOTCHA


@lru_cache(maxsize=512)
def _sentences(words: str) -> tuple[str, ...]:
    """The user's own sentences, without tags that only ask for assent."""
    own = _PASTED.sub(" ", words).strip()
    return tuple(_TAG.sub(".", sentence.strip()) for sentence in _SENTENCE.split(own))
