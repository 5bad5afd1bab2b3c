"""Edges from each method of a base class to the methods that override it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from recollect.codegraph.bundles import NO_EDGES, Bundle
from recollect.codegraph.file_subgraph import CODES, MAKERS, Flags, Numbers, edges_of
from recollect.codegraph.node_numbers import Moved, Places

_NONE: Final[Mapping[str, int]] = {}
_NOBODY: Final = np.zeros(0, np.int64)


class Lines(NamedTuple):
    """Inheritance between classes, by their numbers, with the file that declares it."""

    files: Numbers
    subs: Numbers
    bases: Numbers


class Overriding(NamedTuple):
    """The edges, each by the number of the subclass, and the inheritance that they follow from."""

    edges: Bundle
    lines: Lines


NOTHING: Final = Overriding(NO_EDGES, Lines(_NOBODY, _NOBODY, _NOBODY))


def followed(before: Overriding, places: Places, moved: Moved, stored: Bundle) -> Overriding:
    """The edges after nodes have moved; only classes with a changed file above are recomputed."""
    codes = stored.edges.codes
    above: Flags = (codes == CODES["inherits"]) | (codes == CODES["implements"])
    chosen = np.flatnonzero(stored.known & above)
    lines = Lines(stored.owners[chosen], stored.edges.sources[chosen], stored.edges.targets[chosen])
    changed = {*moved.came, *(node.id for node, _ in moved.left)}
    for number in moved.files & places.parts.keys():
        changed.update(node.id for node in places.parts[number].nodes)
    for one in (before.lines, lines):
        changed.update(one.subs[np.isin(one.files, _array(moved.files))].tolist())
    redone = _reached(changed, before.lines.bases, before.lines.subs)
    redone |= _reached(changed, lines.bases, lines.subs)
    owners: list[int] = []
    rows = []
    for sub, base in _ancestors(redone, lines):
        own, theirs = _methods(places, sub), _methods(places, base)
        for name in own.keys() & theirs.keys() - MAKERS:
            owners.append(sub)
            rows.append((theirs[name], own[name], CODES["calls"], "override", 0.6, 0))
    fresh = np.array(owners, np.int64), edges_of(rows)
    return Overriding(before.edges.followed(moved, places.place, redone, fresh), lines)


def _ancestors(subs: Collection[int], lines: Lines) -> Iterable[tuple[int, int]]:
    """The direct and indirect base classes of some classes."""
    around = _reached(subs, lines.subs, lines.bases)
    chosen = np.isin(lines.subs, _array(around))
    above: dict[int, list[int]] = defaultdict(list)
    for sub, base in zip(lines.subs[chosen].tolist(), lines.bases[chosen].tolist(), strict=True):
        above[sub].append(base)
    for sub in above.keys() & subs:
        seen = {sub}
        pending = list(above[sub])
        while pending:
            base = pending.pop()
            if base not in seen:
                seen.add(base)
                pending += above.get(base, ())
                yield sub, base


def _reached(starts: Collection[int], ends: Numbers, others: Numbers) -> set[int]:
    """Numbers reachable from some numbers in one direction, including those themselves."""
    seen = set(starts)
    frontier = seen
    while frontier:
        frontier = set(others[np.isin(ends, _array(frontier))].tolist()) - seen
        seen |= frontier
    return seen


def _array(numbers: Collection[int]) -> Numbers:
    return np.fromiter(numbers, np.int64, len(numbers))


def _methods(places: Places, number: int) -> Mapping[str, int]:
    node = places.nodes[places.place[number]]
    row = places.by_path.get(node.path)
    return places.parts[row.file_id].members.get(node.name, _NONE) if row else _NONE
