"""The graph in memory: nodes in arrays, edges as compressed rows, in both directions.

It is put together from the parts of its files. Three kinds of edges are not stored, because they
follow from the others: calls by a name that few methods bear, calls of a base's method that reach
the methods overriding it, and what making an object of a class runs.
"""

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.parts import (
    CODES,
    KINDS,
    MAKERS,
    Edges,
    Floats,
    Numbers,
    Part,
    edges_of,
    side_by_side,
)
from recollect.codegraph.resolving.resolver import folder_number
from recollect.vocabulary.code import FileRole, Node, NodeKind, node_number

#: A name that more methods bear than this says too little.
NAMESAKES: Final = 12
#: How much of a change travels along each kind of edge.
WEIGHTS: Final = {
    "imports": 0.7,
    "calls": 1.0,
    "inherits": 0.95,
    "implements": 0.9,
    "exports": 0.5,
    "contains": 0.5,
    "tests": 1.0,
}


_NONE: Final[Mapping[str, Any]] = {}


class Rows(NamedTuple):
    """Edges by one of their ends: the others of row i stand from starts[i] up to starts[i + 1]."""

    starts: Numbers
    others: Numbers
    edges: Numbers


class Graph:
    """Nodes and edges of one version of one index."""

    def __init__(self, parts: Mapping[int, Part], before: "Graph | None" = None) -> None:
        self.parts = parts
        self._below: dict[int, _Below] = {}
        self.files = {number: part.row for number, part in parts.items()}
        self.by_path = {part.row.path: part.row for part in parts.values()}
        same = before is not None and before.by_path.keys() == self.by_path.keys()
        folders = before.folders if before and same else _folders(self.by_path)
        self.folders: list[Node] = folders
        self.nodes: list[Node] = []
        self.in_file: dict[str, Sequence[int]] = {}
        for part in parts.values():
            begins = len(self.nodes)
            self.nodes += part.nodes
            self.in_file[part.row.path] = range(begins, len(self.nodes))
        for folder in folders:
            self.in_file[folder.path] = (*self.in_file.get(folder.path, ()), len(self.nodes))
            self.nodes.append(folder)
        ids = [part.ids for part in parts.values()]
        self.ids: Numbers = np.concatenate([*ids, np.array([f.id for f in folders], np.int64)])
        self.place = dict(zip(self.ids.tolist(), range(len(self.nodes)), strict=True))
        lengths = [len(part.nodes) for part in parts.values()]
        tests = [part.row.role == FileRole.TEST.value for part in parts.values()]
        self.test: NDArray[np.bool_] = np.concatenate(
            [np.repeat(np.array(tests, np.bool_), lengths), np.zeros(len(folders), np.bool_)]
        )
        self._put_edges(np.cumsum([0, *lengths])[:-1], before._below if before else {})

    @cached_property
    def by_last(self) -> Mapping[str, Sequence[int]]:
        """Nodes by the last part of their names; files and folders by theirs."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes):
            found[node.name.rpartition(".")[2] or node.path.rpartition("/")[2]].append(place)
        return found

    def _put_edges(self, begins: Numbers, below: "Mapping[int, _Below]") -> None:
        order = np.argsort(self.ids, kind="stable")
        ordered = self.ids[order]
        stored = side_by_side([part.edges for part in self.parts.values()])
        here = _places(ordered, order, stored.sources)
        there = _places(ordered, order, stored.targets)
        known = np.flatnonzero((here >= 0) & (there >= 0))
        above = (stored.codes[known] == CODES["inherits"]) | (
            stored.codes[known] == CODES["implements"]
        )
        inherits = zip(here[known][above].tolist(), there[known][above].tolist(), strict=True)
        making = side_by_side([part.making for part in self.parts.values()])
        derived = [
            self._by_name(stored, np.flatnonzero((here >= 0) & (there < 0)), begins),
            self._overriding(list(inherits), below),
            making,
        ]
        follows = side_by_side(derived)
        sources = _places(ordered, order, follows.sources)
        targets = _places(ordered, order, follows.targets)
        sound = (sources >= 0) & (targets >= 0)
        self.sources: Numbers = np.append(here[known], sources[sound])
        self.targets: Numbers = np.append(there[known], targets[sound])
        self.hows = np.append(stored.hows[known], follows.hows[sound])
        self.lines = np.append(stored.lines[known], follows.lines[sound])
        self.codes: NDArray[np.int8] = np.append(stored.codes[known], follows.codes[sound])
        self.confidences: Floats = np.append(stored.sure[known], follows.sure[sound])
        weights = np.array([WEIGHTS[kind] for kind in KINDS], np.float32)
        self.weights: Floats = self.confidences * weights.take(self.codes)
        self.forward = _rows(self.sources, self.targets, len(self.nodes))
        self.backward = _rows(self.targets, self.sources, len(self.nodes))
        # That a file imports a symbol says that it uses it; who imports that file need not.
        whole = np.array([not node.name for node in self.nodes], np.bool_)
        brought = (self.codes == CODES["imports"]) | (self.codes == CODES["exports"])
        self.ends_here = brought & ~whole.take(self.targets) if len(self.targets) else brought

    def _by_name(self, stored: Edges, unknown: Numbers, begins: Numbers) -> Edges:
        """Calls of a method that few classes have, whatever they are called on."""
        parts = self.parts.values()
        unknown = unknown[stored.hows[unknown] == "name"] if len(unknown) else unknown
        if not len(unknown) or not parts:
            return edges_of([])
        numbers = np.concatenate([part.loose for part in parts])
        places = np.concatenate(
            [part.methods + begin for part, begin in zip(parts, begins, strict=True)]
        )
        order = np.argsort(numbers, kind="stable")
        numbers, places = numbers[order], places[order]
        wanted = stored.targets[unknown]
        first = np.searchsorted(numbers, wanted, "left")
        many = np.searchsorted(numbers, wanted, "right") - first
        few = (many > 0) & (many <= NAMESAKES)
        unknown, first, many = unknown[few], first[few], many[few]
        rows = np.repeat(unknown, many)
        steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        fitting = places[np.repeat(first, many) + steps]
        return Edges(
            stored.sources[rows],
            self.ids[fitting],
            stored.codes[rows],
            stored.hows[rows],
            np.repeat(0.6 / np.sqrt(many), many).astype(np.float32),
            stored.lines[rows],
        )

    def _overriding(
        self, inherits: Sequence[tuple[int, int]], known: "Mapping[int, _Below]"
    ) -> Edges:
        """From each method of a base to those of the classes below that stand in its place."""
        above: dict[int, list[int]] = defaultdict(list)
        for sub, base in inherits:
            above[sub].append(base)
        by_path = {part.row.path: part.members for part in self.parts.values()}
        for sub in list(above):
            node = self.nodes[sub]
            own = by_path.get(node.path, _NONE).get(node.name)
            if not own:
                continue
            holders = [self.nodes[base] for base in _ancestors(above, sub)]
            theirs = [by_path.get(one.path, _NONE).get(one.name, _NONE) for one in holders]
            old = known.get(node.id)
            if (
                old is None
                or old.own is not own
                or len(old.theirs) != len(theirs)
                or any(one is not other for one, other in zip(old.theirs, theirs, strict=True))
            ):
                old = _Below(own, theirs, _overrides(own, theirs))
            self._below[node.id] = old
        return side_by_side([one.edges for one in self._below.values()])

    def number(self, path: str, name: str) -> int | None:
        """The place of a node."""
        return self.place.get(node_number(path, name))

    def kind_of(self, edge: int) -> str:
        """The kind of an edge."""
        return KINDS[int(self.codes[edge])]

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        arrays = (
            self.sources,
            self.targets,
            self.codes,
            self.confidences,
            self.weights,
            self.lines,
        )
        return int(sum(a.nbytes for a in (*arrays, *self.forward, *self.backward)))


class _Below(NamedTuple):
    """A class's methods, those of the classes above it, and what of them it stands in for."""

    own: Mapping[str, int]
    theirs: list[Mapping[str, int]]
    edges: Edges


def _overrides(own: Mapping[str, int], theirs: Sequence[Mapping[str, int]]) -> Edges:
    left = {name for name in own if name not in MAKERS}
    return edges_of(
        [
            (base[name], own[name], CODES["calls"], "override", 0.6, 0)
            for base in theirs
            for name in left & base.keys()
        ]
    )


def _ancestors(above: dict[int, list[int]], start: int) -> list[int]:
    """The classes that a class inherits from, near and far, each once."""
    seen = {start: None}
    pending = list(above[start])
    while pending:
        one = pending.pop()
        if one not in seen:
            seen[one] = None
            pending += above.get(one, ())
    return [one for one in seen if one != start]


def _folders(paths: Mapping[str, object]) -> list[Node]:
    """Every folder that holds files, near or far, as a node."""
    folders = {""}
    for path in paths:
        folder = posixpath.dirname(path)
        while folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return [
        Node(folder_number(folder), NodeKind.DIRECTORY, folder or ".", "", 0, 0)
        for folder in sorted(folders)
    ]


def _places(ordered: Numbers, order: Numbers, numbers: Numbers) -> Numbers:
    """Where numbers stand among the nodes; less than nought for those that are none."""
    if not len(ordered) or not len(numbers):
        return np.full(len(numbers), -1, np.int64)
    spots = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    return np.where(ordered[spots] == numbers, order[spots], -1)


def _rows(ends: Numbers, others: Numbers, count: int) -> Rows:
    order = np.argsort(ends, kind="stable")
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=count), out=starts[1:])
    return Rows(starts, others[order], order)


class Reached(NamedTuple):
    """Where a walk came: for each node its depth (-1: never), score, and the edge it came by."""

    depths: NDArray[np.int16]
    scores: Floats
    came_by: Numbers


def walk(
    graph: Graph, seeds: Sequence[int], rows: Rows, *, depth: int, least: float = 0.01
) -> Reached:
    """Walk from seeds, level by level, keeping the surest way into each node."""
    count = len(graph.nodes)
    depths = np.full(count, -1, np.int16)
    scores = np.zeros(count, np.float32)
    came_by = np.full(count, -1, np.int64)
    frontier = np.unique(np.array(seeds, np.int64))
    depths[frontier], scores[frontier] = 0, 1.0
    for level in range(1, depth + 1):
        if not len(frontier):
            break
        lengths = rows.starts[frontier + 1] - rows.starts[frontier]
        total = int(lengths.sum())
        if not total:
            break
        first = np.repeat(rows.starts[frontier] - np.cumsum(lengths) + lengths, lengths)
        spots = first + np.arange(total)
        edges, others = rows.edges[spots], rows.others[spots]
        value = np.repeat(scores[frontier], lengths) * graph.weights[edges]
        fresh = (depths[others] < 0) & (value >= least)
        edges, others, value = edges[fresh], others[fresh], value[fresh]
        if not len(others):
            break
        order = np.lexsort((edges, -value, others))
        edges, others, value = edges[order], others[order], value[order]
        best = np.ones(len(others), np.bool_)
        best[1:] = others[1:] != others[:-1]
        edges, others, value = edges[best], others[best], value[best]
        depths[others], scores[others], came_by[others] = level, value, edges
        frontier = others[~graph.ends_here[edges]]
    return Reached(depths, scores, came_by)
