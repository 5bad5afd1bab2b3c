"""Module resolution for Rust: a crate's tree of files, paths by ``crate``, ``self``, ``super``."""

import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from recollect.codegraph.facts import Import
from recollect.codegraph.resolving.project import CodeProject, Entity, module

_NAME: Final = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.M | re.S)
_LIBRARY: Final = re.compile(r"^\[lib\][^\[]*?^(?:path)\s*=\s*\"([^\"]+)\"", re.M | re.S)
_LIBRARY_NAME: Final = re.compile(r"^\[lib\][^\[]*?^(?:name)\s*=\s*\"([^\"]+)\"", re.M | re.S)


class RustModules:
    """Resolves a path to a file. The rest of the path after the file is a symbol's name."""

    def __init__(self, project: CodeProject, config: Callable[[str], str]) -> None:
        self._project = project
        self._config = config

    @cached_property
    def crates(self) -> dict[str, str]:
        """The library file of each crate of the workspace, by the crate's name."""
        found = {}
        for path in self._project.languages:
            if posixpath.basename(path) != "Cargo.toml":
                continue
            text, folder = self._config(path), posixpath.dirname(path)
            named, library = _NAME.search(text), _LIBRARY.search(text)
            if named:
                place = library[1] if library else "src/lib.rs"
                called = _LIBRARY_NAME.search(text)
                name = (called[1] if called else named[1]).replace("-", "_")
                file = posixpath.normpath(posixpath.join(folder, place))
                found[name] = (
                    file if self._project.has(file) else posixpath.join(folder, "src/main.rs")
                )
        return found

    def siblings(self, path: str) -> Sequence[str]:
        """No files: no file shares its names with another."""
        return ()

    def below(self, entity: Entity, name: str) -> Entity | None:
        """The file of a module declared in another."""
        if entity.kind != "module":
            return None
        self._project.note(name)
        folder = self._folder(entity.path)
        for candidate in (f"{name}.rs", f"{name}/mod.rs"):
            place = posixpath.normpath(posixpath.join(folder, candidate))
            if self._project.has(place):
                return module(place)
        return None

    def bind(self, path: str, one: Import) -> list[Entity]:
        """The file that a path leads to, as far as files go."""
        self._project.note(one.module, one.name)
        if one.module.startswith("mod "):
            found = self.below(module(path), one.module[4:])
            return [found] if found else []
        parts = [part for part in [*one.module.split("::"), one.name] if part and part != "*"]
        found = self.walk(path, parts)
        return [found] if found else []

    def walk(self, path: str, parts: Sequence[str]) -> Entity | None:
        """Follow a path from file to file; the rest names a symbol in the last file."""
        if not parts:
            return None
        rest = list(parts[1:])
        here = self._start(path, parts[0])
        while rest and rest[0] == "super" and here is not None:
            here = self._above(here.path)
            rest.pop(0)
        if here is None or not self._project.has(here.path):
            return None
        while rest:
            deeper = self.below(here, rest[0])
            if deeper is None:
                return Entity("symbol", here.path, ".".join(rest))
            here = deeper
            rest.pop(0)
        return here

    def _start(self, path: str, first: str) -> Entity | None:
        """The file to which the first name of a path leads."""
        if first == "crate":
            return module(self._crate_of(path))
        if first in {"self", "Self"}:
            return module(path)
        if first == "super":
            return self._above(path)
        if first in self.crates:
            return module(self.crates[first])
        return self.below(module(path), first)

    def _folder(self, path: str) -> str:
        """The folder with the files of a module's submodules."""
        folder, name = posixpath.split(path)
        stem = name.removesuffix(".rs")
        if stem in {"mod", "lib", "main"} or path in self.crates.values():
            return folder
        if posixpath.basename(folder) in {"bin", "tests", "examples", "benches"}:
            return folder
        return posixpath.join(folder, stem)

    def _above(self, path: str) -> Entity | None:
        """The file of the module that contains this one."""
        folder, name = posixpath.split(path)
        if name == "mod.rs":
            folder = posixpath.dirname(folder)
        for candidate in ("mod.rs", "lib.rs", "main.rs"):
            place = posixpath.join(folder, candidate)
            if self._project.has(place) and place != path:
                return module(place)
        place = f"{folder}.rs"
        return module(place) if self._project.has(place) else None

    def _crate_of(self, path: str) -> str:
        """The root file of the crate that a file belongs to."""
        folder = posixpath.dirname(path)
        while True:
            for name in ("lib.rs", "main.rs"):
                place = posixpath.join(folder, name)
                if self._project.has(place):
                    return place
            if self._project.has(posixpath.join(folder, "Cargo.toml")) or not folder:
                return path
            folder = posixpath.dirname(folder)
