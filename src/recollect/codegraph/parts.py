"""What one file brings to the graph: its nodes, its edges, and what follows from them alone.

A part never changes. A graph is made of parts by putting them side by side, so after an edit only
the parts of the files that changed are made anew.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.resolving.resolver import loose
from recollect.storage.code import FileRow
from recollect.vocabulary.code import FileRole, Node, NodeKind, node_number

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]

KINDS: Final = ("imports", "calls", "inherits", "implements", "exports", "contains", "tests")
CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
MAKERS: Final = frozenset({"__init__", "__new__", "__post_init__", "constructor", "initialize"})
_SET_UP: Final = frozenset(
    {"setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class", "setup"}
)
_NODE_KINDS: Final = {kind.value: kind for kind in NodeKind}
_LOOSE_KEPT: Final = 200_000


class Edges(NamedTuple):
    """Edges by the numbers of their ends, side by side."""

    sources: Numbers
    targets: Numbers
    codes: NDArray[np.int8]
    hows: NDArray[np.object_]
    sure: Floats
    lines: NDArray[np.int32]


class Part(NamedTuple):
    """One file in the graph."""

    row: FileRow
    nodes: list[Node]
    ids: Numbers
    edges: Edges
    #: Where methods stand among the nodes, and the numbers that stand for any method of their name.
    methods: Numbers
    loose: Numbers
    #: For each owner its methods by name.
    members: Mapping[str, Mapping[str, int]]
    #: From each class to what making and using its objects runs; from tests to their set-up.
    making: Edges


class _Loose(dict[str, int]):
    """The numbers of names met lately."""

    def __missing__(self, name: str) -> int:
        if len(self) >= _LOOSE_KEPT:
            self.clear()
        number = self[name] = loose(name)
        return number


_loose: Final = _Loose()


def part_of(
    row: FileRow, nodes: Iterable[tuple[Any, ...]], edges: Iterable[tuple[Any, ...]]
) -> Part:
    """The part of a file: its nodes (number, kind, name, lines) and edges (source, target, ...)."""
    made = [
        Node(number, _NODE_KINDS[kind], row.path, name, start, end)
        for number, kind, name, start, end in nodes
    ]
    methods = [place for place, node in enumerate(made) if node.kind is NodeKind.METHOD]
    members: dict[str, dict[str, int]] = defaultdict(dict)
    numbers = []
    for place in methods:
        owner, _, name = made[place].name.rpartition(".")
        members[owner][name] = made[place].id
        numbers.append(_loose[name])
    test = row.role == FileRole.TEST.value
    return Part(
        row,
        made,
        np.array([node.id for node in made], np.int64),
        edges_of([(s, t, CODES[kind], how, sure, line) for s, t, kind, how, sure, line in edges]),
        np.array(methods, np.int64),
        np.array(numbers, np.int64),
        dict(members),
        edges_of(list(_making(row.path, [made[place] for place in methods], members, test=test))),
    )


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
    """Rows of source, target, kind, how, confidence and line, side by side."""
    columns = list(zip(*rows, strict=True)) or [()] * 6
    hows = np.empty(len(rows), np.object_)
    hows[:] = columns[3]
    return Edges(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int64),
        np.array(columns[2], np.int8),
        hows,
        np.array(columns[4], np.float32),
        np.array(columns[5], np.int32),
    )


def side_by_side(many: Sequence[Edges]) -> Edges:
    """Many lists of edges as one."""
    if not many:
        return edges_of([])
    return Edges(*(np.concatenate(column) for column in zip(*many, strict=True)))


def parts_of(
    files: Iterable[FileRow],
    nodes: Iterable[tuple[Any, ...]],
    edges: Iterable[tuple[Any, ...]],
) -> dict[int, Part]:
    """The parts of files by their numbers; each row of a node or an edge begins with its file's."""
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
