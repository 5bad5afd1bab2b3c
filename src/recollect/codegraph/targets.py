"""Finds the nodes of a target that a person names: a path, a symbol, a line, a module, a diff."""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from recollect.codegraph.graph import Graph
from recollect.codegraph.resolving.resolver import folder_number
from recollect.vocabulary.code import NodeKind
from recollect.vocabulary.errors import InvalidInput

_LINE: Final = re.compile(r"(.+?):(\d+)(?:-(\d+))?\Z")


def places_of(graph: Graph, target: str) -> list[int]:
    """The nodes that a target names; when there is none, an error that suggests others."""
    target = target.strip().replace("\\", "/").removeprefix("./")
    found = (
        _by_line(graph, target)
        or _by_path(graph, target)
        or _by_symbol(graph, target)
        or _by_module(graph, target)
    )
    if not found:
        raise InvalidInput(f"Nothing in the code is called {target!r}.", hint=_near(graph, target))
    return found


def places_in(graph: Graph, spans: Mapping[str, Sequence[tuple[int, int]]]) -> list[int]:
    """The innermost definitions at the lines; the file itself for lines outside all definitions."""
    chosen: dict[int, None] = {}
    by_path = {
        path: [place for place in graph.in_file.get(path, ()) if graph.nodes[place].name]
        for path in spans
    }
    for path, listed in spans.items():
        whole = graph.number(path, "")
        for start, end in listed:
            inside = [
                place
                for place in by_path.get(path, ())
                if graph.nodes[place].start_line <= end and graph.nodes[place].end_line >= start
            ]
            holders = {graph.nodes[place].name.rpartition(".")[0] for place in inside}
            innermost = [place for place in inside if graph.nodes[place].name not in holders]
            chosen |= dict.fromkeys(innermost)
            if not inside and whole is not None:
                chosen[whole] = None
    return list(chosen)


def with_members(graph: Graph, places: Sequence[int]) -> list[int]:
    """These nodes with everything inside the files, classes and folders among them."""
    wanted = dict.fromkeys(places)
    files = {graph.nodes[p].path for p in places if graph.nodes[p].kind is NodeKind.FILE}
    folders = tuple(
        "" if graph.nodes[p].path == "." else f"{graph.nodes[p].path}/"
        for p in places
        if graph.nodes[p].kind is NodeKind.DIRECTORY
    )
    held = {
        (graph.nodes[p].path, f"{graph.nodes[p].name}.")
        for p in places
        if graph.nodes[p].kind in {NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.MODULE}
    }
    if not (files or folders or held):
        return list(wanted)
    for path in files:
        wanted |= dict.fromkeys(graph.in_file[path])
    for path, name in held:
        inside = (p for p in graph.in_file[path] if graph.nodes[p].name.startswith(name))
        wanted |= dict.fromkeys(inside)
    if folders:
        below = (path for path in graph.in_file if path.startswith(folders))
        wanted |= dict.fromkeys(place for path in below for place in graph.in_file[path])
    return list(wanted)


def with_folders(graph: Graph, places: Sequence[int]) -> list[int]:
    """These nodes with the folders of Go packages: an import of a package imports its files."""
    found = dict.fromkeys(places)
    for place in places:
        node = graph.nodes[place]
        row = graph.by_path.get(node.path)
        if row is not None and row.language == "go" and node.kind is NodeKind.FILE:
            folder = graph.place.get(folder_number(node.path.rpartition("/")[0]))
            if folder is not None and graph.nodes[folder].kind is NodeKind.DIRECTORY:
                found[folder] = None
    return [p for p in found if graph.nodes[p].kind is not NodeKind.DIRECTORY or p in places] + [
        p for p in found if graph.nodes[p].kind is NodeKind.DIRECTORY and p not in places
    ]


def _by_path(graph: Graph, target: str) -> list[int]:
    path, marks, name = target.partition("::")
    if marks:
        exact = graph.number(path, name)
        if exact is not None:
            return [exact]
        return [
            place
            for place in graph.by_last.get(name.rpartition(".")[2], ())
            if graph.nodes[place].path.endswith(path) and _fits(graph.nodes[place].name, name)
        ]
    exact = graph.number(target, "")
    if exact is not None:
        return [exact]
    bare = target.rstrip("/")
    folders = [
        place
        for place in graph.in_file.get(bare or ".", ())
        if graph.nodes[place].kind is NodeKind.DIRECTORY
    ]
    if folders:
        return folders
    return [
        place
        for place in graph.by_last.get(target.rpartition("/")[2], ())
        if graph.nodes[place].kind is NodeKind.FILE
        and graph.nodes[place].path.endswith(f"/{target}")
    ]


def _by_line(graph: Graph, target: str) -> list[int]:
    found = _LINE.match(target)
    if not found:
        return []
    files = _by_path(graph, found[1])
    if len(files) != 1:
        return []
    path = graph.nodes[files[0]].path
    start = int(found[2])
    return places_in(graph, {path: [(start, int(found[3] or start))]})


def _by_symbol(graph: Graph, target: str) -> list[int]:
    wanted = target.replace("::", ".").replace("#", ".").removesuffix("()")
    found = [
        place
        for place in graph.by_last.get(wanted.rpartition(".")[2], ())
        if _fits(graph.nodes[place].name, wanted)
    ]
    exact = [place for place in found if graph.nodes[place].name == wanted]
    chosen = exact or found
    code = [place for place in chosen if not graph.test[place]]
    return code or chosen


def _by_module(graph: Graph, target: str) -> list[int]:
    """A dotted module, with or without a symbol after it."""
    if "." not in target:
        return []
    parts = target.split(".")
    for count in range(len(parts), 0, -1):
        ending = "/".join(parts[:count])
        rest = ".".join(parts[count:])
        for place, node in enumerate(graph.nodes):
            if node.kind is not NodeKind.FILE:
                continue
            stem = node.path.rpartition(".")[0].removesuffix("/__init__")
            if stem == ending or stem.endswith(f"/{ending}"):
                if not rest:
                    return [place]
                named = graph.number(node.path, rest)
                if named is not None:
                    return [named]
    return []


def _fits(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith(f".{wanted}")


def _near(graph: Graph, target: str) -> str:
    paths = {node.path for node in graph.nodes}
    suffix = PurePosixPath(target).suffix
    is_path = "/" in target or (bool(suffix) and any(path.endswith(suffix) for path in paths))
    names = paths if is_path else {node.name or node.path for node in graph.nodes}
    last = target.rpartition("/")[2]
    last = last.partition(".")[0] if is_path else last.rpartition(".")[2]
    close = (
        difflib.get_close_matches(target, names, 3, 0.6)
        or [name for name in sorted(names, key=len) if last and last.lower() in name.lower()][:3]
    )
    if close:
        return f"Did you mean {', '.join(close)}?"
    return "Name a path, a symbol, path:line or path::symbol; 'recollect index' reads the code."
