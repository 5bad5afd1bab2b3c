"""Exports the code graph for other programs: JSON, GraphML, Mermaid and DOT."""

import json
from collections.abc import Callable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from recollect.codegraph.graph import Graph
from recollect.vocabulary.code import Node
from recollect.vocabulary.errors import InvalidInput


def export(graph: Graph, form: str, *, files_only: bool = False) -> Iterator[str]:
    """The graph as text, line by line."""
    if form not in _FORMS:
        raise InvalidInput(
            f"The graph cannot be exported as {form!r}.", hint=f"Choose among: {', '.join(_FORMS)}."
        )
    return _FORMS[form](graph, files_only)


def _nodes(graph: Graph, files_only: bool) -> Iterator[Node]:
    for node in graph.nodes:
        if not (files_only and node.name):
            yield node


def _edges(graph: Graph, files_only: bool) -> Iterator[tuple[Node, Node, str, str, float, int]]:
    seen = set()
    for edge in range(len(graph.sources)):
        source, target = graph.nodes[graph.sources[edge]], graph.nodes[graph.targets[edge]]
        kind = graph.kind_of(edge)
        if files_only:
            one, other = graph.number(source.path, ""), graph.number(target.path, "")
            if one is None or other is None or one == other or (one, other, kind) in seen:
                continue
            seen.add((one, other, kind))
            source, target = graph.nodes[one], graph.nodes[other]
        sure = round(float(graph.confidences[edge]), 3)
        yield source, target, kind, graph.how_of(edge), sure, int(graph.lines[edge])
    for node in [] if files_only else graph.nodes:
        if node.name:
            holder = graph.number(node.path, node.name.rpartition(".")[0])
            if holder is not None:
                yield graph.nodes[holder], node, "contains", "syntax", 1.0, node.start_line


def _json(graph: Graph, files_only: bool) -> Iterator[str]:
    yield '{"nodes": ['
    lines = (
        json.dumps(
            {
                "id": node.id,
                "kind": node.kind.value,
                "path": node.path,
                "name": node.name,
                "start_line": node.start_line,
                "end_line": node.end_line,
            },
            ensure_ascii=False,
        )
        for node in _nodes(graph, files_only)
    )
    yield from _comma(lines)
    yield '], "edges": ['
    yield from _comma(
        json.dumps(
            {
                "source": source.id,
                "target": target.id,
                "kind": kind,
                "how": how,
                "confidence": sure,
                "line": line,
            },
            ensure_ascii=False,
        )
        for source, target, kind, how, sure, line in _edges(graph, files_only)
    )
    yield "]}"


def _comma(lines: Iterator[str]) -> Iterator[str]:
    previous: str | None = None
    for line in lines:
        if previous is not None:
            yield f"{previous},"
        previous = line
    if previous is not None:
        yield previous


def _graphml(graph: Graph, files_only: bool) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, whose in (("label", "node"), ("kind", "node"), ("relation", "edge")):
        yield f'<key id="{name}" for="{whose}" attr.name="{name}" attr.type="string"/>'
    yield '<key id="confidence" for="edge" attr.name="confidence" attr.type="double"/>'
    yield '<graph edgedefault="directed">'
    for node in _nodes(graph, files_only):
        yield (
            f'<node id="n{node.id}"><data key="label">{escape(node.label)}</data>'
            f'<data key="kind">{node.kind.value}</data></node>'
        )
    for source, target, kind, _, sure, _ in _edges(graph, files_only):
        yield (
            f'<edge source="n{source.id}" target="n{target.id}">'
            f'<data key="relation">{kind}</data><data key="confidence">{sure}</data></edge>'
        )
    yield "</graph></graphml>"


def _mermaid(graph: Graph, files_only: bool) -> Iterator[str]:
    yield "graph LR"
    for node in _nodes(graph, files_only):
        label = node.label.replace('"', "'")
        yield f'  n{node.id}["{label}"]'
    for source, target, kind, _, _, _ in _edges(graph, files_only):
        yield f"  n{source.id} -->|{kind}| n{target.id}"


def _dot(graph: Graph, files_only: bool) -> Iterator[str]:
    yield "digraph code {"
    for node in _nodes(graph, files_only):
        yield f"  n{node.id} [label={json.dumps(node.label, ensure_ascii=False)}];"
    for source, target, kind, _, _, _ in _edges(graph, files_only):
        yield f"  n{source.id} -> n{target.id} [label={quoteattr(kind)}];"
    yield "}"


_FORMS: Final[dict[str, Callable[[Graph, bool], Iterator[str]]]] = {
    "json": _json,
    "graphml": _graphml,
    "mermaid": _mermaid,
    "dot": _dot,
}
