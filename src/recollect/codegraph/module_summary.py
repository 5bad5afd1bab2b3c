"""One-line summary of a code folder without a model: its role, its main names, its words.

This is the local form of the semantic layer: names, first sentences of documentation, and the usual
meanings of folder names.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from recollect.codegraph.graph import Graph
from recollect.vocabulary.code import NodeKind

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
