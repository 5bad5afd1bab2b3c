"""All files of a project by their paths, and the facts of those that somebody asks for.

Whoever looks at something here notes it as a *need*: when what was looked at changes, whoever
needed it is resolved again, and nobody else.
"""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from recollect.codegraph.facts import Facts
from recollect.codegraph.resolving.layout import Layout

_PARTS: Final = re.compile(r"[^\w\-@$]+")
#: Files that stand for the folder they are in.
_FOR_THEIR_FOLDER: Final = frozenset({"__init__", "index", "mod", "lib", "main"})
_SUFFIXES: Final = re.compile(r"\.(?:d\.)?\w+\Z")


class Entity(NamedTuple):
    """What a name may mean: a module (a file), a package (a folder), or a symbol in a file."""

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
    """The files, and what has been looked at."""

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
        """Whether there is such a file."""
        return path in self.languages

    def facts(self, path: str) -> Facts | None:
        """What a file says; whoever asks needs it from now on."""
        self.needs.add(f"path:{path}")
        return self._facts(path) if path in self.languages else None

    def note(self, *names: str) -> None:
        """Note that the names of files or folders were looked for."""
        for name in names:
            self.needs.update(f"stem:{part.lower()}" for part in _PARTS.split(name) if part)

    def note_folder(self, folder: str) -> None:
        """Note that the files of a folder were looked at."""
        self.needs.add(f"folder:{folder}")


def needs_changed(path: str) -> set[str]:
    """What may mean something else once a file comes or goes."""
    folder, name = posixpath.split(path)
    stem = _SUFFIXES.sub("", name)
    changed = {f"path:{path}", f"folder:{folder}"}
    for part in (stem, name, posixpath.basename(folder) if stem in _FOR_THEIR_FOLDER else ""):
        changed.update(f"stem:{one.lower()}" for one in _PARTS.split(part) if one)
    return changed
