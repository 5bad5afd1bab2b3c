"""What is read of one file by itself, without a look at any other.

Facts are plain lists so that they travel between processes and into the store as JSON. What other
files can see of a file is its *interface*: when only a body changes, nobody else is read again.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

#: Of how many files the facts are kept at hand; an edit asks for the same ones several times.
_KEPT: Final = 64


class Definition(NamedTuple):
    """A function, method, class, interface or module: its qualified name and where it stands."""

    name: str
    kind: str
    start: int
    end: int
    bases: tuple[str, ...] = ()
    returns: str = ""
    doc: str = ""


class Import(NamedTuple):
    """One name brought in. ``name`` is empty for the module itself, ``*`` for all of its names."""

    module: str
    name: str
    alias: str
    line: int
    exported: bool = False


class Call(NamedTuple):
    """A call, or another use of a name. ``scope`` is the definition it stands in, -1 for none."""

    scope: int
    name: str
    line: int
    reference: bool = False


class Typed(NamedTuple):
    """A variable whose class the source tells: by its annotation or by what it is made with."""

    scope: int
    variable: str
    type: str


@dataclass(slots=True)
class Facts:
    """All that one file says."""

    language: str
    package: str = ""
    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    types: list[Typed] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    lines: int = 0
    problem: str = ""
    #: Variables at the top of the file, and the names that what they are given mentions.
    held: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def interface(self) -> str:
        """A digest of what other files can see."""
        seen = [
            self.package,
            [(d.name, d.kind, d.bases, d.returns) for d in self.definitions],
            [(i.module, i.name, i.alias, i.exported) for i in self.imports],
            self.exports,
            self.globals,
            [typed for typed in self.types if self.shows(typed)],
        ]
        return hashlib.blake2b(json.dumps(seen).encode(), digest_size=12).hexdigest()

    def shows(self, typed: Typed) -> bool:
        """Whether other files can see a variable: of a module, of a class, or of an object."""
        inside = self.definitions[typed.scope].kind if typed.scope >= 0 else "module"
        return "." in typed.variable or inside in {"module", "class", "interface"}

    def dumped(self) -> str:
        """The facts as text, to be kept."""
        kept: list[Any] = [
            self.language,
            self.package,
            self.definitions,
            self.imports,
            self.calls,
            self.types,
            self.exports,
            self.globals,
            self.lines,
            self.problem,
            self.held,
        ]
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @staticmethod
    def loaded(text: str) -> "Facts":
        """The facts from what was kept; whoever asks twice for the same gets the same."""
        return _loaded(text)


@lru_cache(_KEPT)
def _loaded(text: str) -> Facts:
    language, package, definitions, imports, calls, types, *rest = json.loads(text)
    return Facts(
        language,
        package,
        [Definition(n, k, s, e, tuple(b), r, d) for n, k, s, e, b, r, d in definitions],
        [Import(*one) for one in imports],
        [Call(*one) for one in calls],
        [Typed(*one) for one in types],
        *rest,
    )
