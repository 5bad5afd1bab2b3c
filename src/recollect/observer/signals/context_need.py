"""Estimates how much a user's words need their conversation to be understood and to be of use.

A colleague who reads them a month later has neither the screen nor the question before them. Words
that only point at something, that change the wording of a message, that paste what a program
printed, that name a folder of one machine, that answer a numbered list or that steer the
conversation say nothing then.
"""

import re
from typing import Final

from recollect.observer.diagnoses import identifiers
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.signals.wishes import is_standing

#: Deductions from the score of a turn.
POINTING: Final = 3.0
WORDING: Final = 3.0
PASTED: Final = 2.5
ANSWERING: Final = 1.5
STEERING: Final = 1.5
DOUBTING: Final = 2.0
MACHINE: Final = 2.5
ASKING: Final = 1.0
TESTS: Final = 1.5
_POINTS: Final = re.compile(
    r"\b(?:this|that|these|those|it|its|them|they|both|there|here|the (?:same|other|rest|first|"
    r"second|last|latter|former))\b",
    re.I,
)
_SHORT: Final = 90
_FEW: Final = 4
_QUOTED: Final = re.compile(r"[\"“][^\"”\n]{3,100}[\"”]|'[^'\n]{12,100}'")
#: Share of quoted text from which the words are about that text.
_MOSTLY: Final = 0.35
_REWORDED: Final = re.compile(
    r"\b(?:print|say|show|read|write|put|message|wording|rephrase|reword|title|label)\b"
    r".{0,40}(?:[\"“]|like[.:])|[\w.\"”)] (?:->|=>|\u2192) [\"“A-Za-z]",
    re.I,
)
#: What a program printed, in the middle of what a person writes.
_PRINTED: Final = re.compile(
    r"[\u276f\u23fa\u23bf✓✗✔█▸•\u2500-\u257f]|^[ \t]{0,20}(?:>|\$|\+|-{3}|\|)\s|"
    r"\b\d{4}-\d\d-\d\d-|<\w{1,40}>|\[\w{1,40}\] \(|Operation stopped by hook|Traceback|panic:",
    re.M,
)
#: A folder of one person's machine.
_OWN_MACHINE: Final = re.compile(
    r"(?<![\w.])(?:/(?:(?:tmp|private|var/folders)/|(?:Users|home)/\w)|[A-Z]:\\Users\\)"
)
_NUMBERED: Final = re.compile(r"\s*(?:\d[.)]|[a-dA-D]\))\s")
_STEERS: Final = re.compile(
    r"^(?:ok(?:ay)?|great|cool|good|nice|yes|yeah|right|hm+|so|and|also|q)?[,.:! ]*"
    r"(?:I(?:'ve| have) (?:just|now)|we(?:'re| are) (?:back|done|good)|going back to|back to|"
    r"take the following|new change|next (?:up|one|thing)|one (?:more|last)|last (?:one|thing)|"
    r"let's (?:start|continue|summari[sz]e|write|brainstorm|discuss|talk|look|see)|brainstorm|"
    r"can you (?:explain|tell|check|look|summari[sz]e)|thinking about|question|"
    r"first problem|UX improvement)\b",
    re.I,
)
_DOUBT: Final = re.compile(
    r"\b(?:does it make sense|do we (?:even )?need|is there (?:a|any) way|are we sure|"
    r"what (?:about|if|happens)|why (?:is|are|do|does|did))\b",
    re.I,
)
_ABOUT_TESTS: Final = re.compile(
    r"\b(?:unit|integration|regression)? ?tests? (?:case|coverage|that|which|for|would|to)\b|"
    r"\b(?:lacks?|without|missing|add(?:ing)?|consider) [\w ]{0,40}tests?\b",
    re.I,
)
_ALREADY_MANY: Final = 2


def context_needed(words: str) -> float:
    """Deduction for words that mean little without their conversation."""
    own = words.strip()
    need = POINTING * is_pointing(own) + WORDING * is_rewording(own)
    need += PASTED * (len(_PRINTED.findall(own)) >= _ALREADY_MANY)
    need += MACHINE * (_OWN_MACHINE.search(own) is not None)
    need += ANSWERING * (_NUMBERED.match(own) is not None)
    need += STEERING * (_STEERS.match(own) is not None)
    need += DOUBTING * (_DOUBT.search(own) is not None) + ASKING * max(0, own.count("?") - 1)
    return need + TESTS * (_ABOUT_TESTS.search(own) is not None)


def is_pointing(words: str) -> bool:
    """Whether short words name nothing and only point at what is before the speaker."""
    if len(words) > _SHORT or identifiers(words) or "`" in words or is_standing(words):
        return False
    telling = {word for word in words_of(words) if len(word) >= LEAST_SHARED}
    return len(telling) < _FEW and (len(telling) < 2 or _POINTS.search(words) is not None)


def is_rewording(words: str) -> bool:
    """Whether the words are about the text of a message."""
    quoted = sum(len(found) for found in _QUOTED.findall(words))
    return quoted > _MOSTLY * len(words) or _REWORDED.search(words) is not None
