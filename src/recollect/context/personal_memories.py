"""Decides which personal memories the context of a project's work may contain: wishes only.

What somebody told an assistant about themselves, or stored for themselves alone, is no note on a
project: a context goes to an agent, whose words end in commits, tickets and logs. Kept are a
person's wishes about how to answer them and about how programs are made. In a personal space
everything belongs to its owner and there is no project, so nothing is left out there.
"""

import re
from dataclasses import replace
from typing import Final

from recollect.chat.language.standing_wishes import is_standing_wish
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space, SpaceKind

#: Visibilities of memories that a file in a repository may contain: others may not be read by
#: everyone who reads the repository.
IN_REPOSITORIES: Final = frozenset({Visibility.PROJECT, Visibility.TEAM, Visibility.ORGANISATION})
_PLAIN: Final = re.compile(r"[a-z][a-z+#-]{1,24}")
#: Words that people use only when they speak about programming.
_PROGRAMMING: Final = frozenset(
    "code coding codebase program programs programming programmer software developer repo repos "
    "repository repositories commit commits branch branches merge rebase refactor refactoring lint "
    "linter linting formatter compiler compile compiled debugger debugging docstring docstrings "
    "unittest unittests pytest function functions variable variables module modules api apis "
    "database databases sql git github gitlab docker kubernetes npm pnpm yarn pip uv cargo python "
    "typescript javascript java rust golang kotlin c++ c# html css react django deploy deploys "
    "deployment staging frontend backend pull-request pull-requests unit-tests ide vim emacs "
    "typed typing indentation".split()
)


def may_enter_work(memory: Memory, space: Space) -> bool:
    """Whether the context of work in a space may contain the memory unless personal memories are
    asked for."""
    return (
        memory.audience.visibility is not Visibility.PERSONAL
        or space.kind is SpaceKind.PERSONAL
        or (memory.type is MemoryType.PREFERENCE and _is_wish(memory.content))
    )


def for_work(filters: Filters, space: Space) -> Filters:
    """The filters, with personal memories that are certainly no wishes left out: thousands of them
    must not fill a list of the most important memories."""
    return filters if space.kind is SpaceKind.PERSONAL else replace(filters, for_work=True)


def _is_wish(text: str) -> bool:
    """Whether a preference says how to answer, or how programs are made."""
    if is_standing_wish(text, asks=False):
        return True
    return not _PROGRAMMING.isdisjoint(_PLAIN.findall(text.lower()))
