"""Reads commits from git: files that change together, and messages with who wrote them.

Only the newest commits are read. A folder without git has no commits.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from recollect.codegraph import git
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput

COMMITS: Final = 2_000
_SECONDS: Final = 60
_MARK: Final = "\x1e"
_SHA: Final = re.compile(r"[0-9a-f]{7,64}")

_FIELD: Final = "\x1f"
_MESSAGE_FIELDS: Final = ("%H", "%ae", "%ce", "%B")
#: Address with which GitHub commits what its web site merges.
_WEB: Final = "noreply@github.com"

Commit = tuple[str, datetime, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit's message; ``is_own`` says that whoever reads it wrote it, by git's address."""

    sha: str
    at: datetime
    files: tuple[str, ...]
    message: str
    is_own: bool


def commits_of(root: Path, limit: int = COMMITS) -> list[Commit]:
    """The newest commits of a repository, oldest first."""
    return list(_commits(_log(root, limit, "--name-only", f"--format={_MARK}%H %cI")))[::-1]


def messages_of(root: Path, commits: Sequence[Commit]) -> list[CommitMessage]:
    """The messages of the newest commits, oldest first, with the files that each touched."""
    touched = {sha: (at, paths) for sha, at, paths in commits}
    mine = (git.ask(root, "config", "--get", "user.email") or "").strip().lower()
    text = _log(root, max(1, len(commits)), "-z", f"--format={_FIELD.join(_MESSAGE_FIELDS)}")
    found: list[CommitMessage] = []
    for block in text.split("\0"):
        parts = block.split(_FIELD, len(_MESSAGE_FIELDS) - 1)
        if len(parts) < len(_MESSAGE_FIELDS) or parts[0] not in touched:
            continue
        sha, author, committer, message = parts
        at, paths = touched[sha]
        written_here = author.lower() == mine and committer.lower() in {mine, _WEB}
        found.append(CommitMessage(sha, at, paths, message, is_own=bool(mine) and written_here))
    return found[::-1]


def _log(root: Path, limit: int, *how: str) -> str:
    """What ``git log`` prints of the newest commits that merge nothing."""
    try:
        answer = git.run(
            root,
            "-c",
            "core.quotePath=false",
            "log",
            f"--max-count={limit}",
            "--no-merges",
            *git.PLAIN,
            *how,
            git.END,
            "--",
            seconds=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"Git did not answer: {error}.", hint="Is git installed?") from error
    if answer.returncode:
        said = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InvalidInput(f"{str(root)!r} has no history: {said[0] if said else 'git failed'}.")
    return answer.stdout.decode("utf-8", "replace")


def _commits(text: str) -> Iterator[Commit]:
    for block in text.split(_MARK):
        lines = [line for line in block.splitlines() if line]
        if not lines:
            continue
        sha, _, time = lines[0].partition(" ")
        if _SHA.fullmatch(sha) is None:
            continue
        try:
            at = aware(datetime.fromisoformat(time))
        except ValueError:
            continue
        yield sha, at, tuple(lines[1:])
