"""A graph that followed the changes of its files equals one made of the files as they are."""

import dataclasses
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.codegraph.file_subgraph import FilePart, part_of
from recollect.codegraph.graph import Graph
from recollect.codegraph.resolving.resolver import folder_number, unresolved_method_number
from recollect.codegraph.traversal import walk
from recollect.storage.code.graph import FileRow
from recollect.vocabulary.code import node_number

PATHS = ("a.py", "b.py", "pkg/a.py", "pkg/b.py", "pkg/deep/a.py", "test_a.py")
CLASSES = ("One", "Two", "Three")
METHODS = ("run", "stop", "__init__")
NAMES = ("", "help", *CLASSES, *(f"{one}.{name}" for one in CLASSES for name in METHODS))
ENDS = st.tuples(st.sampled_from(PATHS), st.sampled_from(NAMES)).map(lambda end: node_number(*end))
CLASS_ENDS = st.tuples(st.sampled_from(PATHS), st.sampled_from(CLASSES)).map(
    lambda end: node_number(*end)
)
EDGES = st.one_of(
    st.tuples(ENDS, ENDS, st.sampled_from(["calls", "imports"]), st.just("import"), st.just(0.9)),
    st.tuples(CLASS_ENDS, CLASS_ENDS, st.just("inherits"), st.just("base"), st.just(1.0)),
    st.tuples(
        ENDS,
        st.sampled_from(METHODS).map(unresolved_method_number),
        *(st.just("calls"), st.just("name"), st.just(0.3)),
    ),
    st.tuples(
        ENDS,
        st.just(folder_number("pkg/deep")),
        *(st.just("imports"), st.just("import"), st.just(1.0)),
    ),
)


@st.composite
def parts(draw: Any, path: str) -> FilePart:
    names = draw(st.lists(st.sampled_from(NAMES[1:]), unique=True, max_size=8))
    nodes = [(node_number(path, ""), "file", "", 1, 99)]
    for name in names:
        kind = "method" if "." in name else "class" if name in CLASSES else "function"
        nodes.append((node_number(path, name), kind, name, draw(st.integers(1, 99)), 99))
    role = "test" if path.startswith("test_") else draw(st.sampled_from(["code", "test"]))
    row = FileRow(node_number(path, ""), path, "python", role, "", "", 1, 1, 99, False, None)
    edges = [(*edge, 1) for edge in draw(st.lists(EDGES, max_size=10))]
    return part_of(row, nodes, edges)


@st.composite
def steps(draw: Any) -> list[dict[str, FilePart | None]]:
    """Some files at a time, there anew or gone."""
    found = []
    for _ in range(draw(st.integers(1, 5))):
        touched = draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1, max_size=4))
        found.append({path: draw(st.none() | parts(path)) for path in touched})
    return found


def told(graph: Graph) -> dict[str, Any]:
    """All that a graph says, whatever the order of its nodes."""
    labels = [node.label for node in graph.nodes]
    edges = [
        (
            labels[graph.sources[edge]],
            labels[graph.targets[edge]],
            *(graph.kind_of(edge), graph.how_of(edge), int(graph.lines[edge])),
            *(round(float(graph.weights[edge]), 5), bool(graph.ends_here[edge])),
        )
        for edge in range(len(graph.sources))
    ]
    return {
        "nodes": sorted(
            (*dataclasses.astuple(node), bool(graph.test[place]))
            for place, node in enumerate(graph.nodes)
        ),
        "edges": sorted(edges),
        "places": {graph.nodes[place].id == number for number, place in graph.place.items()},
        "count": len(graph.place),
        "in file": {path: sorted(labels[p] for p in held) for path, held in graph.in_file.items()},
        "names": {last: sorted(labels[p] for p in held) for last, held in graph.by_last.items()},
        "files": sorted(graph.files),
    }


@given(steps())
def test_a_graph_that_followed_says_what_a_fresh_one_says(
    changes: list[dict[str, FilePart | None]],
) -> None:
    now: dict[int, FilePart] = {}
    graph = Graph.of(now)
    assert graph.by_last
    for change in changes:
        fresh = {part.row.file_id: part for part in change.values() if part is not None}
        gone = {node_number(path, "") for path, part in change.items() if part is None}
        now = {number: part for number, part in now.items() if number not in gone} | fresh
        graph = graph.followed(fresh, gone)
        anew = Graph.of(now)
        assert told(graph) == told(anew)
        for place, node in enumerate(graph.nodes):
            ways = ((graph, place), (anew, anew.place[node.id]))
            reached = [walk(one, [start], one.backward, depth=9).scores for one, start in ways]
            order = [anew.place[other.id] for other in graph.nodes]
            assert np.allclose(reached[0], reached[1][order])


def test_the_graph_before_is_left_as_it_was() -> None:
    row = FileRow(node_number("a.py", ""), "a.py", "python", "code", "", "", 1, 1, 9, False, None)
    named = [(node_number("a.py", name), "function", name, 1, 2) for name in ("one", "two")]
    whole = (row.file_id, "file", "", 1, 9)
    calls = (named[0][0], named[1][0], "calls", "local", 0.95, 1)
    before = Graph.of({row.file_id: part_of(row, [whole, *named], [calls])})
    said = told(before)
    after = before.followed({row.file_id: part_of(row, [whole, named[1]], [])}, ())
    assert told(before) == said
    assert [node.name for node in after.nodes if node.name] == ["two"]
    assert len(after.sources) == 0
