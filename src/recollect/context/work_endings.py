"""Ends the wishes that hold for one piece of work when that work is over.

A branch is over when it is gone, or when it has commits since the wish was said and all of them are
in what is checked out now. A unit of work is over when somebody says that it succeeded: its agent,
a reviewer or a person. The mere end of a session is not enough, since another may go on.
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recollect.codegraph import git
from recollect.context.memory_lookup import MemoryLookup
from recollect.context.projects import branch_of
from recollect.memories.operations import MemoryKeeper
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.bounded_wishes import BOUNDED, BRANCH
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import INFERRED, MemoryType
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

_LISTED: Final = 200
_SECONDS: Final = 5
#: What git is told to print of each branch.
_FORMAT: Final = "--format=%(objectname) %(refname:lstrip=2)"


def end_of_finished_work(
    lookup: MemoryLookup, keeper: MemoryKeeper, who: tuple[Viewer, Space], root: Path | None
) -> list[Memory]:
    """End the wishes whose work is over; returns them. What others said is left to its own end."""
    bound = lookup.listed(who, Filters(tags=frozenset({BOUNDED})), _LISTED)
    of_branches = [one for one in bound if one.work_unit and one.work_unit.methodology == BRANCH]
    over = _of_finished_branches(of_branches, root) if of_branches and root is not None else []
    over += _of_finished_units(lookup, who, (one for one in bound if one not in of_branches))
    now = lookup.clock()
    ended: list[Memory] = []
    for one in over:
        try:
            ended.append(keeper.change(*who, one.id, {"valid_to": max(now, one.valid_from)}))
        except RecollectError:
            continue  # somebody else's, which a steward's session ends
    return ended


def _of_finished_branches(bound: Iterable[Memory], root: Path) -> list[Memory]:
    every, merged = _branches(root, "refs/heads"), _branches(root, "--merged=HEAD", "refs/heads")
    if not every:
        return []
    current = branch_of(root)
    over: list[Memory] = []
    for one in bound:
        name = one.work_unit.hierarchy[0] if one.work_unit else ""
        if name == current or (one.work_unit and one.work_unit.label == "no branch"):
            continue
        grown = every.get(name) not in (None, one.provenance.commit)
        if name not in every or (name in merged and grown):
            over.append(one)
    return over


def _of_finished_units(
    lookup: MemoryLookup, who: tuple[Viewer, Space], bound: Iterable[Memory]
) -> list[Memory]:
    waiting = list(bound)
    if not waiting:
        return []
    ended = Filters(types=frozenset({MemoryType.WORK_UNIT_OUTCOME}))
    done = [
        (one.work_unit.methodology, one.work_unit.hierarchy)
        for one in lookup.listed(who, ended, _LISTED)
        if one.work_unit is not None and _is_success(one)
    ]
    return [
        one
        for one in waiting
        if one.work_unit and (one.work_unit.methodology, one.work_unit.hierarchy) in done
    ]


def _is_success(outcome: Memory) -> bool:
    said = bool(outcome.extras.get("said")) or outcome.provenance.source not in INFERRED
    return said and outcome.extras.get("outcome") == "success"


def _branches(root: Path, *which: str) -> dict[str, str]:
    """Local branches with their commits; empty where git has no answer."""
    try:
        answer = git.run(root, "for-each-ref", _FORMAT, *which, seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if answer.returncode:
        return {}
    lines = answer.stdout.decode("utf-8", "replace").splitlines()
    return {name: commit for commit, _, name in (line.partition(" ") for line in lines) if name}
