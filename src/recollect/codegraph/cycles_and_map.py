"""Import cycles, and the map of the folders of a code base, each with a line about it.

The line is made without a model: names, and the usual meanings of folder names.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.codegraph.graph import Graph
from recollect.vocabulary.code import ModuleRow, NodeKind

_FILES: Final = 12


def strongly_connected_components(needs: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected components, without recursion."""
    numbers: dict[str, int] = {}
    lows: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    rings: list[list[str]] = []
    for root in sorted(needs):  # Tarjan's walk with a stack of its own
        if root in numbers:
            continue
        work = [(root, iter(sorted(needs.get(root, ()))))]
        numbers[root] = lows[root] = len(numbers)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, rest = work[-1]
            deeper = next(rest, None)
            if deeper is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    lows[above] = min(lows[above], lows[here])
                if lows[here] == numbers[here]:
                    ring = stack[stack.index(here) :]
                    del stack[-len(ring) :]
                    on_stack.difference_update(ring)
                    rings.append(ring)
            elif deeper not in numbers:
                numbers[deeper] = lows[deeper] = len(numbers)
                stack.append(deeper)
                on_stack.add(deeper)
                work.append((deeper, iter(sorted(needs.get(deeper, ())))))
            elif deeper in on_stack:
                lows[here] = min(lows[here], numbers[deeper])
    return rings


def map_of(graph: Graph, known: Sequence[Mapping[str, Any]], depth: int) -> list[ModuleRow]:
    def module_of(path: str) -> str:
        parts = path.split("/")[:-1]
        return "/".join(parts[:depth]) or "."

    files: dict[str, list[Any]] = defaultdict(list)
    for row in graph.files:
        if row.language:
            files[module_of(row.path)].append(row)
    symbols = Counter(module_of(node.path) for node in graph.nodes if node.name)
    out: dict[str, set[str]] = defaultdict(set)
    back: dict[str, set[str]] = defaultdict(set)
    for edge in range(len(graph.sources)):
        if graph.kind_of(edge) == "imports":
            source = module_of(graph.nodes[int(graph.sources[edge])].path)
            node = graph.nodes[int(graph.targets[edge])]
            target = module_of(node.path + "/" if node.kind is NodeKind.DIRECTORY else node.path)
            if source != target:
                out[source].add(target)
                back[target].add(source)
    memory_counts = Counter(
        module for memory in known for module in {module_of(str(path)) for path in memory["files"]}
    )
    return [
        ModuleRow(
            module,
            len(rows),
            sum(row.lines for row in rows),
            symbols[module],
            len(out[module]),
            len(back[module]),
            memory_counts[module],
            about_folder(graph, module, rows),
            tuple(row.path for row in sorted(rows, key=_most_lines)[:_FILES]),
        )
        for module, rows in sorted(files.items())
    ]


def _most_lines(row: Any) -> tuple[int, str]:
    return -row.lines, row.path


_ROLES: Final = {
    "tests": "tests",
    "test": "tests",
    "docs": "documentation",
    "migrations": "changes of the database's schema",
    "models": "data models",
    "views": "views",
    "api": "the interface offered to others",
    "cli": "the command line",
    "commands": "commands",
    "utils": "helpers",
    "util": "helpers",
    "helpers": "helpers",
    "core": "the core",
    "db": "the database",
    "storage": "what is kept",
    "auth": "who may enter",
    "http": "requests and responses",
    "templates": "templates",
    "middleware": "what stands between request and response",
    "forms": "forms",
    "components": "pieces of the interface",
    "hooks": "hooks",
    "services": "services",
    "handlers": "handlers",
    "config": "settings",
    "examples": "examples",
    "scripts": "scripts",
    "benchmarks": "measurements",
    "locale": "languages",
    "backends": "interchangeable implementations",
}
_WORDS: Final = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{2,}(?![a-z])")
_CHIEF: Final = 4


def about_folder(graph: Graph, module: str, rows: Sequence[Any]) -> str:
    """One line about a folder."""
    last = module.rpartition("/")[2].lower()
    role = _ROLES.get(last, "")
    paths = {row.path for row in rows}
    classes: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for place, node in enumerate(graph.nodes):
        if node.path in paths and node.name:
            if node.kind in {NodeKind.CLASS, NodeKind.INTERFACE} and "." not in node.name:
                start, end = graph.backward.starts[place], graph.backward.starts[place + 1]
                classes[node.name] = int(end - start)
            words.update(word.lower() for word in _WORDS.findall(node.name.rpartition(".")[2]))
    chief = [name for name, _ in classes.most_common(_CHIEF)]
    shown_words = chief or [word for word, _ in words.most_common(_CHIEF)]
    return ": ".join(part for part in (role, ", ".join(shown_words)) if part)
