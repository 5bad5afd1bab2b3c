"""Module resolution for Go: a package is a folder below a module's path; its files share names."""

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.project import CodeProject, Entity

_MODULE: Final = re.compile(r"^module\s+\"?([^\s\"]+)", re.M)
_REPLACE: Final = re.compile(
    r"^[ \t]*+(?:replace[ \t]++)?(\S++)(?:[ \t]++v\S++)?[ \t]++=>[ \t]++(\.\S*+)", re.M
)


class GoModules:
    """Resolves a Go import to a folder."""

    def __init__(self, project: CodeProject, config: Callable[[str], str]) -> None:
        self._project = project
        self._config = config

    @cached_property
    def modules(self) -> list[tuple[str, str]]:
        """Module paths with their folders, the longest first; replacements included."""
        found: dict[str, str] = {}
        for path in self._project.languages:
            if posixpath.basename(path) != "go.mod":
                continue
            text, folder = self._config(path), posixpath.dirname(path)
            named = _MODULE.search(text)
            if named:
                found[named[1]] = folder
            for old, new in _REPLACE.findall(text):
                found.setdefault(old, posixpath.normpath(posixpath.join(folder, new)))
        return sorted(found.items(), key=lambda one: -len(one[0]))

    def siblings(self, path: str) -> Sequence[str]:
        """The other files of the package."""
        folder = posixpath.dirname(path)
        self._project.note_folder(folder)
        test = path.endswith("_test.go")
        return [
            one
            for one in self._project.folders.get(folder, ())
            if one != path and one.endswith(".go") and (test or not one.endswith("_test.go"))
        ]

    def below(self, entity: Entity, name: str) -> Entity | None:
        """None: packages do not contain one another by name."""
        return None

    def bind(self, path: str, one: Import) -> list[Entity]:
        """The folder, as a package."""
        self._project.note(posixpath.basename(one.module))
        for prefix, folder in self.modules:
            if one.module == prefix or one.module.startswith(f"{prefix}/"):
                below = one.module[len(prefix) :].lstrip("/")
                place = posixpath.normpath(posixpath.join(folder, below)) if below else folder
                if self.files_in(place):
                    return [Entity("package", place)]
        return []

    def files_in(self, folder: str) -> list[str]:
        """The files of a package that other packages see."""
        self._project.note_folder(folder)
        return [
            one
            for one in self._project.folders.get(folder, ())
            if one.endswith(".go") and not one.endswith("_test.go")
        ]
