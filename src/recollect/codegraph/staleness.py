"""Whether a memory may be out of date, in four layers, each with its reason.

Somebody said so; its half-life has passed; git shows that its files changed since its commit; a
file is newer than the memory by more than a month. A renamed file is followed to its new name.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from recollect.codegraph import git
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.text import is_commit

NEWER: Final = timedelta(days=30)


class Staleness(NamedTuple):
    """One memory's verdict: the layers that speak against it, and where its files are now."""

    memory_id: str
    stale: bool
    reasons: tuple[str, ...]
    renamed: dict[str, str]
    gone: tuple[str, ...]


def staleness_of(memory: Memory, root: Path, now: datetime) -> Staleness:
    """All four layers for one memory."""
    reasons = _by_itself(memory, now)
    commit = memory.provenance.commit
    renamed: dict[str, str] = {}
    changed: Sequence[str] = ()
    if commit and is_commit(commit) and memory.files:
        known = git.renames_since(root, commit)
        renamed = {path: known[path] for path in memory.files if path in known}
        differing = git.changed_since(root, commit)
        if differing is not None:
            changed = [
                path
                for path in memory.files
                if path in differing and not _only_moved(root, commit, path, renamed.get(path))
            ]
            if changed:
                reasons.append(f"changed since its commit: {', '.join(changed)}")
    gone = []
    for path in memory.files:
        at = root / renamed.get(path, path)
        try:
            written = datetime.fromtimestamp(at.lstat().st_mtime, UTC)
        except OSError:
            gone.append(path)
            continue
        if written - memory.created_at > NEWER and path not in changed:
            reasons.append(f"{path} is newer by {(written - memory.created_at).days} days")
    if gone:
        reasons.append(f"gone: {', '.join(gone)}")
    return Staleness(memory.id, bool(reasons), tuple(reasons), renamed, tuple(gone))


def _by_itself(memory: Memory, now: datetime) -> list[str]:
    """The layers that need no look at the code."""
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
