"""What changes together: pairs of files from git's history, with what says nothing left out.

Commits of very many files, and files that nobody writes, tell nothing. A renamed file keeps its
history under its new name. A pair weighs more the smaller the commits it shares.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from recollect.codegraph import git

COMMITS: Final = 5_000
LARGEST: Final = 30
LEAST: Final = 2
_KEPT: Final = 30
_MARK: Final = "\x1e"
_BRACES: Final = re.compile(r"\{([^{}]*) => ([^{}]*)\}")


class Together(NamedTuple):
    """Two files, how much they belong together (0 to 1), and in how many commits."""

    first: str
    second: str
    weight: float
    commits: int


def commits_of(root: Path, limit: int = COMMITS, until: str = "HEAD") -> list[list[str]]:
    """The files of each commit, newest first, under the names they have now."""
    told = git.ask(
        root,
        "-c",
        "core.quotePath=false",
        "log",
        until,
        f"--max-count={limit}",
        "--no-merges",
        "-M",
        "--numstat",
        f"--format={_MARK}%H",
    )
    if not told:
        return []
    renamed: dict[str, str] = {}
    found = []
    for part in told.split(_MARK)[1:]:
        files = []
        for line in part.split("\n")[1:]:
            columns = line.split("\t")
            if len(columns) != 3:
                continue
            old, new = _renamed(columns[2])
            now = renamed.get(new, new)
            if old != new:
                renamed[old] = now
            files.append(now)
        found.append(files)
    return found


def worth_reading(root: Path, last: str | None) -> bool:
    """Whether enough was committed since a commit that what changes together may be different.

    Commits that are a hundredth of those weighed move no weight by much; history that was written
    anew, or that is not known, is always read.
    """
    told = git.ask(root, "rev-list", "--count", "--left-right", f"{last}...HEAD") if last else None
    every = git.ask(root, "rev-list", "--count", f"--max-count={COMMITS}", "HEAD")
    counted = (told or "").split()
    if len(counted) != 2 or not every:
        return True
    gone, fresh = map(int, counted)
    return bool(gone) or fresh * 100 >= int(every)


def _renamed(path: str) -> tuple[str, str]:
    """The two names that numstat tells of a rename; the same twice for any other file."""
    if " => " not in path:
        return path, path
    if "{" in path:
        old = _BRACES.sub(lambda found: found[1], path).replace("//", "/")
        return old, _BRACES.sub(lambda found: found[2], path).replace("//", "/")
    old, _, new = path.partition(" => ")
    return old, new


def together(commits: Collection[Collection[str]], known: Collection[str]) -> list[Together]:
    """Pairs of known files that commits share."""
    alone: dict[str, float] = defaultdict(float)
    pairs: dict[tuple[str, str], float] = defaultdict(float)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    known = set(known)
    for files in commits:
        listed = sorted(set(files) & known)
        if not listed or len(files) > LARGEST:
            continue
        weight = 1.0 / max(1, len(listed) - 1)
        for place, first in enumerate(listed):
            alone[first] += 1.0
            for second in listed[place + 1 :]:
                pairs[first, second] += weight
                counts[first, second] += 1
    found = [
        Together(first, second, min(1.0, weight / (alone[first] * alone[second]) ** 0.5), count)
        for (first, second), weight in pairs.items()
        if (count := counts[first, second]) >= LEAST
    ]
    found.sort(key=lambda one: (-one.weight, one.first, one.second))
    held: dict[str, int] = defaultdict(int)
    kept = []
    for one in found:
        if held[one.first] < _KEPT or held[one.second] < _KEPT:
            held[one.first] += 1
            held[one.second] += 1
            kept.append(one)
    return sorted(kept)
