"""The vector of a question for a model that reads whole texts: without the names of the people
whose turns are searched.

Turns hardly ever name who says them, but they name whoever they are said to: a name in a question
draws a model to the wrong side of a conversation. Who is named is found by the authors of the turns
(``named_people.py``). That is known inside a transaction, where no model is asked: the search
stops with the words to embed, and starts again with their vector.
"""

import re
from collections.abc import Collection
from typing import Final

from recollect.recall.plan import carries_meaning
from recollect.recall.signals import Question
from recollect.recall.state import RecallState

_WORD: Final = re.compile(r"\w+(?:'s\b)?")
_SPACES: Final = re.compile(r"\s+")


class VectorWanted(Exception):
    """The search needs the vector of this text, which has to be made outside of a transaction."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def without_names(text: str, names: Collection[str]) -> str:
    """A question without these words, which are in lower case."""

    def kept(word: re.Match[str]) -> str:
        name = word[0].lower().removesuffix("'s")
        return "" if name in names else word[0]

    return _SPACES.sub(" ", _WORD.sub(kept, text)).strip()


def vector_without_names(asked: RecallState, names: Collection[str]) -> Question | None:
    """The vector of the question without the names; None where nothing else is asked."""
    text = without_names(asked.plan.text, names)
    if text == asked.plan.text or not any(map(carries_meaning, text.split())):
        return None
    if text not in asked.without_names:
        raise VectorWanted(text)
    return asked.without_names[text]
