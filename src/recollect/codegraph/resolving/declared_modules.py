"""Module resolution by declared name (Java, C#, PHP) or by the end of a path (Ruby, C, C++).

A declared package or namespace leads to every file that declares it; a path leads to the file whose
own path ends with it, the nearest first.
"""

import posixpath
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.project import CodeProject, Entity, module

_ENDINGS: Final = {"java": ".java", "c#": ".cs", "php": ".php", "ruby": ".rb"}


class DeclaredModules:
    """Java, C# and PHP: files by the package or namespace that they declare."""

    def __init__(
        self, project: CodeProject, language: str, declared: Callable[[str], list[str]]
    ) -> None:
        self._project = project
        self._ending = _ENDINGS[language]
        self._declared = declared

    def siblings(self, path: str) -> Sequence[str]:
        """The files of the same package."""
        facts = self._project.facts(path)
        return [one for one in self.files_of(facts.package) if one != path] if facts else []

    def files_of(self, package: str) -> list[str]:
        """Every file that declares a package."""
        self._project.needs.add(f"package:{package}")
        return self._declared(package) if package else []

    def below(self, entity: Entity, name: str) -> Entity | None:
        """None: a package contains no other by name."""
        return None

    def bind(self, path: str, one: Import) -> list[Entity]:
        """The file of a class, or all files of a package."""
        if one.module.startswith("./"):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), one.module))
            self._project.note(one.module)
            return [module(place)] if self._project.has(place) else []
        if one.name == "*":
            listed = self.files_of(one.module)
            if listed:
                return [module(file) for file in listed]
            head, _, last = one.module.replace("\\", ".").rpartition(".")
            return self._of_class(head, last)
        return self._of_class(one.module, one.name)

    def _of_class(self, package: str, name: str) -> list[Entity]:
        self._project.note(name)
        listed = self.files_of(package)
        exact = [file for file in listed if posixpath.basename(file) == name + self._ending]
        if exact:
            return [module(exact[0])]
        for file in listed:
            facts = self._project.facts(file)
            if facts and any(definition.name == name for definition in facts.definitions):
                return [module(file)]
        outer, _, owner = package.rpartition(".")
        return self._of_class(outer, owner) if outer and owner[:1].isupper() else []


class PathModules:
    """Ruby, C and C++: files by the end of their paths."""

    def __init__(self, project: CodeProject, ending: str = "") -> None:
        self._project = project
        self._ending = ending

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._project.languages:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def siblings(self, path: str) -> Sequence[str]:
        """No files: no file shares its names with another."""
        return ()

    def below(self, entity: Entity, name: str) -> Entity | None:
        """None: a file contains no other."""
        return None

    def bind(self, path: str, one: Import) -> list[Entity]:
        """The file beside the importing one, or the nearest one whose path ends with the name."""
        self._project.note(posixpath.basename(one.module), posixpath.dirname(one.module))
        spec = one.module
        if self._ending and not spec.endswith(self._ending):
            spec += self._ending
        sibling = posixpath.normpath(posixpath.join(posixpath.dirname(path), spec))
        if self._project.has(sibling):
            return [module(sibling)]
        if spec.startswith("."):
            return []
        wanted = posixpath.normpath(spec)
        ending = f"/{wanted}"
        fitting = [
            one_path
            for one_path in self._by_name.get(posixpath.basename(wanted), ())
            if one_path == wanted or one_path.endswith(ending)
        ]
        if not fitting:
            return []
        return [module(min(fitting, key=lambda found: (_distance(path, found), found)))]


def _distance(one: str, other: str) -> int:
    """Number of steps between two files in the folder tree."""
    first, second = one.split("/"), other.split("/")
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    return len(first) + len(second) - 2 * shared
