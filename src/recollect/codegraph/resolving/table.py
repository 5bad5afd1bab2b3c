"""Lookup table of the names of one file."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.codegraph.facts import Definition, Facts, Import


@dataclass(slots=True)
class Table:
    """Definitions by qualified name, imports by the name they bind, types by scope and variable."""

    facts: Facts
    definitions: dict[str, Definition] = field(default_factory=dict)
    bindings: dict[str, list[Import]] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    types: dict[tuple[int, str], str] = field(default_factory=dict)
    attributes: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    globals: frozenset[str] = frozenset()
    held: dict[str, Sequence[str]] = field(default_factory=dict)

    def scopes(self, scope: int) -> Sequence[str]:
        """The qualified names around a scope, the innermost first."""
        if scope < 0:
            return ()
        parts = self.facts.definitions[scope].name.split(".")
        return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]

    def class_around(self, scope: int) -> str:
        """The class that encloses a scope; empty for none."""
        for name in self.scopes(scope):
            found = self.definitions.get(name)
            if found is not None and found.kind in {"class", "interface"}:
                return name
            if found is not None and found.kind == "method":
                owner = name.rpartition(".")[0]
                if owner not in self.definitions:  # Go and Rust: a method beside its type
                    return owner
        return ""

    def around(self, scope: int) -> int:
        """The enclosing scope of a scope."""
        name = self.facts.definitions[scope].name.rpartition(".")[0]
        if not name:
            return -1
        for place in range(scope - 1, -1, -1):
            if self.facts.definitions[place].name == name:
                return place
        return -1


def table_of(facts: Facts) -> Table:
    """The table of a file's facts."""
    table = Table(facts, globals=frozenset(facts.globals))
    for name, names in facts.held:
        table.held[name] = [*table.held.get(name, ()), *names]
    for definition in facts.definitions:
        table.definitions.setdefault(definition.name, definition)
    _bind(table)
    for typed in facts.types:
        table.types.setdefault((typed.scope, typed.variable), typed.type)
        owner, dot, attribute = typed.variable.partition(".")
        if dot and owner == "self":
            held = table.class_around(typed.scope)
            table.attributes.setdefault((held, attribute), (typed.scope, typed.type))
        elif not dot and typed.scope >= 0 and facts.definitions[typed.scope].kind == "class":
            held = facts.definitions[typed.scope].name
            table.attributes.setdefault((held, typed.variable), (typed.scope, typed.type))
    for exported in facts.exports:
        name, equals, own = exported.partition("=")
        if equals:
            table.renamed[name] = own
    return table


def _bind(table: Table) -> None:
    """Imports by the names they bind."""
    facts = table.facts
    for one in facts.imports:
        if one.name == "*":
            table.stars.append(one)
        elif one.alias:
            table.bindings.setdefault(one.alias, []).append(one)
        elif facts.language == "go":
            last = one.module.rstrip("/").split("/")
            version = len(last) > 1 and last[-1][:1] == "v" and last[-1][1:].isdigit()
            table.bindings.setdefault(last[-2] if version else last[-1], []).append(one)
