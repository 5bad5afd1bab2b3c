"""Wishes that hold for one piece of work only: for its branch or its unit of work, until it ends.

Such a memory names the work as its work unit and has an end of its validity, in case nobody notices
that the work is over. Agents are told of it where that work goes on, and nowhere else.
"""

from datetime import timedelta
from typing import Final

from recollect.vocabulary.memory import Memory, WorkUnit

#: Tag of a memory that holds for its work unit only.
BOUNDED: Final = "bound:work"
#: Methodology of a work unit that is a branch.
BRANCH: Final = "branch"
#: How long such a wish holds at most.
LONGEST: Final = timedelta(days=14)


def is_bounded(memory: Memory) -> bool:
    """Whether a memory holds for one piece of work only."""
    return BOUNDED in memory.tags


def branch_unit(branch: str) -> WorkUnit:
    """A branch as a unit of work; where none is known, the work at no branch."""
    name = branch or "none"
    return WorkUnit(BRANCH, (name,), f"branch {branch}" if branch else "no branch")


def holds_at(memory: Memory, unit: WorkUnit | None, branch: str) -> bool:
    """Whether a memory may be told where this work goes on."""
    if not is_bounded(memory) or memory.work_unit is None:
        return not is_bounded(memory)
    here = unit if memory.work_unit.methodology != BRANCH else branch_unit(branch)
    return here is not None and _same(memory.work_unit, here)


def _same(one: WorkUnit, other: WorkUnit) -> bool:
    return (one.methodology, one.hierarchy) == (other.methodology, other.hierarchy)
