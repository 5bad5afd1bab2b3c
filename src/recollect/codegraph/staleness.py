"""Staleness of a memory about code, in four layers, each with its reason.

The layers: somebody said so; its half-life has passed; git shows that its files changed since its
commit; a file is newer than the memory by more than a month. A renamed file is followed to its new
name. For a memory that a person confirmed, the time of the confirmation counts.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Final

from recollect.codegraph import git
from recollect.vocabulary.arguments import is_commit
from recollect.vocabulary.code import Staleness
from recollect.vocabulary.memory import Memory

NEWER: Final = timedelta(days=30)
#: Highest factor by which a memory fades faster than others.
MAX_VOLATILE: Final = 3.0


class Repository:
    """Answers of git about a folder, with each commit looked up once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, tuple[dict[str, str], set[str] | None]] = {}

    def since(self, commit: str) -> tuple[dict[str, str], set[str] | None]:
        """Renames and differences since a commit; None when that is unknown."""
        if commit not in self._known:
            self._known[commit] = (
                git.renames_since(self.root, commit),
                git.changed_since(self.root, commit),
            )
        return self._known[commit]


def staleness_of(memory: Memory, repository: Repository, now: datetime) -> Staleness:
    """All four layers for one memory."""
    root = repository.root
    reasons = _by_itself(memory, now)
    seen = memory.updated_at if memory.user_verified else memory.created_at
    renamed, changed = _changed(memory, repository)
    written = {path: _written(root / renamed.get(path, path)) for path in memory.files}
    gone = [path for path, at in written.items() if at is None]
    if memory.user_verified:
        changed = [path for path in changed if (written[path] or now) > seen]
    if changed:
        reasons.append(f"changed since its commit: {', '.join(changed)}")
    newest = 0
    for path, at in written.items():
        if at is not None and at - seen > NEWER:  # asks for review, changed in git or not
            newest = max(newest, (at - seen).days)
            reasons.append(f"{path} is newer by {(at - seen).days} days")
    if gone:
        reasons.append(f"gone: {', '.join(gone)}")
    moved_on = len({*changed, *gone}) / max(len(memory.files), 1)
    return Staleness(
        memory.id, bool(reasons), tuple(reasons), renamed, tuple(gone), moved_on, newest
    )


def volatility_of(files: Sequence[str], commits: Mapping[str, int]) -> float:
    """Logarithm of the change rate of these files relative to the usual file; at least one."""
    known = [commits[path] for path in files if path in commits]
    if not known:
        return 1.0
    usual = max(fmean(commits.values()), 1.0)
    return min(max(1.0, 1.0 + math.log2(fmean(known) / usual)), MAX_VOLATILE)


def _changed(memory: Memory, repository: Repository) -> tuple[dict[str, str], list[str]]:
    """Files of a memory that have other names now, and files that changed since its commit."""
    commit = memory.provenance.commit
    if not commit or not is_commit(commit) or not memory.files:
        return {}, []
    known, differing = repository.since(commit)
    renamed = {path: known[path] for path in memory.files if path in known}
    return renamed, [
        path
        for path in memory.files
        if path in (differing or ())
        and not _only_moved(repository.root, commit, path, renamed.get(path))
    ]


def _written(place: Path) -> datetime | None:
    """Modification time of a file; None when it is gone."""
    try:
        return datetime.fromtimestamp(place.lstat().st_mtime, UTC)
    except OSError:
        return None


def _by_itself(memory: Memory, now: datetime) -> list[str]:
    """The layers that do not need the code."""
    reasons = [] if memory.stale_at is None else ["marked as stale"]
    if memory.half_life_days and not memory.pinned:
        touched = memory.last_accessed_at or memory.created_at
        age = (now - touched).total_seconds() / 86_400
        if age > memory.half_life_days:
            reasons.append(f"unused for {age:.0f} days; its half-life is {memory.half_life_days:g}")
    return reasons


def _only_moved(root: Path, commit: str, old: str, new: str | None) -> bool:
    """Whether a file has another name and the same content."""
    if new is None:
        return False
    before = git.ask(root, "rev-parse", "--verify", "--quiet", git.END, f"{commit}:{old}")
    after = git.ask(root, "hash-object", "--", new)
    return before is not None and before == after
