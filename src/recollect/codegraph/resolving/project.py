"""Files of a project by path, with their facts loaded on demand.

Every lookup here is recorded as a *need* of the file being resolved: when the thing looked up
changes, the files that needed it are resolved again, and no others.
"""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from recollect.codegraph.facts import Facts
from recollect.codegraph.resolving.layout import Layout

_PARTS: Final = re.compile(r"[^\w\-@$]+")
#: Files that represent their folder.
_FOR_THEIR_FOLDER: Final = frozenset({"__init__", "index", "mod", "lib", "main"})
_SUFFIXES: Final = re.compile(r"\.(?:d\.)?\w+\Z")


class Entity(NamedTuple):
    """Meaning of a name: a module (a file), a package (a folder), or a symbol in a file."""

    kind: str
    path: str
    name: str = ""


def module(path: str) -> Entity:
    """A file as a module."""
    return Entity("module", path)


def symbol(path: str, name: str) -> Entity:
    """A definition in a file."""
    return Entity("symbol", path, name)


class CodeProject:
    """The files, and the recorded lookups."""

    def __init__(self, layout: Layout, facts: Callable[[str], Facts | None]) -> None:
        self.layout = layout
        self.languages = layout.languages
        self.needs: set[str] = set()
        self._facts = facts

    @property
    def folders(self) -> Mapping[str, Sequence[str]]:
        """The files of every folder."""
        return self.layout.folders

    def has(self, path: str) -> bool:
        """Whether a file exists."""
        return path in self.languages

    def facts(self, path: str) -> Facts | None:
        """Facts of a file; the file being resolved needs them from now on."""
        self.needs.add(f"path:{path}")
        return self._facts(path) if path in self.languages else None

    def note(self, *names: str) -> None:
        """Record that files or folders were looked up by name."""
        for name in names:
            self.needs.update(f"stem:{part.lower()}" for part in _PARTS.split(name) if part)

    def note_folder(self, folder: str) -> None:
        """Record that the files of a folder were looked up."""
        self.needs.add(f"folder:{folder}")


def needs_changed(path: str) -> set[str]:
    """Needs that may resolve differently once a file is added or removed."""
    folder, name = posixpath.split(path)
    stem = _SUFFIXES.sub("", name)
    changed = {f"path:{path}", f"folder:{folder}"}
    for part in (stem, name, posixpath.basename(folder) if stem in _FOR_THEIR_FOLDER else ""):
        changed.update(f"stem:{one.lower()}" for one in _PARTS.split(part) if one)
    return changed
