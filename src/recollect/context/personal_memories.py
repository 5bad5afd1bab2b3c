"""Decides which personal memories the context of a project's work may contain: wishes only.

What somebody told an assistant about themselves, or stored for themselves alone, is no note on a
project: a context goes to an agent, whose words end in commits, tickets and logs. Kept are a
person's wishes about how to answer them and about how programs are made. In a personal space
everything belongs to its owner and there is no project, so nothing is left out there.
"""

import re
from typing import Final

from recollect.chat.language.standing_wishes import is_standing_wish
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
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
        or is_standing_wish(memory.content, asks=False)
        or _is_about_programming(memory)
    )


def _is_about_programming(memory: Memory) -> bool:
    """Whether a memory states how its owner wants programs to be made."""
    wish = memory.type is MemoryType.PREFERENCE
    return wish and not _PROGRAMMING.isdisjoint(_PLAIN.findall(memory.content.lower()))
