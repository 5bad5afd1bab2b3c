"""Which clause of a sentence a value stands in, and which of several values a question means.

"We dropped it because it lost messages in June": June is when it lost messages. A value in a clause
that holds less of the question than another clause answers something else, and of several values
in one clause the one means the question that stands nearest to a word of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from recollect.research.questions import ReadQuestion, term_of

_WORD: Final = re.compile(r"[^\W_][\w'\u2019+-]{0,60}")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|\n")
#: Words of a clause: "Ann and I" is none.
_LEAST_CLAUSE: Final = 3
#: Where another clause begins: one with a conjunction of its own, or joined with its own subject.
_SUBJECT: Final = (
    r"(?=(?:I|we|you|he|she|they|it|the|our|my|his|her|their|nobody|everybody)(?:'\w+)? )"
)
_BORDER: Final = re.compile(
    rf";|,? \b(?:because|but|while|whereas|although|though|so that|(?:since|and) {_SUBJECT})",
    re.IGNORECASE,
)
#: Distance, in words, that a word of the question after a value counts as farther than one before.
_AFTER: Final = 0.5
_NOWHERE: Final = 1_000.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A value, and where it stands in a sentence."""

    value: str
    start: int
    end: int


def belongs(question: ReadQuestion, sentence: str, place: int) -> bool:
    """Whether no other clause of its sentence holds more of a question than the one at a place."""
    first = max((one.end() for one in _SENTENCE_END.finditer(sentence, 0, place)), default=0)
    end = _SENTENCE_END.search(sentence, place)
    last = end.start() if end else len(sentence)
    starts = [first]
    for border in _BORDER.finditer(sentence, first, last):
        if len(sentence[starts[-1] : border.start()].split()) >= _LEAST_CLAUSE:
            starts.append(border.end())
    asked = {term_of(word) for word in question.words}
    held = [
        len(_terms_of(sentence[begin:until]) & asked) for begin, until in pairwise([*starts, last])
    ]
    return held[max(number for number, begin in enumerate(starts) if begin <= place)] == max(held)


def nearest_to(question: ReadQuestion, sentence: str, values: Sequence[Placed]) -> str:
    """The value nearest to a word of a question, one that stands after it before one that stands
    in front of it; of equally near ones that of the later word of the question, which is its verb
    more often. Empty where there is no value.
    """
    if len(values) < 2:
        return values[0].value if values else ""
    order = {term_of(word): number for number, word in enumerate(question.words)}
    words = [
        (found.start(), order.get(term_of(found[0].lower()), -1))
        for found in _WORD.finditer(sentence)
        if not any(one.start <= found.start() < one.end for one in values)
    ]

    def distance(value: Placed) -> tuple[float, int]:
        before = [number for start, number in words if start < value.start][::-1]
        after = [number for start, number in words if start >= value.end]
        near = [(float(far), -number) for far, number in enumerate(before) if number >= 0][:1]
        near += [(far + _AFTER, -number) for far, number in enumerate(after) if number >= 0][:1]
        return min(near, default=(_NOWHERE, 0))

    return min(values, key=distance).value


def _terms_of(text: str) -> set[str]:
    return {term_of(found[0].lower()) for found in _WORD.finditer(text)}
