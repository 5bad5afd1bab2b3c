"""Outgoing edges of a file: its imports, base classes and calls.

They depend on the file's facts and on the lookups made to resolve its names, and not on the order
of files. That is why a changed project can be resolved in part.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from recollect.codegraph.facts import Call
from recollect.codegraph.resolving.names import Names
from recollect.codegraph.resolving.project import CodeProject
from recollect.codegraph.resolving.table import Table
from recollect.vocabulary.code import EdgeKind, node_number, number_of

#: Methods of the languages' built-in types: such a name alone identifies nothing.
_EVERYWHERE: Final = frozenset(
    {name for kind in (str, bytes, dict, list, set, tuple, int, float) for name in dir(kind)}
    | {"read", "write", "close", "open", "flush", "readline", "readlines", "seek", "group"}
    | {"push", "map", "filter", "forEach", "reduce", "slice", "concat", "indexOf", "includes"}
    | {"then", "catch", "finally", "toString", "trim", "set", "has", "delete", "length", "size"}
    | {"unwrap", "clone", "iter", "into", "as_str", "to_string", "collect", "len", "is_empty"}
    | {"Error", "String", "println", "equals", "hashCode", "ToString", "each", "put", "contains"}
)
#: A name that more nearby methods have than this is too ambiguous.
_FEW_METHODS: Final = 4


class Resolved(NamedTuple):
    """An outgoing edge, not yet assigned to its file."""

    source: int
    target: int
    kind: str
    how: str
    confidence: float
    line: int


def unresolved_method_number(name: str) -> int:
    """The number that stands for any method of a name."""
    return number_of(f"?.{name}")


def folder_number(folder: str) -> int:
    """The number of a directory's node."""
    return number_of(f"{folder}/")


class Resolver:
    """Resolves all languages of one project."""

    def __init__(
        self,
        project: CodeProject,
        config: Callable[[str], str],
        declared: Callable[[str], list[str]],
    ) -> None:
        self._project = project
        self._names = Names(project, config, declared)
        self._near: set[str] = set()
        self._methods: dict[str, list[int]] | None = None

    def resolve(self, path: str) -> tuple[list[Resolved], set[str]]:
        """The outgoing edges of a file, and the lookups made to find them."""
        self._project.needs = set()
        self._near, self._methods = {path}, None
        table = self._names.table(path)
        if table is None:
            return [], set()
        found: dict[tuple[int, int, str], Resolved] = {}
        for edge in self._edges(path, table):
            key = edge.source, edge.target, edge.kind
            known = found.get(key)
            if edge.source != edge.target and (known is None or known.confidence < edge.confidence):
                found[key] = edge
        needs = self._project.needs
        needs.discard(f"path:{path}")
        return list(found.values()), needs

    def _edges(self, path: str, table: Table) -> Iterator[Resolved]:
        yield from self._import_edges(path, table)
        for place, definition in enumerate(table.facts.definitions):
            source = node_number(path, definition.name)
            for base in definition.bases:
                entity = self._names.chain(path, table, table.around(place), base)
                if entity is not None and entity.kind == "symbol":
                    kind = EdgeKind.INHERITS.value
                    if definition.kind == "class" and self._names.kind(entity) == "interface":
                        kind = EdgeKind.IMPLEMENTS.value
                    target = node_number(entity.path, entity.name)
                    yield Resolved(source, target, kind, "base", 1.0, definition.start)
        for call in table.facts.calls:
            yield from self._call_edges(path, table, call)

    def _import_edges(self, path: str, table: Table) -> Iterator[Resolved]:
        modules = self._names.modules[table.facts.language]
        here = node_number(path, "")
        imports = EdgeKind.IMPORTS.value
        for one in table.facts.imports:
            for bound in modules.bind(path, one):
                if bound.kind == "package":
                    if table.facts.language == "go":
                        yield Resolved(
                            here, folder_number(bound.path), imports, "import", 1.0, one.line
                        )
                elif bound.path != path:
                    target = node_number(bound.path, "")
                    yield Resolved(here, target, imports, "import", 1.0, one.line)
            if one.name and one.name != "*":
                entity = self._names.follow(path, one)
                if entity is not None and entity.kind == "symbol" and entity.path != path:
                    self._near.add(entity.path)
                    target = node_number(entity.path, entity.name)
                    yield Resolved(here, target, imports, "import", 1.0, one.line)
                    if one.exported or path.endswith("__init__.py"):
                        exports = EdgeKind.EXPORTS.value
                        yield Resolved(here, target, exports, "re-export", 1.0, one.line)

    def _call_edges(self, path: str, table: Table, call: Call) -> Iterator[Resolved]:
        scope = table.facts.definitions[call.scope].name if call.scope >= 0 else ""
        source = node_number(path, scope)
        calls = EdgeKind.CALLS.value
        head, dot, _ = call.name.partition(".")
        for target in self._held(path, table, head) if call.scope >= 0 else ():
            yield Resolved(source, target, calls, "global", 0.6, call.line)
        entity = self._names.chain(path, table, call.scope, call.name)
        if entity is not None and entity.kind == "symbol":
            found_by = "self" if call.name.startswith(("self.", "super")) else "import"
            how = "reference" if call.reference else found_by if entity.path != path else "local"
            sure = 0.8 if call.reference else 0.95
            target = node_number(entity.path, entity.name)
            yield Resolved(source, target, calls, how, sure, call.line)
            return
        if not dot or entity is not None:
            return
        if head in table.bindings and head not in {"self", "?"}:
            return  # what is imported from elsewhere is not ours
        last = call.name.rpartition(".")[2]
        if call.reference:
            near = self._near_methods().get(last, ()) if call.name != f"self.{last}" else ()
            for target in near if len(near) <= _FEW_METHODS else ():
                yield Resolved(source, target, calls, "near", 0.5 / len(near) ** 0.5, call.line)
            return
        if last in _EVERYWHERE:
            return
        yield Resolved(source, unresolved_method_number(last), calls, "name", 0.3, call.line)

    def _held(self, path: str, table: Table, name: str) -> Iterator[int]:
        """Value of a top-level variable of the same file: a table of functions, for example."""
        for one in table.held.get(name, ()):
            entity = self._names.chain(path, table, -1, one)
            if entity is not None and entity.kind == "symbol":
                yield node_number(entity.path, entity.name)

    def _near_methods(self) -> dict[str, list[int]]:
        """Methods by name of the file and of the files that it imports names from: an attribute
        read from an object there may be one of their properties."""
        if self._methods is None:
            self._methods = {}
            for path in sorted(self._near):
                table = self._names.table(path)
                for one in table.facts.definitions if table else ():
                    if one.kind == "method":
                        last = one.name.rpartition(".")[2]
                        self._methods.setdefault(last, []).append(node_number(path, one.name))
        return self._methods
