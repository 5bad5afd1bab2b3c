"""Orders the notes that a session begins with: by what its branch speaks of, person and use.

Notes are equally called for by their kind; among those, a note about what the branch is named for
comes before one that is only newer, and one that was of use before one that was ignored.
"""

import re
from collections.abc import Iterable
from typing import Final

from recollect.vocabulary.memory import Memory

_PART: Final = re.compile(r"[A-Za-z]{3,30}")
#: Words of branches that say how work is done and not on what.
_GENERAL: Final = frozenset(
    "main master develop dev trunk feature feat fix bug bugfix hotfix chore release wip test tests "
    "the and for with from into new add".split()
)
#: Fewest letters with which a longer word of the same family begins.
_LEAST: Final = 4
_MINE: Final = 0.5
_MOST_USED: Final = 3


def branch_words(branch: str) -> frozenset[str]:
    """Words of a branch's name that say what is worked on."""
    return frozenset(_PART.findall(branch.lower())) - _GENERAL


def fit(memory: Memory, words: Iterable[str], user: str) -> float:
    """How well a note fits work on a branch with these words, by this person."""
    text = " ".join((memory.content, *memory.files, *memory.tags)).lower()
    said = frozenset(_PART.findall(text))
    about = sum(any(_alike(word, one) for one in said) for word in words)
    mine = _MINE * (memory.provenance.created_by == user)
    return 2.0 * about + mine + _use(memory)


def _use(memory: Memory) -> float:
    """What became of a note that was told: followed or cited, or ignored."""
    counts = memory.counts
    return (min(counts.citation, _MOST_USED) - min(counts.ignore, _MOST_USED)) / _MOST_USED


def _alike(word: str, other: str) -> bool:
    """Whether two words are of one family: "lint" and "linter", "docs" and "doc"."""
    short, long = sorted((word.rstrip("s"), other.rstrip("s")), key=len)
    return short == long or (len(short) >= _LEAST and long.startswith(short))
