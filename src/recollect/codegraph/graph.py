"""The graph in memory: nodes in arrays, edges as compressed rows, in both directions.

It is read whole from the store, once a version. Three kinds of edges are not stored, because they
follow from the others: calls by a name that few methods bear, calls of a base's method that reach
the methods overriding it, and what making an object of a class runs.
"""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.resolving.resolver import folder_number, loose
from recollect.storage.code import FileRow
from recollect.vocabulary.code import FileRole, Node, NodeKind

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]

#: A name that more methods bear than this says too little.
NAMESAKES: Final = 12
_MAKERS: Final = frozenset({"__init__", "__new__", "__post_init__", "constructor", "initialize"})
_SET_UP: Final = frozenset(
    {"setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class", "setup"}
)
_KINDS: Final = ("imports", "calls", "inherits", "implements", "exports", "contains", "tests")
_CODES: Final = {kind: code for code, kind in enumerate(_KINDS)}
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


#: An edge that follows from others: source, target, kind, confidence, how, line.
Derived = tuple[int, int, int, float, str, int]
_BELOW: Final = frozenset({"inherits", "implements"})


class Rows(NamedTuple):
    """Edges by one of their ends: the others of row i stand from starts[i] up to starts[i + 1]."""

    starts: Numbers
    others: Numbers
    edges: Numbers


class Graph:
    """Nodes and edges of one version of one index."""

    def __init__(
        self,
        files: Sequence[FileRow],
        nodes: Iterable[tuple[Any, ...]],
        edges: Sequence[tuple[Any, ...]],
    ) -> None:
        self.files = {row.file_id: row for row in files}
        self.by_path = {row.path: row for row in files}
        self.nodes: list[Node] = []
        self.place: dict[int, int] = {}
        self._put_nodes(nodes)
        tests = {row.path for row in files if row.role == FileRole.TEST.value}
        self.test = np.array([node.path in tests for node in self.nodes], np.bool_)
        self._methods: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes):
            if node.kind is NodeKind.METHOD:
                self._methods[node.name.rpartition(".")[2]].append(place)
        self.in_file: dict[str, list[int]] = defaultdict(list)
        self.by_last: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes):
            self.in_file[node.path].append(place)
            last = node.name.rpartition(".")[2] or node.path.rpartition("/")[2]
            self.by_last[last].append(place)
        self._put_edges(edges)

    def _put_nodes(self, rows: Iterable[tuple[Any, ...]]) -> None:
        kinds = {kind.value: kind for kind in NodeKind}
        for file_id, number, kind, name, start, end in rows:
            path = self.files[file_id].path
            self._add(Node(number, kinds[kind], path, name, start, end))
        folders = {""}
        for path in self.by_path:
            folder = posixpath.dirname(path)
            while folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        for folder in sorted(folders):
            self._add(Node(folder_number(folder), NodeKind.DIRECTORY, folder or ".", "", 0, 0))

    def _add(self, node: Node) -> None:
        self.place.setdefault(node.id, len(self.nodes))
        self.nodes.append(node)

    def _put_edges(self, rows: Sequence[tuple[Any, ...]]) -> None:
        numbers = np.array([node.id for node in self.nodes], np.int64)
        order = np.argsort(numbers, kind="stable")
        ordered = numbers[order]
        here = _places(ordered, order, [row[0] for row in rows])
        there = _places(ordered, order, [row[1] for row in rows])
        known = np.flatnonzero((here >= 0) & (there >= 0))
        derived = self._by_name(rows, np.flatnonzero((here >= 0) & (there < 0)), here)
        derived += self._overriding(
            [(int(here[one]), int(there[one])) for one in known.tolist() if rows[one][2] in _BELOW]
        )
        derived += self._making()
        kept = [rows[one] for one in known.tolist()]
        self.hows = [row[3] for row in kept] + [one[4] for one in derived]
        self.lines = np.array([row[5] for row in kept] + [one[5] for one in derived], np.int32)
        self.sources = np.append(here[known], np.array([one[0] for one in derived], np.int64))
        self.targets = np.append(there[known], np.array([one[1] for one in derived], np.int64))
        self.codes = np.array([_CODES[row[2]] for row in kept] + [o[2] for o in derived], np.int8)
        sure = [row[4] for row in kept] + [one[3] for one in derived]
        self.confidences = np.array(sure, np.float32)
        weights = np.array([WEIGHTS[kind] for kind in _KINDS], np.float32)
        self.weights: Floats = self.confidences * weights.take(self.codes)
        self.forward = _rows(self.sources, self.targets, len(self.nodes))
        self.backward = _rows(self.targets, self.sources, len(self.nodes))
        # That a file imports a symbol says that it uses it; who imports that file need not.
        whole = np.array([not node.name for node in self.nodes], np.bool_)
        brought = (self.codes == _CODES["imports"]) | (self.codes == _CODES["exports"])
        self.ends_here = brought & ~whole.take(self.targets) if sure else brought

    def _by_name(
        self, rows: Sequence[tuple[Any, ...]], unknown: Numbers, here: Numbers
    ) -> list[Derived]:
        """Calls of a method that few classes have, whatever they are called on."""
        by_name = {loose(name): places for name, places in self._methods.items()}
        found = []
        for one in unknown.tolist():
            _, target, kind, how, _, line = rows[one]
            fitting = by_name.get(target, ()) if how == "name" else ()
            if 0 < len(fitting) <= NAMESAKES:
                sure = 0.6 / len(fitting) ** 0.5
                source = int(here[one])
                found += [(source, other, _CODES[kind], sure, "name", line) for other in fitting]
        return found

    def _overriding(self, inherits: list[tuple[int, int]]) -> list[Derived]:
        """From each method of a base to those of the classes below that stand in its place."""
        members: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for places in self._methods.values():
            for one in places:
                node = self.nodes[one]
                owner, _, name = node.name.rpartition(".")
                members[node.path, owner][name] = one
        above: dict[int, list[int]] = defaultdict(list)
        for sub, base in inherits:
            above[sub].append(base)
        found: list[Derived] = []
        for sub in above:
            node = self.nodes[sub]
            own = members.get((node.path, node.name), {})
            left = {name: place for name, place in own.items() if name not in _MAKERS}
            for base in _ancestors(above, sub) if left else ():
                holder = self.nodes[base]
                theirs = members.get((holder.path, holder.name), {})
                found += [
                    (theirs[name], left[name], _CODES["calls"], 0.6, "override", 0)
                    for name in sorted(left.keys() & theirs.keys())
                ]
        return found

    def _making(self) -> list[Derived]:
        """From each class to what making and using its objects runs; from tests to their set-up."""
        found = []
        calls = _CODES["calls"]
        tests: dict[tuple[str, str], list[int]] = defaultdict(list)
        ready: dict[tuple[str, str], list[int]] = defaultdict(list)
        for name, places in self._methods.items():
            maker = name in _MAKERS
            special = name.startswith("__") and name.endswith("__")
            for one in places:
                node = self.nodes[one]
                owner = node.name.rpartition(".")[0]
                if maker or special:
                    held = self.number(node.path, owner)
                    if held is not None:
                        how, sure = ("making", 0.9) if maker else ("protocol", 0.5)
                        found.append((held, one, calls, sure, how, node.start_line))
                if self.test[one]:
                    (ready if name in _SET_UP else tests)[node.path, owner].append(one)
        for key, set_ups in ready.items():
            found += [
                (test, one, calls, 0.9, "set-up", self.nodes[one].start_line)
                for one in set_ups
                for test in tests.get(key, ())
            ]
        return found

    def number(self, path: str, name: str) -> int | None:
        """The place of a node."""
        from recollect.vocabulary.code import node_number

        return self.place.get(node_number(path, name))

    def kind_of(self, edge: int) -> str:
        """The kind of an edge."""
        return _KINDS[int(self.codes[edge])]

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


def _places(ordered: Numbers, order: Numbers, wanted: list[int]) -> Numbers:
    """Where numbers stand among the nodes; less than nought for those that are none."""
    numbers = np.array(wanted, np.int64)
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
