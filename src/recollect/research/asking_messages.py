"""Messages that only ask: they tell nothing about a question, unless the asker asks about themself.

"I have spent three hours on dice rolls, can you help me plan the rest?" answers nothing in a
channel where people look for advice. Where somebody asks what they did themselves ("how long have I
spent on dice rolls?"), it does: people tell programs of themselves by what they ask of them.
"""

import re
from typing import Final

from recollect.recall.turn_acts import plain_words
from recollect.research.questions import ReadQuestion
from recollect.vocabulary.question_texts import only_asks

_READ: Final = 2_000  # characters
_CLAUSES: Final = re.compile(r"[.!?,;:\n]")
#: Words that begin a statement of somebody about themselves, and words that may stand before these.
_OF_ONESELF: Final = frozenset("i i'm i've i'd i'll my je j'ai j'avais mon ma mes".split())
_BEFORE: Final = frozenset(
    "so and but now also ok okay well sure yes since as because hi hey hello hmm et mais".split()
)
_MOST_BEFORE: Final = 2


def tells_nothing(question: ReadQuestion, text: str) -> bool:
    """Whether a message only asks; what it says of its author before it asks counts where the asker
    asks about themself.
    """
    return only_asks(text) and not (question.about_asker and _states_of_oneself(text))


def _states_of_oneself(text: str) -> bool:
    """Whether a clause begins as somebody begins who tells of themself: "I have spent"."""
    for clause in _CLAUSES.split(text[:_READ]):
        words = plain_words(clause)[: _MOST_BEFORE + 1]
        while len(words) > 1 and words[0] in _BEFORE:
            words = words[1:]
        if words and words[0] in _OF_ONESELF:
            return True
    return False
