"""Layout of a project: the languages of its files, its folders, and the roots of Python imports.

It depends on paths and languages alone, so it stays valid when the content of files changes.
"""

import posixpath
from collections.abc import Iterable, Mapping
from functools import cached_property


class Layout:
    """The files of a project by their paths, each with its language."""

    def __init__(self, languages: Mapping[str, str]) -> None:
        self.languages = languages

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """The files of every folder."""
        return folders_of(self.languages)

    @cached_property
    def python_roots(self) -> list[str]:
        """Where Python's absolute imports start, the shortest first."""
        mine = [path for path, language in self.languages.items() if language == "python"]
        return roots_of(self.folders, mine)


def laid_out(languages: Mapping[str, str], before: Layout | None) -> Layout:
    """Layout of files: the previous one, if no file was added, removed or changed its language."""
    return before if before and before.languages == languages else Layout(languages)


def folders_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """Files directly in each folder; folders above others are listed even if they have none."""
    folders: dict[str, list[str]] = {"": []}
    for path in paths:
        folder = posixpath.dirname(path)
        known = folders.get(folder)
        if known is None:
            known = folders[folder] = []
            above = posixpath.dirname(folder)
            while above not in folders:
                folders[above] = []
                above = posixpath.dirname(above)
        known.append(path)
    return folders


def roots_of(folders: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Folders from which absolute imports start: those that contain a top package, and the root."""
    packages = {posixpath.dirname(p) for p in paths if posixpath.basename(p) == "__init__.py"}
    roots = {posixpath.dirname(p) for p in packages if p and posixpath.dirname(p) not in packages}
    roots |= {folder for folder in folders if folder in {"", "src", "lib", "python"}}
    return sorted(roots, key=lambda root: (root.count("/") + bool(root), root))
