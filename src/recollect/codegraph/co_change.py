"""Files that change together: weighted pairs from git's history.

Very large commits and generated files are ignored, because they carry no information. A renamed
file keeps its history under its new name. A pair weighs more the smaller the commits it shares.
Sums over commits are stored, so only new commits are read and added.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from recollect.codegraph import git
from recollect.codegraph.file_finder import role_of
from recollect.codegraph.run import Run
from recollect.storage.code import graph, history
from recollect.storage.code.history import Sums
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise
from recollect.trust.secrets import redacted
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.code import FileRole

COMMITS: Final = 5_000
LARGEST: Final = 30
LEAST_COMMITS: Final = 2
_KEPT: Final = 30
#: History is read afresh when the stored sums cover far more commits than a fresh reading would.
_TOO_MANY: Final = 2 * COMMITS
_MARK: Final = "\x1e"
_BRACES: Final = re.compile(r"\{([^{}]*) => ([^{}]*)\}")
_WRITTEN: Final = frozenset({FileRole.CODE, FileRole.TEST})


class CoChangedPair(NamedTuple):
    """Two files, the strength of their link (0 to 1), and the number of common commits."""

    first: str
    second: str
    weight: float
    commits: int


class Commits(NamedTuple):
    """The files of each commit, newest first, under the names they have after the last commit."""

    files: Sequence[Sequence[str]]
    #: Names of files before the first of these commits, with their current names.
    renamed: Mapping[str, str]


def commits_of(root: Path, since: str | None = None, limit: int = COMMITS) -> Commits:
    """The commits up to the one checked out; if another commit is given, only those after it."""
    log_text = git.ask(
        root,
        "-c",
        "core.quotePath=false",
        "log",
        f"--max-count={limit}",
        "--no-merges",
        "--topo-order",
        *git.PLAIN,
        "-M",
        "--numstat",
        f"--format={_MARK}%H",
        git.END,
        f"{since}..HEAD" if since else "HEAD",
        "--",
    )
    renamed: dict[str, str] = {}
    found = []
    for part in (log_text or "").split(_MARK)[1:]:
        files = []
        for line in part.split("\n")[1:]:
            columns = line.split("\t")
            if len(columns) != 3:
                continue
            old, new = _renamed(columns[2])
            now = renamed.get(new, new)
            if old != new:
                renamed[old] = now
            if redacted(now) is now:
                files.append(now)
        found.append(files)
    return Commits(found, renamed)


class HistoryUpdate(NamedTuple):
    """The current sums, the number of commits in them, and how many were read for this update."""

    sums: Sums
    weighed: int
    commits: int


def read_new_commits(root: Path, sums: Sums, last: str | None, weighed: int) -> HistoryUpdate:
    """Continue from the sums up to a commit, or start afresh.

    New commits can be added unless the history was rewritten or is unknown, the sums cover far more
    commits than a fresh reading would, or a rename makes another history count.
    """
    if last and 0 < weighed < _TOO_MANY and git.is_ancestor(root, last, "HEAD"):
        commits = commits_of(root, last)
        if len(commits.files) < COMMITS and _only_renamed(sums, commits.renamed):
            count = len(commits.files)
            return HistoryUpdate(with_commits(sums, commits), weighed + count, count)
    commits = commits_of(root)
    return HistoryUpdate(with_commits({}, commits), len(commits.files), len(commits.files))


def _only_renamed(sums: Sums, renamed: Mapping[str, str]) -> bool:
    """Whether renames leave the counted files distinct, and the same files are counted."""
    names = {first for first, second in sums if first == second}
    now = {renamed.get(name, name) for name in names}
    written = all(_written(old) == _written(new) for old, new in renamed.items())
    return written and len(now) == len(names)


def _written(path: str) -> bool:
    return role_of(path) in _WRITTEN


def _renamed(path: str) -> tuple[str, str]:
    """Old and new name of a rename in numstat; the same name twice for any other file."""
    if " => " not in path:
        return path, path
    if "{" in path:
        old = _BRACES.sub(lambda found: found[1], path).replace("//", "/")
        return old, _BRACES.sub(lambda found: found[2], path).replace("//", "/")
    old, _, new = path.partition(" => ")
    return old, new


def with_commits(sums: Sums, commits: Commits) -> Sums:
    """The sums with later commits added."""
    found: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0])
    renamed = commits.renamed
    for (first, second), (weight, count) in sums.items():
        pair = sorted((renamed.get(first, first), renamed.get(second, second)))
        found[pair[0], pair[1]] = [weight, count]
    for files in commits.files:
        if len(files) > LARGEST:
            continue
        listed = sorted({path for path in files if _written(path)})
        weight = 1.0 / max(1, len(listed) - 1)
        for place, first in enumerate(listed):
            for second in listed[place:]:
                found[first, second][0] += weight if first != second else 1.0
                found[first, second][1] += 1
    return {pair: (weight, int(count)) for pair, (weight, count) in found.items()}


def co_changed_pairs(sums: Sums) -> list[CoChangedPair]:
    """Pairs of files that share several commits, the strongest of each file."""
    found = []
    for (first, second), (weight, count) in sums.items():
        if first != second and count >= LEAST_COMMITS:
            alone = sums.get((first, first), (1.0, 1))[0] * sums.get((second, second), (1.0, 1))[0]
            found.append(CoChangedPair(first, second, min(1.0, weight / alone**0.5), count))
    found.sort(key=lambda one: (-one.weight, one.first, one.second))
    held: dict[str, int] = defaultdict(int)
    kept = []
    for one in found:
        if held[one.first] < _KEPT or held[one.second] < _KEPT:
            held[one.first] += 1
            held[one.second] += 1
            kept.append(one)
    return sorted(kept)


def weigh_history(database: Database, clock: Clock, run: Run) -> None:
    """Weigh the files that change together, if there are new commits."""
    head = git.head(run.root)
    with database.reading() as transaction:
        access = authorise(transaction, run.viewer, run.space)
        index = graph.get_index(transaction, access)
        if head is None or index is None or index.history_sha == head:
            return
        old = history.sums(transaction, access)
    read = read_new_commits(run.root, old, index.history_sha, graph.commits_summed(index))

    def work(transaction: Transaction) -> None:
        access = authorise(transaction, run.viewer, run.space)
        now = graph.get_index(transaction, access)
        if now is None or now.history_sha != index.history_sha:
            return  # somebody else has read it meanwhile
        history.replace_sums(transaction, run.space.id, old, read.sums)
        version = graph.touch_index(
            transaction,
            run.space.id,
            clock(),
            touched=(),
            weighed=read.weighed,
            history_sha=head,
        )
        run.version = version if run.version and version == run.version + 1 else None

    database.write(work)
    run.commits = read.commits
