"""Repository paths: relative to the root, with forward slashes, from any machine.

The same file has many names: from the working directory, from a worktree, from another person's
machine, with backslashes. Roots are learned from the working directories of a session; if files of
the repository are known, a path that ends in one of them reveals the root itself.
"""

import re
from collections.abc import Collection, Iterable
from typing import Final

_DRIVE: Final = re.compile(r"^[A-Za-z]:")
#: Folders that contain worktrees of their repository.
_WORKTREES: Final = re.compile(r"/(?:\.worktrees|\.claude/worktrees|\.git/worktrees|worktrees)/")
_LONGEST: Final = 1_000
_MET: Final = 50_000


class Roots:
    """The roots of one repository, learned from working directories and known files."""

    def __init__(self, roots: Iterable[str] = (), files: Collection[str] = ()) -> None:
        self._files = files
        self._roots: set[str] = set()
        self._found: dict[str, str | None] = {}
        self._met: set[str] = set()
        for root in roots:
            self.add(root)

    def add(self, folder: str) -> None:
        """Learn a working directory. One inside a known root adds nothing."""
        plain = slashes(folder).rstrip("/")
        if not plain.startswith("/") or plain.count("/") < 2 or plain in self._roots:
            return
        if _WORKTREES.search(f"{plain}/") is None and self._root_of(f"{plain}/") is not None:
            return
        self._roots.add(plain)
        self._found.clear()

    def relative(self, path: str, folder: str | None = None) -> str | None:
        """The path from the root; None if outside the repository."""
        if not path or len(path) > _LONGEST or "\x00" in path or "\n" in path:
            return None
        plain = slashes(path)
        if not plain.startswith("/"):
            if folder is None:
                return tidy(plain)
            plain = f"{slashes(folder).rstrip('/')}/{plain}"
        whole = _absolute(plain)
        if whole is None:
            return None
        if whole not in self._found:
            if len(self._found) > 50_000:
                self._found.clear()
            relative = self._found[whole] = self._relative(whole)
            if relative is not None and len(self._met) < _MET:
                self._met.add(relative)
        return self._found[whole]

    def _relative(self, whole: str) -> str | None:
        if self._files:
            named = self._by_known_file(whole)
            if named is not None:
                return named
        root = self._root_of(whole)
        return tidy(whole[len(root) + 1 :]) if root is not None else None

    def _by_known_file(self, whole: str) -> str | None:
        """The longest suffix of a path that is a file of the repository, inside a root."""
        if self._root_of(whole) is None:
            return None
        parts = whole.strip("/").split("/")
        for start in range(1, len(parts) - 1):
            ending = "/".join(parts[start:])
            if ending in self._files:
                return ending
        return None

    def _root_of(self, whole: str) -> str | None:
        """The root above a path: of a worktree the deepest, otherwise the shallowest."""
        above = [root for root in self._roots if whole.startswith(f"{root}/")]
        if not above:
            return None
        worktree = _WORKTREES.search(whole)
        if worktree is None:
            return min(above, key=len)
        inside = [root for root in above if len(root) >= worktree.end()]
        if inside:
            return min(inside, key=len)
        return self._new_worktree(whole, worktree.end())

    def _new_worktree(self, whole: str, start: int) -> str | None:
        """The root of an unknown worktree: a name of several parts if a known file says so."""
        first = end = whole.find("/", start)
        while end >= 0:
            if whole[end + 1 :] in self._met:
                return whole[:end]
            end = whole.find("/", end + 1)
        return None if first < 0 else whole[:first]


def slashes(path: str) -> str:
    """A path of any system with forward slashes and without a drive."""
    return _DRIVE.sub("", path.replace("\\", "/"))


def tidy(path: str) -> str | None:
    """A normalised relative path; None if it leaves its root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or None


def _absolute(path: str) -> str | None:
    inner = tidy(path)
    return f"/{inner}" if inner else None
