"""Runs git on a folder safely; a folder that is no repository, or a missing git, is no error.

A repository is somebody else's work: programs in its configuration are never run. Monitors, hooks,
filters, and programs for differences, signatures and fetching are switched off for every call, and
git's environment variables are not passed on. Git's own rule about the owner of the folder
(``safe.directory``) still applies.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from recollect.vocabulary.arguments import is_commit

_SECONDS: Final = 120
#: Settings that run a program, with their value for each call.
_QUIET: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "log.showSignature=false",
    "gpg.program=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "uploadpack.packObjectsHook=",
)
#: Settings that name a program for a kind of file; each such name is switched off.
_NAMED: Final = r"^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv))$"
#: Environment variables that git may still see: the location of the user's own configuration.
_KEPT: Final = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
#: Options of every comparison: no external program, and no look into nested repositories.
PLAIN: Final = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--ignore-submodules=dirty",
)
END: Final = "--end-of-options"


def run(
    root: Path, *words: str, standard_input: bytes | None = None, seconds: float = _SECONDS
) -> "subprocess.CompletedProcess[bytes]":
    """Run git on a folder. Every call of git goes through here."""
    return _run(root, _programs(root, seconds), words, standard_input, seconds)


def _programs(root: Path, seconds: float) -> list[str]:
    """The settings of this repository that name programs for kinds of files."""
    asked = ("config", "--null", "--name-only", "--get-regexp", _NAMED)
    listed = _run(root, (), asked, None, seconds).stdout
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})


def _run(
    root: Path,
    programs: Sequence[str],
    words: Sequence[str],
    standard_input: bytes | None,
    seconds: float,
) -> "subprocess.CompletedProcess[bytes]":
    off = {name: "false" if name.endswith(".required") else "" for name in programs}
    plain = [f"{name}={value}" for name, value in off.items() if "=" not in name]
    settings = [word for one in (*_QUIET, *plain) for word in ("-c", one)]
    return subprocess.run(
        ["git", "--no-pager", "-C", str(root), *settings, *words],
        capture_output=True,
        check=False,
        timeout=seconds,
        env=_environment({name: value for name, value in off.items() if "=" in name}),
        input=b"" if standard_input is None else standard_input,
    )


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Our environment without git's variables: programs, other folders, settings. It carries the
    given settings whose names cannot stand on a command line."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    for number, (name, value) in enumerate(settings.items()):
        ours |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {
        **ours,
        "GIT_CONFIG_COUNT": str(len(settings)),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def ask(root: Path, *words: str) -> str | None:
    """Output of git; None when git fails or is not installed."""
    try:
        done = run(root, *words)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")


def head(root: Path) -> str | None:
    """The checked-out commit."""
    standard_input = ask(root, "rev-parse", "--verify", "--quiet", END, "HEAD")
    return standard_input.strip() if standard_input else None


def identity(root: Path) -> str | None:
    """Name shared by all clones and worktrees of a repository: its first commit."""
    standard_input = ask(root, "rev-list", "--max-parents=0", END, "HEAD")
    first = sorted(standard_input.split()) if standard_input else []
    return first[0] if first else None


def is_ancestor(root: Path, old: str, new: str) -> bool:
    """Whether one commit is an ancestor of another."""
    return ask(root, "merge-base", "--is-ancestor", END, old, new) is not None


def knows(root: Path, revision: str) -> bool:
    """Whether git knows a commit of this name."""
    return ask(root, "rev-parse", "--verify", "--quiet", END, f"{revision}^0") is not None


def changed_lines(root: Path, revision: str) -> dict[str, list[tuple[int, int]]]:
    """Files and lines that differ between a revision and now, with the current line numbers."""
    standard_input = ask(root, "diff", "--unified=0", *PLAIN, "-M", END, revision, "--") or ""
    found: dict[str, list[tuple[int, int]]] = {}
    path = ""
    for line in standard_input.splitlines():
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
    """Files renamed between a commit and now: the old path and the new one."""
    if not is_commit(commit):
        return {}
    standard_input = ask(
        root, "diff", "--name-status", *PLAIN, "-M", "--diff-filter=R", "-z", END, commit, "--"
    )
    parts = (standard_input or "").split("\0")
    return {
        parts[place + 1]: parts[place + 2]
        for place in range(0, len(parts) - 2, 3)
        if parts[place].startswith("R")
    }


def changed_since(root: Path, commit: str) -> set[str] | None:
    """Files that differ between a commit and now; None when the commit is unknown."""
    if not is_commit(commit):
        return None
    standard_input = ask(
        root, "diff", "--name-only", *PLAIN, "--no-renames", "-z", END, commit, "--"
    )
    return None if standard_input is None else {path for path in standard_input.split("\0") if path}
