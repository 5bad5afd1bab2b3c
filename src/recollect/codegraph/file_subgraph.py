"""A file's part of the graph: its nodes, its edges, and everything that follows from them alone.

A part is immutable. A graph is made by joining parts, so after an edit only the parts of the
changed files are made again.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.resolving.resolver import unresolved_method_number
from recollect.storage.code.graph import FileRow
from recollect.vocabulary.code import FileRole, Node, NodeKind, node_number

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

KINDS: Final = ("imports", "calls", "inherits", "implements", "exports", "contains", "tests")
CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
MAKERS: Final = frozenset({"__init__", "__new__", "__post_init__", "constructor", "initialize"})
_SET_UP: Final = frozenset(
    {"setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class", "setup"}
)
_NODE_KINDS: Final = {kind.value: kind for kind in NodeKind}
_LOOSE_KEPT: Final = 200_000


class Edges(NamedTuple):
    """Edges by the numbers of their ends, as parallel arrays."""

    sources: Numbers
    targets: Numbers
    codes: NDArray[np.int8]
    hows: NDArray[np.int16]
    sure: Floats
    lines: NDArray[np.int32]


class FilePart(NamedTuple):
    """A file's part of the graph."""

    row: FileRow
    nodes: list[Node]
    #: Stored edges; then edges from each class to the code that creating and using its objects
    #: runs, and from tests to their set-up.
    edges: Edges
    #: For each method the number that stands for any method of its name, for each top-level
    #: function the same number negated, and 0 for anything else.
    loose: Numbers
    #: Methods by name, for each owner.
    members: Mapping[str, Mapping[str, int]]


class _Loose(dict[str, int]):
    """Cached numbers of names."""

    def __missing__(self, name: str) -> int:
        if len(self) >= _LOOSE_KEPT:
            self.clear()
        number = self[name] = unresolved_method_number(name)
        return number


_loose: Final = _Loose()


class _MethodNumbers(dict[str, int]):
    """The methods by which edges are found, each as a small number."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self._lock = threading.Lock()

    def __missing__(self, how: str) -> int:
        with self._lock:
            if how not in self:
                self.names.append(how)
                self[how] = len(self.names) - 1
            return self[how]


_method_numbers: Final = _MethodNumbers()


def method_name(number: int) -> str:
    """The way an edge was found, from its number in the arrays."""
    return _method_numbers.names[number]


def method_number(how: str) -> int:
    """Number in the arrays for the way an edge was found."""
    return _method_numbers[how]


def part_of(
    row: FileRow, nodes: Iterable[tuple[Any, ...]], edges: Iterable[tuple[Any, ...]]
) -> FilePart:
    """Part of a file: its nodes (number, kind, name, lines) and edges (source, target, ...)."""
    made = [
        Node(number, _NODE_KINDS[kind], row.path, name, start, end)
        for number, kind, name, start, end in nodes
    ]
    methods = [place for place, node in enumerate(made) if node.kind is NodeKind.METHOD]
    members: dict[str, dict[str, int]] = defaultdict(dict)
    numbers = np.zeros(len(made), np.int64)
    for place in methods:
        owner, _, name = made[place].name.rpartition(".")
        members[owner][name] = made[place].id
        numbers[place] = _loose[name]
    for place, node in enumerate(made):
        if node.kind is NodeKind.FUNCTION and "." not in node.name:
            numbers[place] = -_loose[node.name]
    test = row.role == FileRole.TEST.value
    stored = [(s, t, CODES[kind], how, sure, line) for s, t, kind, how, sure, line in edges]
    making = _making(row.path, [made[place] for place in methods], members, test=test)
    return FilePart(row, made, edges_of([*stored, *making]), numbers, dict(members))


def _making(
    path: str,
    methods: Sequence[Node],
    members: Mapping[str, Mapping[str, int]],
    *,
    test: bool,
) -> Iterable[tuple[Any, ...]]:
    calls = CODES["calls"]
    for node in methods:
        owner, _, name = node.name.rpartition(".")
        if name in MAKERS:
            yield node_number(path, owner), node.id, calls, "making", 0.9, node.start_line
        elif name.startswith("__") and name.endswith("__"):
            yield node_number(path, owner), node.id, calls, "protocol", 0.5, node.start_line
    starts = {node.id: node.start_line for node in methods}
    for owned in members.values() if test else ():
        ready = [number for name, number in owned.items() if name in _SET_UP]
        tests = [number for name, number in owned.items() if name not in _SET_UP]
        for one in ready:
            yield from ((other, one, calls, "set-up", 0.9, starts[one]) for other in tests)


def edges_of(rows: Sequence[tuple[Any, ...]]) -> Edges:
    """Rows of source, target, kind, how, confidence and line, as parallel arrays."""
    columns = list(zip(*rows, strict=True)) or [()] * 6
    return Edges(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int64),
        np.array(columns[2], np.int8),
        np.array([_method_numbers[how] for how in columns[3]], np.int16),
        np.array(columns[4], np.float32),
        np.array(columns[5], np.int32),
    )


def select_edges(edges: Edges, which: Flags) -> Edges:
    """Some of the edges."""
    return Edges(*(column[which] for column in _columns(edges)))


def _columns(edges: Edges) -> Sequence[NDArray[Any]]:
    return edges


def side_by_side(many: Sequence[Edges]) -> Edges:
    """Many lists of edges joined into one."""
    if not many:
        return edges_of([])
    return Edges(*(np.concatenate(column) for column in zip(*many, strict=True)))


def parts_of(
    files: Iterable[FileRow],
    nodes: Iterable[tuple[Any, ...]],
    edges: Iterable[tuple[Any, ...]],
) -> dict[int, FilePart]:
    """Parts of files by number; each row of a node or an edge begins with its file's number."""
    of_nodes: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    of_edges: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for file, *rest in nodes:
        of_nodes[file].append(tuple(rest))
    for file, *rest in edges:
        of_edges[file].append(tuple(rest))
    return {
        row.file_id: part_of(row, of_nodes.get(row.file_id, ()), of_edges.get(row.file_id, ()))
        for row in files
    }
