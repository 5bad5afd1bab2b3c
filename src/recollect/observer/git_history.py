"""Reads commits from git, to learn which files change together.

Only file names and times of the newest commits are read. A folder without git has no commits.
"""

import re
import subprocess
from collections.abc import Iterator
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

Commit = tuple[str, datetime, tuple[str, ...]]


def commits_of(root: Path, limit: int = COMMITS) -> list[Commit]:
    """The newest commits of a repository, oldest first."""
    try:
        answer = git.run(
            root,
            "-c",
            "core.quotePath=false",
            "log",
            f"--max-count={limit}",
            "--no-merges",
            *git.PLAIN,
            "--name-only",
            f"--format={_MARK}%H %cI",
            git.END,
            "--",
            seconds=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput(f"Git did not answer: {error}.", hint="Is git installed?") from error
    if answer.returncode:
        said = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InvalidInput(f"{str(root)!r} has no history: {said[0] if said else 'git failed'}.")
    return list(_commits(answer.stdout.decode("utf-8", "replace")))[::-1]


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
