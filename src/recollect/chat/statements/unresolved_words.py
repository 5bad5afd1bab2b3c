"""Whether a statement lacks its topic: an "it", a "they" or a bare figure with nothing named.

A clause cut out of its sentence may have lost the noun that it is about. Such a statement is kept
together with its neighbour, or not at all.
"""

import re
from typing import Final

from recollect.chat.language.sentence_subject import names_in, relations_in
from recollect.chat.statements.lasting_worth import COUNTED, DATED
from recollect.memories.text_comparison import IDLE, normalised, words_of

#: References to something that was named elsewhere.
_UNRESOLVED: Final = re.compile(
    r"\b(?:it|them)(?=[ .,!]|$)|\b(?:both|neither|all three|les deux)(?=[.!]|$)|\b(?:this|these"
    r"|those|that)(?=[.,!]|$)|\b(?:this|these|those)"
    r" (?!week|month|year|morning|evening|afternoon|weekend|summer|winter|spring|autumn|days"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|time\b)[a-z]"
    r"|\b(?:in|at|on|from|with|of|for|to) that (?!day\b|time\b|i\b|we\b|my\b)[a-z]"
    r"|\bthe (?:free|first|second|third|last|same|other|final|latter|former|short|long|new|old)"
    r" (?:version|one|option|part|step|session|approach|method|choice|half|round|attempt)\b(?! of)",
    re.IGNORECASE,
)
#: A result or an appointment without its topic.
_THIN: Final = re.compile(
    r"\b(?:decide|stop|finish|start|submit|begin|leave|done|ready|due) (?:by|on|at|before)\b"
    r"|^(?:i|we) (?:just |also |already )?(?:chose|went with|compensated|picked|declined|accepted"
    r"|agreed|met|switched|responded|replied|submitted|finished|completed)\b|\bso far\b"
    r"|\bas of\b"
    r"|^(?:i|we) (?:just )?had an? (?:[a-z]{3,12} ){0,2}(?:conversation|chat|talk|call|meeting"
    r"|discussion) with [\w' ]{2,30}$|\bgone from\b|\bimproved by\b|\d ?%[.!]?$",
    re.IGNORECASE,
)
_THIN_WORDS: Final = 9
_BARE: Final = 2  # minimum number of words that say what a figure or a day is about
_FIGURES: Final = re.compile(r"[$€£]?\d[\d,.:%]{0,12}")
_SAYS_LITTLE: Final = frozenset(
    """
    have need want get got just about decide decided deadline left allocated monthly submit words
    finish start started begin day days week weeks month months year years hours total so far now
    secured project working work gonna going something thing task break reset latest versions
    """.split()
)
_SOMEBODY: Final = re.compile(
    r"\b(?:he|she|he's|she's|his|her|him|they|they're|their|theirs|one)\b(?! of\b)", re.IGNORECASE
)
_BEFORE_IT: Final = 6  # maximum number of words before an "it" that is unresolved


def points_away(words: str) -> bool:
    """Whether a statement contains an "it" that it does not explain."""
    found = _UNRESOLVED.search(words)
    return found is not None and len(words[: found.start()].split()) <= _BEFORE_IT


def is_unresolved(words: str) -> bool:
    """Whether a statement does not name its topic."""
    thin = _THIN.search(words) and len(words.split()) <= _THIN_WORDS
    return bool(thin) or points_away(words) or _of_somebody_unnamed(words) or _is_bare(words)


def _of_somebody_unnamed(words: str) -> bool:
    """Whether a statement contains "him" or "their" and names nobody before."""
    found = _SOMEBODY.search(words)
    if found is None:
        return False
    before = words[: found.start()]
    return not relations_in(before) and not names_in(" " + before)


def _is_bare(words: str) -> bool:
    """Whether a statement has a figure or a day and hardly a word that says what it is about."""
    if not DATED.search(words) and not COUNTED.search(words):
        return False
    telling = _FIGURES.sub(" ", DATED.sub(" ", words))
    return (
        sum(1 for word in words_of(normalised(telling)) if word not in _SAYS_LITTLE | IDLE) < _BARE
    )
