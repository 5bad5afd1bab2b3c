"""When the history of a project is read again."""

import subprocess
from pathlib import Path

import pytest

from recollect.codegraph.history import worth_reading
from tests.codegraph.projects import git


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of 150 commits, and a branch that left it long ago."""
    folder = tmp_path_factory.mktemp("project")
    git(folder, "init", "--quiet", "-b", "main")
    told = ["reset refs/heads/main\n"]
    for number in range(1, 151):
        who = f"committer A <a@example.org> {1_700_000_000 + number} +0000\n"
        told.append(f"commit refs/heads/main\nmark :{number}\n{who}data 2\nx\n\n")
    who = "committer A <a@example.org> 1700000999 +0000\n"
    told.append(f"commit refs/heads/other\n{who}data 2\ny\nfrom :50\n\n")
    command = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(command, input="".join(told).encode(), check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("last", "worth"),
    [
        ("HEAD~1", False),
        ("HEAD~2", True),
        ("other", True),
        ("0" * 40, True),
        (None, True),
    ],
)
def test_few_new_commits_are_not_worth_reading_all(root: Path, last: str, *, worth: bool) -> None:
    assert worth_reading(root, last) is worth
