"""Finds what names mean, across files: through imports, re-exports, classes and their bases.

What one file's names mean depends on its facts and on what it looked at, and on nothing else: not
on the order in which files come. That is why a changed project can be resolved in part.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from recollect.codegraph.facts import Call, Import
from recollect.codegraph.resolving.ecmascript import EcmascriptModules
from recollect.codegraph.resolving.go import GoModules
from recollect.codegraph.resolving.named import DeclaredModules, PathModules
from recollect.codegraph.resolving.project import Entity, Project, symbol
from recollect.codegraph.resolving.python import PythonModules
from recollect.codegraph.resolving.rust import RustModules
from recollect.codegraph.resolving.table import Table, table_of
from recollect.vocabulary.code import EdgeKind, node_number, number_of

_DEEPEST: Final = 24
_LONGEST_CHAIN: Final = 8
_IMPLICIT_SELF: Final = frozenset({"java", "c#", "c++", "ruby", "php"})
#: Methods that the languages' own types have: by such a name alone nothing can be told.
_EVERYWHERE: Final = frozenset(
    {name for kind in (str, bytes, dict, list, set, tuple, int, float) for name in dir(kind)}
    | {"read", "write", "close", "open", "flush", "readline", "readlines", "seek", "group"}
    | {"push", "map", "filter", "forEach", "reduce", "slice", "concat", "indexOf", "includes"}
    | {"then", "catch", "finally", "toString", "trim", "set", "has", "delete", "length", "size"}
    | {"unwrap", "clone", "iter", "into", "as_str", "to_string", "collect", "len", "is_empty"}
    | {"Error", "String", "println", "equals", "hashCode", "ToString", "each", "put", "contains"}
)
_HELD: Final = frozenset({"class", "interface", "module"})


class Resolved(NamedTuple):
    """An edge of a file, before it has a file."""

    source: int
    target: int
    kind: str
    how: str
    confidence: float
    line: int


def loose(name: str) -> int:
    """The number that stands for any method of a name."""
    return number_of(f"?.{name}")


def folder_number(folder: str) -> int:
    """The number of a directory's node."""
    return number_of(f"{folder}/")


class Resolver:
    """All languages over one project."""

    def __init__(
        self,
        project: Project,
        config: Callable[[str], str],
        declared: Callable[[str], list[str]],
    ) -> None:
        self._project = project
        scripts = EcmascriptModules(project, config)
        self._modules: dict[str, Any] = {
            "python": PythonModules(project),
            "typescript": scripts,
            "tsx": scripts,
            "javascript": scripts,
            "go": GoModules(project, config),
            "rust": RustModules(project, config),
            "java": DeclaredModules(project, "java", declared),
            "c#": DeclaredModules(project, "c#", declared),
            "php": DeclaredModules(project, "php", declared),
            "ruby": PathModules(project, ".rb"),
            "c": PathModules(project),
            "c++": PathModules(project),
        }
        self._tables: dict[str, Table | None] = {}
        self._memo: dict[tuple[str, str], tuple[Entity | None, frozenset[str]]] = {}
        self._under_way: set[tuple[str, str]] = set()
        self._cut = False

    def resolve(self, path: str) -> tuple[list[Resolved], set[str]]:
        """The edges that leave a file, and what was looked at to find them."""
        self._project.needs = set()
        table = self._table(path)
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
                entity = self._chain(path, table, table.around(place), base)
                if entity is not None and entity.kind == "symbol":
                    kind = EdgeKind.INHERITS.value
                    if definition.kind == "class" and self._kind(entity) == "interface":
                        kind = EdgeKind.IMPLEMENTS.value
                    target = node_number(entity.path, entity.name)
                    yield Resolved(source, target, kind, "base", 1.0, definition.start)
        for call in table.facts.calls:
            yield from self._call_edges(path, table, call)

    def _import_edges(self, path: str, table: Table) -> Iterator[Resolved]:
        modules = self._modules[table.facts.language]
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
                entity = self._follow(path, one)
                if entity is not None and entity.kind == "symbol" and entity.path != path:
                    target = node_number(entity.path, entity.name)
                    yield Resolved(here, target, imports, "import", 1.0, one.line)
                    if one.exported or path.endswith("__init__.py"):
                        exports = EdgeKind.EXPORTS.value
                        yield Resolved(here, target, exports, "re-export", 1.0, one.line)

    def _call_edges(self, path: str, table: Table, call: Call) -> Iterator[Resolved]:
        scope = table.facts.definitions[call.scope].name if call.scope >= 0 else ""
        source = node_number(path, scope)
        calls = EdgeKind.CALLS.value
        entity = self._chain(path, table, call.scope, call.name)
        if entity is not None and entity.kind == "symbol":
            told = "self" if call.name.startswith(("self.", "super")) else "import"
            how = "reference" if call.reference else told if entity.path != path else "local"
            sure = 0.8 if call.reference else 0.95
            target = node_number(entity.path, entity.name)
            yield Resolved(source, target, calls, how, sure, call.line)
            return
        head, dot, _ = call.name.partition(".")
        if call.reference or not dot or entity is not None:
            return
        if head in table.bindings and head not in {"self", "?"}:
            return  # what is imported from elsewhere is not ours
        last = call.name.rpartition(".")[2]
        if last in _EVERYWHERE:
            return
        yield Resolved(source, loose(last), calls, "name", 0.3, call.line)

    # --- names ------------------------------------------------------------------------------------

    def _table(self, path: str) -> Table | None:
        facts = self._project.facts(path)
        if path not in self._tables:
            usable = facts is not None and facts.language in self._modules
            self._tables[path] = table_of(facts) if usable and facts else None
        return self._tables[path]

    def _kind(self, entity: Entity) -> str:
        table = self._table(entity.path)
        found = table.definitions.get(entity.name) if table else None
        return found.kind if found else ""

    def _lookup(self, path: str, name: str) -> Entity | None:
        """What a name means at the top of a file."""
        key = path, name
        known = self._memo.get(key)
        if known is not None:
            self._project.needs |= known[1]
            return known[0]
        if key in self._under_way or len(self._under_way) > _DEEPEST:
            self._cut = True
            return None
        outer, self._project.needs = self._project.needs, set()
        first = not self._under_way
        self._under_way.add(key)
        was_cut, self._cut = self._cut, False
        try:
            entity = self._find(path, name)
        finally:
            self._under_way.discard(key)
        if first or not self._cut:
            self._memo[key] = entity, frozenset(self._project.needs)
        self._cut = was_cut or (self._cut and not first)
        outer |= self._project.needs
        self._project.needs = outer
        return entity

    def _find(self, path: str, name: str) -> Entity | None:
        table = self._table(path)
        if table is None:
            return None
        if name in table.definitions:
            return symbol(path, name)
        for one in table.bindings.get(name, ()):
            entity = self._follow(path, one)
            if entity is not None:
                return entity
        if name in table.renamed and table.renamed[name] != name:
            return self._lookup(path, table.renamed[name])
        modules = self._modules[table.facts.language]
        if name in table.globals:
            return Entity("global", path, name)
        entity = self._shared(path, table, name)
        if entity is not None:
            return entity
        below: Entity | None = modules.below(Entity("module", path), name)
        return below

    def _shared(self, path: str, table: Table, name: str) -> Entity | None:
        """A name that came with all others of a module, or that a file beside defines."""
        modules = self._modules[table.facts.language]
        for one in table.stars:
            for bound in modules.bind(path, one):
                entity = self._attribute(bound, name, table.facts.language)
                if entity is not None:
                    return entity
        for other in modules.siblings(path):
            beside = self._table(other)
            if beside is not None and name in beside.definitions:
                return symbol(other, name)
        return None

    def _follow(self, path: str, one: Import) -> Entity | None:
        """What an import binds to its name."""
        table = self._table(path)
        if table is None:
            return None
        language = table.facts.language
        modules = self._modules[language]
        if language == "python":
            return self._follow_python(modules, path, one)
        for bound in modules.bind(path, one):
            if bound.kind == "symbol":
                entity: Entity | None = Entity("module", bound.path)
                for part in bound.name.split("."):
                    entity = self._attribute(entity, part, language) if entity else None
                if entity is not None:
                    return entity
            elif not one.name or language == "rust":
                return Entity(*bound)
            elif one.name == "default":
                return self._lookup(bound.path, "default") or Entity("module", bound.path)
            else:
                entity = self._attribute(bound, one.name, language)
                if entity is not None:
                    return entity
        return None

    def _follow_python(self, modules: PythonModules, path: str, one: Import) -> Entity | None:
        self._project.note(one.module)
        if not one.name:
            bare = "." in one.module and one.alias == one.module.partition(".")[0]
            return modules.top(path, one.module) if bare else modules.base_of(path, one.module)
        base = modules.base_of(path, one.module)
        if base is None:
            return None
        if base.kind == "module" and base.path != path:
            return self._lookup(base.path, one.name)
        return modules.below(base, one.name)

    def _attribute(self, entity: Entity | None, name: str, language: str) -> Entity | None:
        """What a name means inside something."""
        if entity is None:
            return None
        if entity.kind == "module":
            return self._lookup(entity.path, name)
        if entity.kind == "package":
            if language == "go":
                return self._in_go_package(entity.path, name)
            below: Entity | None = self._modules[language].below(entity, name)
            return below
        if entity.kind == "global":
            table = self._table(entity.path)
            told = table.types.get((-1, entity.name)) if table else None
            held = self._instance(entity.path, -1, told) if told else None
            return self._attribute(held, name, language)
        return self._member(entity, name, 0)

    def _in_go_package(self, folder: str, name: str) -> Entity | None:
        for file in self._modules["go"].files_in(folder):
            table = self._table(file)
            if table is not None and name in table.definitions:
                return symbol(file, name)
        return None

    def _member(self, entity: Entity, name: str, depth: int) -> Entity | None:
        """A member of a class, its own or one that it inherits; an attribute gives its class."""
        table = self._table(entity.path)
        if table is None or depth > _DEEPEST:
            return None
        wanted = f"{entity.name}.{name}"
        if wanted in table.definitions:
            return symbol(entity.path, wanted)
        told = table.attributes.get((entity.name, name))
        if told is not None:
            held = self._instance(entity.path, *told)
            if held is not None:
                return Entity("value", held.path, held.name)
        for other in self._modules[table.facts.language].siblings(entity.path):
            beside = self._table(other)
            if beside is not None and wanted in beside.definitions:
                return symbol(other, wanted)
        definition = table.definitions.get(entity.name)
        for base in definition.bases if definition else ():
            above = self._chain(entity.path, table, -1, base)
            if above is not None and above.kind == "symbol" and above != entity:
                found = self._member(above, name, depth + 1)
                if found is not None:
                    return found
        return None

    def _instance(self, path: str, scope: int, told: str) -> Entity | None:
        """The class of what an annotation, or a call that makes it, tells."""
        table = self._table(path)
        if table is None:
            return None
        made = told.endswith("()")
        key = path, f"{scope}:{told}"
        if key in self._under_way or len(self._under_way) > _DEEPEST:
            self._cut = True
            return None
        self._under_way.add(key)
        try:
            entity = self._chain(path, table, scope, told.removesuffix("()"))
            return self._given_by(entity) if made else _held(entity)
        finally:
            self._under_way.discard(key)

    def _given_by(self, entity: Entity | None) -> Entity | None:
        """The class of what a call gives."""
        if entity is None or entity.kind != "symbol":
            return None
        table = self._table(entity.path)
        definition = table.definitions.get(entity.name) if table else None
        if table is None or definition is None:
            return None
        if definition.kind in _HELD:
            return entity
        if definition.returns in {"Self", "self"}:
            return symbol(entity.path, definition.name.rpartition(".")[0])
        if not definition.returns:
            return None
        return self._instance(entity.path, -1, definition.returns)

    def _chain(self, path: str, table: Table, scope: int, dotted: str) -> Entity | None:
        """What dotted names mean where they stand."""
        parts = dotted.split(".")
        if len(parts) > _LONGEST_CHAIN or parts[0] == "?":
            return None
        language = table.facts.language
        if parts[0] in {"super", "super()", "base", "parent"} and len(parts) > 1:
            entity, parts = self._of_bases(path, table, scope, parts[1]), parts[2:]
        else:
            entity, parts = self._first(path, table, scope, parts[0]), parts[1:]
        for part in parts:
            if entity is None:
                return None
            if entity.kind == "value":
                entity = symbol(entity.path, entity.name)
            made = part.endswith("()")
            entity = self._attribute(entity, part.removesuffix("()"), language)
            if made:
                entity = self._given_by(entity)
        return entity

    def _of_bases(self, path: str, table: Table, scope: int, name: str) -> Entity | None:
        definition = table.definitions.get(table.class_around(scope))
        for base in definition.bases if definition else ():
            above = self._chain(path, table, -1, base)
            found = self._member(above, name, 0) if above and above.kind == "symbol" else None
            if found is not None:
                return found
        return None

    def _first(self, path: str, table: Table, scope: int, name: str) -> Entity | None:
        made = name.endswith("()")
        name = name.removesuffix("()")
        if name == "self":
            held = table.class_around(scope)
            return symbol(path, held) if held else None
        place = scope
        while place >= 0:
            told = table.types.get((place, name))
            if told is not None and not made:
                return self._value(self._instance(path, place, told))
            place = table.around(place)
        entity = self._scoped(path, table, scope, name) or self._lookup(path, name)
        return self._given_by(entity) if made else entity

    @staticmethod
    def _value(held: Entity | None) -> Entity | None:
        return Entity("value", held.path, held.name) if held is not None else None

    def _scoped(self, path: str, table: Table, scope: int, name: str) -> Entity | None:
        """A definition nested where the name stands."""
        for around in table.scopes(scope):
            holder = table.definitions.get(around)
            nested = f"{around}.{name}"
            if holder is None or holder.kind in {"class", "interface"}:
                if table.facts.language in _IMPLICIT_SELF and holder is not None:
                    found = self._member(symbol(path, around), name, 0)
                    if found is not None and found.kind == "symbol":
                        return found
                continue
            if nested in table.definitions:
                return symbol(path, nested)
        return None


def _held(entity: Entity | None) -> Entity | None:
    return (
        symbol(entity.path, entity.name) if entity and entity.kind in {"symbol", "value"} else None
    )
