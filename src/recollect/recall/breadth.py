"""How broad a question is: whether one turn answers it, or several that lie far apart.

"What instruments does Ann play?" is answered here and there, by turns that say it in passing. "What
did Ann say when the roof leaked in May?" is answered in one place, where all that stands around it
is about the same. So the broader a question is, the less a turn's surroundings count, and the more
the turn itself. Only the question's own form is read; the weights of its marks were fitted
(``benchmarks/ranker.py``).
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

#: Share of questions that are broad; items without surroundings are ranked as if asked so.
USUAL_BREADTH: Final = 0.3
_STEEPNESS: Final = 2.0
_QUESTION_WORDS: Final = frozenset({"what", "which", "quels", "quelles"})
_VERBS: Final = frozenset(
    "is was were are do does did has have had would could might can will should".split()
)
_ASKING: Final = frozenset(
    "who whom whose when where why how quand quel quelle qui que quoi comment combien pourquoi "
    "est-ce".split()
)
_FIRST_WORDS: Final = _ASKING | _QUESTION_WORDS | _VERBS
_NO_PLURALS: Final = frozenset(
    "this his its always address class process success business news series".split()
)
_READ: Final = 200  # characters
_OPENING: Final = 3  # words in which a question word is looked for
_NOUNS: Final = 2  # words after it that may be the noun asked for
_LEAST_PLURAL: Final = 4  # letters


class BreadthMarks(NamedTuple):
    """What the form of a question says about how many turns answer it."""

    length: float
    when: float
    joined: float
    plural: float
    how_many: float
    perfect: float
    digits: float
    past: float
    supposed: float


#: What each mark adds, and what a question without any of them begins with.
MARKS: Final = BreadthMarks(
    length=-1.6,
    when=-1.5,
    joined=1.35,
    plural=1.7,
    how_many=1.4,
    perfect=0.65,
    digits=-0.55,
    past=-0.75,
    supposed=1.2,
)
_BEGINNING: Final = 2.6


def breadth_of(question: str) -> float:
    """The breadth of a question, from 0 (one turn answers it) to 1 (many do); of a text that asks
    nothing, such as a few key words, the usual one.
    """
    if not _asks(question):
        return USUAL_BREADTH
    marks = breadth_marks(question)
    total = _BEGINNING + sum(one * each for one, each in zip(marks, MARKS, strict=True))
    return 1 / (1 + math.exp(-_STEEPNESS * total))


def breadth_marks(question: str) -> BreadthMarks:
    """The marks of a question; each but the length is 0 or 1."""
    words = "".join(sign if sign.isalnum() else " " for sign in question.lower()).split()
    held = frozenset(words)
    many = "how many" in " ".join(words) or "combien" in held
    return BreadthMarks(
        math.log(max(len(words), 1)),
        float(words[:1] in (["when"], ["quand"])),
        float(not held.isdisjoint(("and", "et"))),
        float(_asks_for_plural(words)),
        float(many),
        float(not held.isdisjoint(("has", "have"))),
        float(any(sign.isdigit() for sign in question)),
        float(not held.isdisjoint(("did", "was", "were"))),
        float(not held.isdisjoint(("would", "might", "could", "likely"))),
    )


def _asks(text: str) -> bool:
    """Whether a text ends as a question does, or opens like one."""
    opening = [word.strip("'\u2019,.:;") for word in text[:_READ].lower().split()[:_OPENING]]
    return "?" in text or not _FIRST_WORDS.isdisjoint(opening)


def _asks_for_plural(words: Sequence[str]) -> bool:
    """Whether a noun in the plural follows the question word: "which board games"."""
    place = next((at for at, one in enumerate(words[:_OPENING]) if one in _QUESTION_WORDS), None)
    if place is None:
        return False
    for word in words[place + 1 : place + 1 + _NOUNS]:
        if word in _VERBS:
            return False
        if len(word) >= _LEAST_PLURAL and word.endswith("s") and not word.endswith("ss"):
            return word not in _NO_PLURALS
    return False
