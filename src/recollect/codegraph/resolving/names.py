"""Resolves names across files: through imports, re-exports, classes and their bases."""

from collections.abc import Callable
from typing import Any, Final

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.declared_modules import DeclaredModules, PathModules
from recollect.codegraph.resolving.ecmascript import EcmascriptModules
from recollect.codegraph.resolving.go import GoModules
from recollect.codegraph.resolving.project import CodeProject, Entity, symbol
from recollect.codegraph.resolving.python import PythonModules
from recollect.codegraph.resolving.rust import RustModules
from recollect.codegraph.resolving.table import Table, table_of

_DEEPEST: Final = 24
_LONGEST_CHAIN: Final = 8
_IMPLICIT_SELF: Final = frozenset({"java", "c#", "c++", "ruby", "php"})
_HELD: Final = frozenset({"class", "interface", "module"})


class Names:
    """Resolves the names of all languages in one project."""

    def __init__(
        self,
        project: CodeProject,
        config: Callable[[str], str],
        declared: Callable[[str], list[str]],
    ) -> None:
        self._project = project
        scripts = EcmascriptModules(project, config)
        self.modules: dict[str, Any] = {
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

    def table(self, path: str) -> Table | None:
        """The names of a file; None for a file without code."""
        facts = self._project.facts(path)
        if path not in self._tables:
            usable = facts is not None and facts.language in self.modules
            self._tables[path] = table_of(facts) if usable and facts else None
        return self._tables[path]

    def kind(self, entity: Entity) -> str:
        """Kind of a definition; empty for none."""
        table = self.table(entity.path)
        found = table.definitions.get(entity.name) if table else None
        return found.kind if found else ""

    def _lookup(self, path: str, name: str) -> Entity | None:
        """Definition of a name at the top of a file."""
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
        table = self.table(path)
        if table is None:
            return None
        if name in table.definitions:
            return symbol(path, name)
        for one in table.bindings.get(name, ()):
            entity = self.follow(path, one)
            if entity is not None:
                return entity
        if name in table.renamed and table.renamed[name] != name:
            return self._lookup(path, table.renamed[name])
        modules = self.modules[table.facts.language]
        if name in table.globals:
            return Entity("global", path, name)
        entity = self._shared(path, table, name)
        if entity is not None:
            return entity
        below: Entity | None = modules.below(Entity("module", path), name)
        return below

    def _shared(self, path: str, table: Table, name: str) -> Entity | None:
        """Definition of a name from a star import, or from a file that shares its names."""
        modules = self.modules[table.facts.language]
        for one in table.stars:
            for bound in modules.bind(path, one):
                entity = self._attribute(bound, name, table.facts.language)
                if entity is not None:
                    return entity
        for other in modules.siblings(path):
            other_table = self.table(other)
            if other_table is not None and name in other_table.definitions:
                return symbol(other, name)
        return None

    def follow(self, path: str, one: Import) -> Entity | None:
        """Definition that an import binds to its name."""
        table = self.table(path)
        if table is None:
            return None
        language = table.facts.language
        modules = self.modules[language]
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
        """Definition of a name inside an entity."""
        if entity is None:
            return None
        if entity.kind == "module":
            return self._lookup(entity.path, name)
        if entity.kind == "package":
            if language == "go":
                return self._in_go_package(entity.path, name)
            below: Entity | None = self.modules[language].below(entity, name)
            return below
        if entity.kind == "global":
            table = self.table(entity.path)
            annotation = table.types.get((-1, entity.name)) if table else None
            held = self._instance(entity.path, -1, annotation) if annotation else None
            return self._attribute(held, name, language)
        return self._member(entity, name, 0)

    def _in_go_package(self, folder: str, name: str) -> Entity | None:
        for file in self.modules["go"].files_in(folder):
            table = self.table(file)
            if table is not None and name in table.definitions:
                return symbol(file, name)
        return None

    def _member(self, entity: Entity, name: str, depth: int) -> Entity | None:
        """Member of a class, its own or inherited; an attribute gives its class."""
        table = self.table(entity.path)
        if table is None or depth > _DEEPEST:
            return None
        wanted = f"{entity.name}.{name}"
        if wanted in table.definitions:
            return symbol(entity.path, wanted)
        annotation = table.attributes.get((entity.name, name))
        if annotation is not None:
            held = self._instance(entity.path, *annotation)
            if held is not None:
                return Entity("value", held.path, held.name)
        for other in self.modules[table.facts.language].siblings(entity.path):
            other_table = self.table(other)
            if other_table is not None and wanted in other_table.definitions:
                return symbol(other, wanted)
        definition = table.definitions.get(entity.name)
        for base in definition.bases if definition else ():
            above = self.chain(entity.path, table, -1, base)
            if above is not None and above.kind == "symbol" and above != entity:
                found = self._member(above, name, depth + 1)
                if found is not None:
                    return found
        return None

    def _instance(self, path: str, scope: int, annotation: str) -> Entity | None:
        """Class of a value, from its annotation or the call that creates it."""
        table = self.table(path)
        if table is None:
            return None
        made = annotation.endswith("()")
        key = path, f"{scope}:{annotation}"
        if key in self._under_way or len(self._under_way) > _DEEPEST:
            self._cut = True
            return None
        self._under_way.add(key)
        try:
            entity = self.chain(path, table, scope, annotation.removesuffix("()"))
            return self._given_by(entity) if made else _held(entity)
        finally:
            self._under_way.discard(key)

    def _given_by(self, entity: Entity | None) -> Entity | None:
        """Class of the result of a call."""
        if entity is None or entity.kind != "symbol":
            return None
        table = self.table(entity.path)
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

    def chain(self, path: str, table: Table, scope: int, dotted: str) -> Entity | None:
        """Definition of dotted names at their position."""
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
            above = self.chain(path, table, -1, base)
            found = self._member(above, name, 0) if above and above.kind == "symbol" else None
            if found is not None:
                return found
        return None

    def _first(self, path: str, table: Table, scope: int, name: str) -> Entity | None:
        made = name.endswith("()")
        name = name.removesuffix("()")
        if name in {"self", "cls"}:
            held = table.class_around(scope)
            return symbol(path, held) if held else None
        place = scope
        while place >= 0:
            annotation = table.types.get((place, name))
            if annotation is not None and not made:
                return self._value(self._instance(path, place, annotation))
            place = table.around(place)
        entity = self._scoped(path, table, scope, name) or self._lookup(path, name)
        return self._given_by(entity) if made else entity

    @staticmethod
    def _value(held: Entity | None) -> Entity | None:
        return Entity("value", held.path, held.name) if held is not None else None

    def _scoped(self, path: str, table: Table, scope: int, name: str) -> Entity | None:
        """A nested definition visible at the position of the name."""
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
