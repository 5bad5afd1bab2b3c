"""The place of a piece of work: its unit in the terms of its methodology, and its branch.

A work state and notes that one stage hands to the next belong to their place. A session that names
its unit gets those of the unit; one that names none gets those of its branch.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.memory import Memory, WorkUnit

_DIGEST: Final = 12


@dataclass(frozen=True, slots=True)
class WorkPlace:
    """A unit of work and a branch; either may be unknown."""

    unit: WorkUnit | None = None
    branch: str = ""

    def relay_tags(self, base: str) -> tuple[str, ...]:
        """Tags of a note that is handed over from this place; ``base`` names the receiver."""
        if self.unit is None:
            return (base, *_on(base, self.branch))
        outermost, whole = self.unit.hierarchy[:1], self.unit.hierarchy
        return (_tag(base, "in", outermost), _tag(base, "of", whole), *_on(base, self.branch))

    def wanted_relays(self, base: str) -> tuple[str, ...]:
        """Tags of the notes among which those for this place are found."""
        if self.unit is not None:
            return (_tag(base, "in", self.unit.hierarchy[:1]),)
        return (base, *_on(base, self.branch))

    def receives(self, memory: Memory, base: str) -> bool:
        """Whether a note that was handed over is meant for this place: for the unit, for one around
        it or for one inside it; or for the branch, where no unit is named."""
        tags = set(memory.tags)
        if self.unit is not None:
            parts = self.unit.hierarchy
            inside = f"{_tag(base, 'of', parts)}/"
            around = {_tag(base, "of", parts[:deep]) for deep in range(1, len(parts) + 1)}
            return not around.isdisjoint(tags) or any(tag.startswith(inside) for tag in tags)
        branches = {tag for tag in tags if tag.startswith(f"{base} on ")}
        if not self.branch or not branches:
            return base in tags
        return not branches.isdisjoint(_on(base, self.branch))


def nearest_state(place: WorkPlace, states: Iterable[Memory], *, but: str) -> Memory | None:
    """The work state, of those given newest first, from which a session at this place goes on.

    One that names a unit goes on with that unit, or a part of the same whole. One that names none
    goes on with its branch; a state whose branch is unknown may be of any.
    """
    best: tuple[int, Memory] | None = None
    for one in states:
        near = 0 if one.provenance.session_id == but else _nearness(place, one)
        if near and (best is None or near > best[0]):
            best = (near, one)
    return None if best is None else best[1]


def branch_of_state(memory: Memory) -> str:
    """Branch on which the session of a work state stood; empty if it is unknown."""
    return str(memory.extras.get("branch") or "")


def _nearness(place: WorkPlace, memory: Memory) -> int:
    """Zero for the state of other work; more for a nearer one."""
    unit, branch = memory.work_unit, branch_of_state(memory)
    if place.unit is not None:
        return 0 if unit is None else _shared(place.unit, unit)
    if place.branch and branch:
        return 2 if place.branch == branch else 0
    return 2 if unit is None else 1


def _shared(one: WorkUnit, other: WorkUnit) -> int:
    """Number of parts that two units share from the outermost on, and one more for the same."""
    if one.methodology != other.methodology:
        return 0
    if one.hierarchy == other.hierarchy:
        return len(one.hierarchy) + 1 if one.label == other.label else 0
    pairs = zip(one.hierarchy, other.hierarchy, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _on(base: str, branch: str) -> tuple[str, ...]:
    return (_tag(base, "on", (branch,)),) if branch else ()


def _tag(base: str, word: str, parts: Sequence[str]) -> str:
    """A tag for parts of a unit or a branch; long ones are told apart by a digest."""
    path = "/".join(parts)
    tag = f"{base} {word} {path}"
    if len(tag) <= NAME_LIMIT:
        return tag
    digest = hashlib.blake2b(path.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()
    return f"{base} {word} {digest}"
