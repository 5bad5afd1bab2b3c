"""Determines the project of a folder from the file system alone.

All worktrees of a repository are one project, and so are clones of one remote: the name of the
space comes from the address of ``origin`` if there is one, otherwise from the repository's path.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recollect.vocabulary.lazy_patterns import lazy_pattern

_ORIGIN: Final = lazy_pattern(
    r'\[remote "origin"\][^\[]*?^[ \t]*+url[ \t]*+=[ \t]*+(\S++)', re.MULTILINE
)
_ADDRESS: Final = lazy_pattern(r"^(?:\w+://)?(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/](.+?)(?:\.git)?/?$")
_UNFIT: Final = lazy_pattern(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its location and the space that holds its memory."""

    root: Path
    space: str


def project_of(folder: Path) -> Project:
    """The project that contains a folder; a folder without a repository is its own project."""
    start = folder.expanduser().absolute()
    root = next((place for place in (start, *start.parents) if (place / ".git").exists()), start)
    common = _common(root / ".git")
    identity = _origin(common) or str(_main(common, root))
    name = identity.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    plain = _UNFIT.sub("-", name).strip("-.") or "project"
    digest = hashlib.blake2b(identity.encode("utf-8", "replace"), digest_size=3).hexdigest()
    return Project(root, f"{plain[:60]}-{digest}")


def branch_of(root: Path) -> str:
    """Branch checked out in a repository; empty if there is none."""
    marker = root / ".git"
    try:
        if marker.is_file():
            words = marker.read_text("utf-8", "replace").strip()
            marker = root / words.removeprefix("gitdir:").strip()
        head = (marker / "HEAD").read_text("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/")[:200] if head.startswith("ref: ") else ""


def commit_of(root: Path) -> str:
    """Commit checked out in a repository; empty if it is unknown."""
    shared, branch = _common(root / ".git"), branch_of(root)
    try:
        if shared is None or not branch:
            return ""
        place = shared / "refs" / "heads" / branch
        if place.is_file():
            return place.read_text("ascii", "replace").strip()[:64]
        packed = (shared / "packed-refs").read_text("utf-8", "replace")
    except (OSError, ValueError):
        return ""
    lines = (line.partition(" ") for line in packed.splitlines())
    return next((name for name, _, ref in lines if ref == f"refs/heads/{branch}"), "")


def _common(marker: Path) -> Path | None:
    """Git folder shared by all worktrees of a repository."""
    if marker.is_dir():
        return marker
    try:
        words = marker.read_text("utf-8", "replace").strip()
        own = (marker.parent / words.removeprefix("gitdir:").strip()).resolve()
        shared = (own / "commondir").read_text("utf-8", "replace").strip()
        return (own / shared).resolve()
    except (OSError, ValueError):
        return None


def _main(common: Path | None, root: Path) -> Path:
    return common.resolve().parent if common is not None else root.resolve()


def _origin(common: Path | None) -> str | None:
    if common is None:
        return None
    try:
        found = _ORIGIN.search((common / "config").read_text("utf-8", "replace"))
    except OSError:
        return None
    if found is None:
        return None
    address = _ADDRESS.match(found.group(1))
    return f"{address.group(1)}/{address.group(2)}".lower() if address else found.group(1)
