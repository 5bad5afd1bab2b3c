"""Git is asked and never made to do anything, whatever a memory or a repository says."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

import recollect
from recollect.codegraph import git
from recollect.codegraph.co_change import commits_of
from recollect.codegraph.file_finder import shown_by_git
from recollect.engine import Recollect
from recollect.observer import git_history
from recollect.vocabulary.errors import InvalidInput, InvalidText
from tests.codegraph.projects import SHOP, commit, write
from tests.codegraph.projects import git as told

HOSTILE = ("--output={}", "-O{}", "--ext-diff", "HEAD", "main", "abc", "--no-index", "x" * 70)


def test_a_memory_s_commit_is_hexadecimal(memory: Recollect, tmp_path: Path) -> None:
    for written in HOSTILE:
        with pytest.raises(InvalidText, match="commit"):
            memory.remember("About tax.", commit=written.format(tmp_path / "made"))
    assert memory.list().items == ()
    assert memory.remember("About tax.", commit="DEADBEEF").provenance.commit == "deadbeef"


def test_a_bad_commit_of_an_export_is_left_out_and_named(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "old.db", embedder="none", worker=False) as memory:
        memory.remember("About tax.", commit="abcdef0")
        document = json.loads("".join(memory.export()))
    document["memories"][0]["provenance"]["commit"] = "--output=made"
    (tmp_path / "export.json").write_text(json.dumps(document))
    with recollect.open(tmp_path / "new.db", embedder="none", worker=False) as memory:
        report = memory.import_(tmp_path / "export.json")
        assert (report.added, report.skipped) == (1, 0)
        assert "its commit '--output=made' is none and was left out" in report.problems[0]
        assert memory.list().items[0].provenance.commit is None


def test_a_commit_that_an_older_version_let_in_writes_no_file(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    commit(root, "first")
    target = tmp_path / "precious"
    target.write_text("precious")
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        kept = memory.remember("About tax.", files=["shop/tax.py"], commit="abcdef0")
    with closing(sqlite3.connect(tmp_path / "m.db")) as file, file:  # as an older version could
        file.execute("UPDATE memories SET commit_sha = ?", (f"--output={target}",))
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        assert not memory.code.staleness(kept.id)[0].stale
        with pytest.raises(InvalidInput, match="git knows no commit"):
            memory.code.changed_since(f"--output={target}")
    assert target.read_text() == "precious"


def _ask_everything(root: Path, first: str) -> None:
    """Every call of git that there is."""
    git.head(root)
    git.identity(root)
    git.is_ancestor(root, first, "HEAD")
    git.knows(root, "HEAD")
    git.changed_lines(root, first)
    git.renames_since(root, first)
    git.changed_since(root, first)
    git.ask(root, "hash-object", "--", "shop/tax.py")
    commits_of(root)
    with suppress(InvalidInput):  # where objects are missing
        git_history.commits_of(root)
    shown_by_git(root, {"shop/tax.py"})


def _program(folder: Path) -> tuple[str, Path]:
    """A program that leaves a file behind, and passes on what it is given."""
    mark = folder / "it-ran"
    program = folder / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> "{mark}"\ncat\n')
    program.chmod(0o755)
    return str(program), mark


def _configured(*pairs: tuple[str, str]) -> Callable[[Path, str], None]:
    def configure(root: Path, program: str) -> None:
        for name, value in pairs:
            told(root, "config", name, value.format(program))

    return configure


def _hooks(root: Path, program: str) -> None:
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman", "post-checkout"):
        os.symlink(program, root / ".git/hooks" / name)


def _hooks_elsewhere(root: Path, program: str) -> None:
    _hooks(root, program)
    told(root, "config", "core.hooksPath", str(root / ".git/hooks"))


REPOSITORIES: dict[str, Callable[[Path, str], None]] = {
    "a monitor": _configured(("core.fsmonitor", "{}")),
    "hooks": _hooks,
    "hooks elsewhere": _hooks_elsewhere,
    "a program for differences": _configured(("diff.external", "{}")),
    "a program for differences of a kind": _configured(
        ("diff.evil.command", "{}"), ("diff.evil.textconv", "{}")
    ),
    "a filter": _configured(("filter.evil.clean", "{}"), ("filter.evil.smudge", "{}")),
    "a filter with a sign in its name": _configured(
        ("filter.ev=il.clean", "{}"), ("filter.evil.clean", "{}")
    ),
    "a filter that goes on": _configured(
        ("filter.evil.process", "{}"), ("filter.evil.required", "true")
    ),
    "a pager": _configured(("core.pager", "{}"), ("pager.log", "{}"), ("pager.diff", "{}")),
    "signatures": _configured(("log.showSignature", "true"), ("gpg.program", "{}")),
    "a way to fetch": _configured(
        ("remote.origin.url", "ext::{} %S"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", "{}"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("protocol.ext.allow", "always"),
        ("core.sshCommand", "{}"),
    ),
}


@pytest.mark.parametrize("kind", REPOSITORIES)
def test_nothing_that_a_repository_names_is_run(tmp_path: Path, kind: str) -> None:
    root = write(tmp_path / "shop", SHOP)
    first = commit(root, "first")
    program, mark = _program(tmp_path)
    write(root, {".gitattributes": "*.py diff=evil filter=evil\n*.md filter=ev=il\n"})
    REPOSITORIES[kind](root, program)
    for path in ("shop/tax.py", "README.md"):
        (root / path).write_text((root / path).read_text() + "\n# more\n")
    if kind == "a way to fetch":
        for found in (root / ".git/objects").glob("??/*"):
            if found.stat().st_size < 200 and not found.name.startswith(first[2:]):
                found.unlink()
    _ask_everything(root, first)
    assert not mark.exists(), mark.read_text()


def test_the_environment_tells_git_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "shop", SHOP)
    first = commit(root, "first")
    program, mark = _program(tmp_path)
    (root / "shop/tax.py").write_text("X = 1\n")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR"):
        monkeypatch.setenv(name, program)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    _ask_everything(root, first)
    assert git.changed_since(root, first) == {"shop/tax.py"}
    assert not mark.exists()


def test_what_git_says_is_still_understood(tmp_path: Path) -> None:
    """Settings of the repository do not change what is read."""
    root = write(tmp_path / "shop", SHOP)
    first = commit(root, "first")
    told(root, "config", "diff.noprefix", "true")
    told(root, "config", "diff.mnemonicPrefix", "true")
    (root / "shop/tax.py").write_text(SHOP["shop/tax.py"] + "\nX = 1\n")
    assert git.changed_lines(root, first) == {"shop/tax.py": [(6, 7)]}
