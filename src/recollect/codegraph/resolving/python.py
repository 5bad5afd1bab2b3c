"""Module resolution for Python: packages, relative imports, namespaces, ``src``, scripts."""

import posixpath
from collections.abc import Iterable, Sequence

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.project import CodeProject, Entity, module


class PythonModules:
    """Resolves a Python import to a file."""

    def __init__(self, project: CodeProject) -> None:
        self._project = project

    def siblings(self, path: str) -> Sequence[str]:
        """No files: no file shares its names with another."""
        return ()

    def bind(self, path: str, one: Import) -> list[Entity]:
        """Target of an import: a submodule, or the module that should have the name."""
        self._project.note(one.module)
        base = self.base_of(path, one.module)
        if base is None or not one.name or one.name == "*":
            return [base] if base else []
        folder = _folder(base)
        if folder is not None:
            self._project.note(one.name)
            below = self._at(f"{folder}/{one.name}" if folder else one.name)
            if below is not None:
                return [below]
        return [base]

    def below(self, entity: Entity, name: str) -> Entity | None:
        """A submodule of a package."""
        folder = _folder(entity)
        if folder is None:
            return None
        self._project.note(name)
        return self._at(f"{folder}/{name}" if folder else name)

    def top(self, path: str, dotted: str) -> Entity | None:
        """What ``import a.b`` binds to the name ``a``."""
        return self.base_of(path, dotted.partition(".")[0])

    def base_of(self, path: str, dotted: str) -> Entity | None:
        """The module of that name, as seen from a file."""
        if dotted.startswith("."):
            rest = dotted.lstrip(".")
            folder = posixpath.dirname(path)
            for _ in range(len(dotted) - len(rest) - 1):
                folder = posixpath.dirname(folder)
            if not rest:
                return self._package(folder)
            return self._at(posixpath.join(folder, rest.replace(".", "/")))
        below = dotted.replace(".", "/")
        for root in self._roots_for(path):
            found = self._at(f"{root}/{below}" if root else below)
            if found is not None:
                return found
        return None

    def _package(self, folder: str) -> Entity:
        """A folder as a package, never the module of the same name beside it."""
        for name in ("__init__.py", "__init__.pyi"):
            place = posixpath.join(folder, name)
            self._project.needs.add(f"path:{place}")
            if self._project.has(place):
                return module(place)
        return Entity("package", folder)

    def _roots_for(self, path: str) -> Iterable[str]:
        """The root of the file's own package, then all roots, then its own folder."""
        folder = posixpath.dirname(path)
        while folder and self._project.has(f"{folder}/__init__.py"):
            folder = posixpath.dirname(folder)
        yield folder
        for root in self._project.layout.python_roots:
            if root != folder:
                yield root

    def _at(self, place: str) -> Entity | None:
        for candidate in (
            f"{place}/__init__.py" if place else "__init__.py",
            f"{place}.py",
            f"{place}.pyi",
            f"{place}/__init__.pyi",
        ):
            if self._project.has(candidate):
                return module(candidate)
        if place and place in self._project.folders:
            return Entity("package", place)
        return None


def _folder(entity: Entity) -> str | None:
    """The folder whose files are an entity's submodules."""
    if entity.kind == "package":
        return entity.path
    if entity.kind == "module" and posixpath.basename(entity.path).startswith("__init__."):
        return posixpath.dirname(entity.path)
    return None
