"""Resolves the names of files again, using the current facts of the project."""

from collections.abc import Sequence
from typing import Any

from recollect.codegraph.changes import text_of
from recollect.codegraph.facts import Facts
from recollect.codegraph.resolving.layout import laid_out
from recollect.codegraph.resolving.project import CodeProject
from recollect.codegraph.resolving.resolver import Resolver
from recollect.codegraph.run import Files, Run
from recollect.storage.code import graph
from recollect.storage.database import Transaction
from recollect.trust.authorisation import authorise
from recollect.vocabulary.code import number_of


def resolver_over(transaction: Transaction, run: Run, files: Files) -> Resolver:
    """A resolver over the current files."""
    known, facts = files
    access = authorise(transaction, run.viewer, run.space)
    loaded: dict[str, Facts | None] = {}

    def facts_of(path: str) -> Facts | None:
        if path not in loaded:
            text = facts.get(path)
            if text is None:
                number = known[path].file_id
                text = graph.facts_of(transaction, access, [number]).get(path, "")
                facts[path] = text
            loaded[path] = Facts.loaded(text) if text else None
        return loaded[path]

    languages = {path: row.language for path, row in known.items()}
    project = CodeProject(laid_out(languages, run.layout), facts_of)
    packages: dict[str, list[str]] = {}

    def declared(package: str) -> list[str]:
        if not packages:
            for path, row in known.items():
                if row.language in {"java", "c#", "php"}:
                    said = facts_of(path)
                    packages.setdefault(said.package if said else "", []).append(path)
            packages.setdefault("", [])
        return packages.get(package, [])

    return Resolver(project, lambda path: text_of(run.root, path), declared)


def resolved(
    transaction: Transaction,
    run: Run,
    files: Files,
    paths: Sequence[str],
    resolver: Resolver | None = None,
) -> tuple[list[tuple[Any, ...]], list[tuple[int, int]], list[int]]:
    """Edges and needs of files, as rows."""
    if not paths:
        return [], [], []
    if resolver is None:
        resolver = resolver_over(transaction, run, files)
    edges: list[tuple[Any, ...]] = []
    needs: list[tuple[int, int]] = []
    numbers = []
    for path in paths:
        number = files.known[path].file_id
        numbers.append(number)
        found, looked = resolver.resolve(path)
        edges += [(number, *edge) for edge in found]
        needs += [(need, number) for need in {number_of(one) for one in looked}]
    return edges, needs, numbers
