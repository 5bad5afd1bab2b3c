"""Decides whether a session continues earlier work, so that it is told where that work stood.

It does if its prompt says so, if it is on the branch of that work, or if the prompt names a file or
several telling words of it. Work on something else is better told nothing.
"""

import re
from typing import Final

from recollect.context.planner import names_of, telling_words
from recollect.observer.turn_words import is_go_ahead
from recollect.vocabulary.memory import Memory

#: Words by which a prompt asks to go on with what was begun.
_GOING_ON: Final = re.compile(
    r"\b(?:go(?:ing)? on|continue|continuing|carry(?:ing)? on|keep going|resum(?:e|ing)|proceed|"
    r"pick(?:ing)? (?:it |this )?up|where (?:we|you|i) (?:were|are|left|stopped)|left off|finish|"
    r"next step|what'?s (?:left|next)|what is (?:left|next)|remaining|still (?:to do|open|fail\w*)|"
    r"last (?:time|session)|previous session|yesterday|weiter\w*|continue[rz]|reprend\w*|"
    r"poursui\w*|sigue|seguir|contin[uú]a)\b",
    re.I,
)
_READ: Final = 400
#: Branches on which all kinds of work are done.
_COMMON: Final = frozenset({"main", "master", "develop", "dev", "trunk", "head", ""})
#: Telling words that a prompt shares with work that it continues.
_SHARED: Final = 3


def continues(prompt: str, branch: str, state: Memory) -> bool:
    """Whether a session with this prompt, on this branch, continues the work of a work state."""
    if not prompt.strip() or is_go_ahead(prompt) or _GOING_ON.search(prompt[:_READ]):
        return True
    stood = str(state.extras.get("branch") or "")
    if branch == stood and branch.lower() not in _COMMON:
        return True
    work = " ".join((state.content, *state.files))
    if names_of(work) & names_of(prompt):
        return True
    return len(telling_words(prompt) & telling_words(work)) >= _SHARED
