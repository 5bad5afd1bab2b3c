"""Asks git about a folder; a folder that git does not know, or no git, is no error."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_SECONDS: Final = 120


def ask(root: Path, *words: str) -> str | None:
    """What git says; None when it says no, or is not there."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")


def head(root: Path) -> str | None:
    """The commit that is checked out."""
    told = ask(root, "rev-parse", "HEAD")
    return told.strip() if told else None


def identity(root: Path) -> str | None:
    """A name that all clones and worktrees of a repository share: its first commit."""
    told = ask(root, "rev-list", "--max-parents=0", "HEAD")
    first = sorted(told.split()) if told else []
    return first[0] if first else None


def is_ancestor(root: Path, old: str, new: str) -> bool:
    """Whether one commit leads to another."""
    return ask(root, "merge-base", "--is-ancestor", old, new) is not None


def changed_lines(root: Path, words: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """The files and lines that a diff touches, as they are numbered now."""
    told = ask(root, "diff", "--unified=0", "--no-color", "--no-ext-diff", "-M", *words) or ""
    found: dict[str, list[tuple[int, int]]] = {}
    path = ""
    for line in told.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else path
        elif line.startswith("--- a/"):
            path = line[6:]
        elif line.startswith("@@ ") and path:
            span = line.split("+")[1].split(" ")[0]
            start, _, count = span.partition(",")
            first, many = int(start), int(count or 1)
            found.setdefault(path, []).append((max(first, 1), first + max(many, 1) - 1))
    return found


def renames_since(root: Path, commit: str) -> dict[str, str]:
    """Files that were renamed between a commit and now: the old path and the new one."""
    told = ask(root, "diff", "--name-status", "-M", "--diff-filter=R", "-z", commit)
    parts = (told or "").split("\0")
    return {
        parts[place + 1]: parts[place + 2]
        for place in range(0, len(parts) - 2, 3)
        if parts[place].startswith("R")
    }


def changed_since(root: Path, commit: str) -> set[str] | None:
    """The files that differ between a commit and now; None when the commit is not known."""
    told = ask(root, "diff", "--name-only", "--no-renames", "-z", commit)
    return None if told is None else {path for path in told.split("\0") if path}
