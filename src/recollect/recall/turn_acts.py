"""What a turn does in a conversation: it asks, reacts to another, or tells what happened.

What is asked about was told. A turn that asks on, or that answers another with "that's great",
repeats the words of what was told and says little itself, so it counts a little less. Where the
question is about the past, a turn in the past tense counts a little more; so does one that tells
of whoever says it, since most of what is asked about people they said of themselves.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.vocabulary.lazy_patterns import lazy_pattern

_ENDS_ASKING: Final = lazy_pattern(r"[?\uff1f][\"')\]\u201d\u2019\u00bb\s]{0,3}$")
_TAIL: Final = 12  # characters
#: The beginning of a turn, after what a program put before it in brackets (a photo's description).
_BRACKETS: Final = lazy_pattern(r"\s{0,9}\[[^\]\n]{0,400}\]\s{0,9}")
_REACTS: Final = lazy_pattern(
    r"\W{0,9}(?:thanks|thank you|thx|congrats|congratulations|wow|cool|awesome|great|glad|sounds"
    r"|that['\u2019]?s|yeah|definitely|absolutely|merci|bravo|f\u00e9licitations|g\u00e9nial|ouais"
    r"|absolument)\b",
    re.IGNORECASE,
)
_ASKS_OF_PAST: Final = lazy_pattern(
    r"\b(?:did|was|were|had|has|have|happened|ago|yesterday|last|a-t-(?:il|elle|on)|avait|\u00e9tait"
    r"|\w{2,20}ed)\b",
    re.IGNORECASE,
)
#: Words in the past tense that do not end in "ed".
_PAST: Final = frozenset(
    "was were had did went got made took saw bought brought found won met came gave told said felt "
    "left began became wrote thought taught spent lost built ate drove flew ran sold "
    "j'ai \u00e9tait avait".split()
)
_REGULAR_PAST: Final = lazy_pattern(r"ed\b", re.IGNORECASE)
#: Words by which somebody speaks of themselves.
FIRST_PERSON: Final = frozenset(
    "i i'm i've i'd i'll im ive my me mine myself we we're we've we'd we'll our ours us "
    "je j'ai j'avais j'\u00e9tais moi mon ma mes nous notre nos".split()
)
_EDGES: Final = ".,;:!?\"'()[]*-\u2026"
_READ: Final = 2_000  # characters
#: Texts of so many characters are remembered, and so many of them.
_REMEMBERED: Final = 500
_TEXTS: Final = 8_192


def mark_acts(turns: Sequence[RecallCandidate], question: str) -> None:
    """Mark the turns that ask, that react, that tell of their speaker, and, where the question is
    about the past, that tell of it.
    """
    of_past = bool(_ASKS_OF_PAST.search(question[:_READ]))
    for one in turns:
        text, signals = one.text, one.signals
        acts = _acts_of(text) if len(text) > _REMEMBERED else _acts_of_short(text)
        signals["asks"], signals["reacts"], signals["first_person"] = acts
        signals["past"] = 1.0 if of_past and tells_of_past(text) else 0.0


def _acts_of(text: str) -> tuple[float, float, float]:
    """Whether a text asks, reacts, and tells of its speaker: 1 or 0 for each."""
    return float(ends_asking(text)), float(opens_with_reaction(text)), float(tells_of_self(text))


#: The same texts lead again and again.
_acts_of_short: Final = lru_cache(_TEXTS)(_acts_of)


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question."""
    tail = text[-_TAIL:]
    return ("?" in tail or "\uff1f" in tail) and bool(_ENDS_ASKING.search(tail.rstrip()))


def opens_with_reaction(text: str) -> bool:
    """Whether a text begins with thanks, congratulations, praise or agreement."""
    before = _BRACKETS.match(text) if text[:1] in "[ " else None
    return bool(_REACTS.match(text, before.end() if before else 0))


def tells_of_past(text: str) -> bool:
    """Whether a text has a verb in the past tense."""
    told = text[:_READ].lower()
    if not _PAST.isdisjoint(told.split()):
        return True
    return any(told[max(0, at - 2) : at].isalpha() for at in _ends_of_past(told))


def tells_of_self(text: str) -> bool:
    """Whether a text speaks in the first person."""
    words = _lower_words(text)  # most who do say "I" or "my" without a sign beside it
    if not FIRST_PERSON.isdisjoint(words):
        return True
    if "".join(words).isalnum():  # no word has a sign beside it
        return False
    return not FIRST_PERSON.isdisjoint([word.strip(_EDGES) for word in words if not word.isalnum()])


def plain_words(text: str) -> list[str]:
    """The words at the beginning of a text, in lower case and without signs around them."""
    return [word.strip(_EDGES) for word in _lower_words(text)]


def _lower_words(text: str) -> list[str]:
    return text[:_READ].lower().replace("\u2019", "'").split()


def _ends_of_past(text: str) -> list[int]:
    """Where "ed" ends a word after at least two characters."""
    return [found.start() for found in _REGULAR_PAST.finditer(text) if found.start() >= 2]
