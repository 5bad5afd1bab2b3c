"""The code graph in memory: nodes in arrays, edges as compressed rows, in both directions.

The graph is assembled from the parts of its files, and is updated when some of them change. Three
kinds of edges are not stored, because they follow from the others: calls by a name that few methods
have, calls of a base's method that reach the overriding methods, and the code that creating an
object runs.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph import overrides as overriding
from recollect.codegraph.bundles import NO_EDGES, Bundle
from recollect.codegraph.file_subgraph import (
    CODES,
    KINDS,
    FilePart,
    Floats,
    Numbers,
    method_name,
    method_number,
    side_by_side,
)
from recollect.codegraph.node_numbers import NOWHERE, Moved, Places, placed
from recollect.codegraph.overrides import Overriding
from recollect.storage.code.graph import FileRow
from recollect.vocabulary.code import Node, node_number

#: A name that more methods have than this is too ambiguous.
NAMESAKES: Final = 12
#: Share of a change that travels along each kind of edge: figures of the design documents.
WEIGHTS: Final = {
    "imports": 0.9,
    "calls": 0.8,
    "inherits": 0.7,
    "implements": 0.7,
    "exports": 0.6,
    "contains": 0.5,
    "tests": 1.0,
}
_HALF: Final = 0xFFFF
_WEIGHTS: Final = np.array([WEIGHTS[kind] for kind in KINDS], np.float32)


class Rows(NamedTuple):
    """Edges by one of their ends: the other ends of row i are at starts[i] up to starts[i + 1]."""

    starts: Numbers
    others: Numbers
    edges: Numbers


class Graph:
    """Nodes and edges of one version of one index; immutable, an update makes another graph."""

    def __init__(self, places: Places, stored: Bundle, overrides: Overriding) -> None:
        self._places, self._stored, self._overrides = places, stored, overrides
        self.nodes, self.place, self.in_file = places.nodes, places.place, places.in_file
        self.by_path: Mapping[str, FileRow] = places.by_path
        self.test = places.tests
        known = np.flatnonzero(stored.known)
        calls, fitting, sure = _calls_by_name(stored, places.loose)
        rows = np.append(known, calls)
        derived = overrides.edges
        whole = np.flatnonzero(derived.known)
        self.sources: Numbers = np.append(stored.source_places[rows], derived.source_places[whole])
        self.targets: Numbers = np.concatenate(
            [stored.target_places[known], fitting, derived.target_places[whole]]
        )
        edges, more = stored.edges, derived.edges
        self.codes: NDArray[np.int8] = np.append(edges.codes[rows], more.codes[whole])
        self._ways: NDArray[np.int16] = np.append(edges.hows[rows], more.hows[whole])
        self.lines: NDArray[np.int32] = np.append(edges.lines[rows], more.lines[whole])
        self.confidences: Floats = np.concatenate([edges.sure[known], sure, more.sure[whole]])
        self.weights: Floats = self.confidences * _WEIGHTS.take(self.codes)
        # That a file imports a symbol says that it uses it; who imports that file need not.
        brought = (self.codes == CODES["imports"]) | (self.codes == CODES["exports"])
        self.ends_here = brought & ~places.whole[self.targets]

    @classmethod
    def of(cls, parts: Mapping[int, FilePart]) -> "Graph":
        """The graph of some files only."""
        empty = cls(NOWHERE, NO_EDGES, overriding.NOTHING)
        return empty.followed(parts, ())

    def followed(self, fresh: Mapping[int, FilePart], gone: Collection[int]) -> "Graph":
        """The graph after some files were replaced and others removed."""
        places, moved = placed(self._places, fresh, gone)
        owners = np.repeat(
            np.fromiter(fresh, np.int64, len(fresh)),
            [len(part.edges.sources) for part in fresh.values()],
        )
        added = owners, side_by_side([part.edges for part in fresh.values()])
        stored = self._stored.followed(moved, places.place, moved.files, added)
        overrides = overriding.followed(self._overrides, places, moved, stored)
        found = Graph(places, stored, overrides)
        known = self.__dict__.get("by_last")
        if known is not None:
            found.__dict__["by_last"] = _renamed(known, moved)
        return found

    @cached_property
    def forward(self) -> Rows:
        """Edges by their source."""
        return _rows(self.sources, self.targets, len(self.nodes))

    @cached_property
    def backward(self) -> Rows:
        """Edges by their target."""
        return _rows(self.targets, self.sources, len(self.nodes))

    @cached_property
    def by_last(self) -> Mapping[str, Sequence[int]]:
        """Nodes by the last part of their names; files and folders by their own names."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes):
            found[_last(node)].append(place)
        return dict(found)

    @property
    def files(self) -> Collection[FileRow]:
        """The files in the index."""
        return self.by_path.values()

    def number(self, path: str, name: str) -> int | None:
        """Place of a node."""
        return self.place.get(node_number(path, name))

    def kind_of(self, edge: int) -> str:
        """Kind of an edge."""
        return KINDS[int(self.codes[edge])]

    def how_of(self, edge: int) -> str:
        """Method by which an edge was found."""
        return method_name(int(self._ways[edge]))

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        arrays = (
            self.sources,
            self.targets,
            self.codes,
            self.confidences,
            self.weights,
            self.lines,
        )
        return int(sum(a.nbytes for a in (*arrays, *self.forward, *self.backward)))


def _last(node: Node) -> str:
    return node.name.rpartition(".")[2] or node.path.rpartition("/")[2]


def _renamed(known: Mapping[str, Sequence[int]], moved: Moved) -> Mapping[str, Sequence[int]]:
    """Nodes by the last part of their names, after some have moved."""
    found = dict(known)
    for node, place in moved.left:
        found[_last(node)] = [one for one in found[_last(node)] if one != place]
    for node, place in moved.taken:
        found[_last(node)] = sorted([*found.get(_last(node), ()), place])
    for name in {_last(node) for node, _ in moved.left}:
        if not found[name]:
            del found[name]
    return found


def _order(numbers: Numbers) -> Numbers:
    """Sort order of small numbers; 16-bit halves are sorted by counting, which is fast."""
    order: Numbers = np.argsort(numbers.astype(np.uint16), kind="stable")
    if len(numbers) and numbers.max() > _HALF:
        upper = (numbers >> 16).astype(np.uint16)
        order = order[np.argsort(upper[order], kind="stable")]
    return order


def _rows(ends: Numbers, others: Numbers, count: int) -> Rows:
    order = _order(ends)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=count), out=starts[1:])
    return Rows(starts, others[order], order)


def _calls_by_name(stored: Bundle, loose: Numbers) -> tuple[Numbers, Numbers, Floats]:
    """Stored edges that are calls by a bare name which few definitions have: each edge once for
    every definition that it may call, those definitions, and how sure each is.

    Methods are meant first. Where no class has a method of that name, what it is called on may be a
    module that was handed on, and a function is meant.
    """
    called = (stored.target_places < 0) & (stored.source_places >= 0)
    called &= stored.edges.hows == method_number("name")
    rows = np.flatnonzero(called)
    rows = rows[np.argsort(stored.edges.targets[rows], kind="stable")]
    wanted = stored.edges.targets[rows]
    methods, first, many = _nodes_named(loose, wanted)
    functions, other, more = _nodes_named(-loose, wanted)
    bearers = np.append(methods, functions)
    none = many == 0
    first, many = np.where(none, other + len(methods), first), np.where(none, more, many)
    few = (many > 0) & (many <= NAMESAKES)
    rows, first, many = rows[few], first[few], many[few]
    steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    fitting = bearers[np.repeat(first, many) + steps]
    return np.repeat(rows, many), fitting, np.repeat(0.6 / np.sqrt(many), many).astype(np.float32)


def _nodes_named(loose: Numbers, wanted: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The nodes in the order of their names; and for each wanted name the place of its first node,
    and the number of its nodes.
    """
    places = np.flatnonzero(loose > 0)
    places = places[np.argsort(loose[places], kind="stable")]
    numbers = loose[places]
    first = np.searchsorted(numbers, wanted, "left")
    return places, first, np.searchsorted(numbers, wanted, "right") - first
