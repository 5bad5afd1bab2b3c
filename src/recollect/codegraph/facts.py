"""Facts of a single file, read without looking at any other file.

Facts are plain lists, so that they can be sent between processes and stored as JSON. The part of a
file that others can see is its *interface*: when only a body changes, no other file is resolved
again.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

#: Number of files whose facts are cached; an edit asks for the same ones several times.
_KEPT: Final = 64


class Definition(NamedTuple):
    """A function, method, class, interface or module: its qualified name and its position."""

    name: str
    kind: str
    start: int
    end: int
    bases: tuple[str, ...] = ()
    returns: str = ""
    doc: str = ""


class Import(NamedTuple):
    """One imported name. ``name`` is empty for the module itself, ``*`` for all of its names."""

    module: str
    name: str
    alias: str
    line: int
    exported: bool = False


class Call(NamedTuple):
    """A call, or another use of a name. ``scope`` is the enclosing definition, -1 for none."""

    scope: int
    name: str
    line: int
    reference: bool = False


class Typed(NamedTuple):
    """A variable whose class the source gives: by its annotation or by the call that creates it."""

    scope: int
    variable: str
    type: str


@dataclass(slots=True)
class Facts:
    """All facts of one file."""

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
    #: Top-level variables of the file, and the names that their values mention.
    held: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def interface(self) -> str:
        """Digest of everything that other files can see."""
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
        """The facts as text, for storage."""
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
        """The facts from stored text; the same text gives the same object while it is cached."""
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
