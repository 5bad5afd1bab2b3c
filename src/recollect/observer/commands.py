"""Normalises and classifies shell commands: plain form, steps, checks, tests and commits."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

SHELLS: Final = frozenset(
    {"Bash", "exec_command", "shell", "local_shell", "execute_bash", "terminal"}
)
_CD: Final = re.compile(r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*)+")
_PLUMBING: Final = re.compile(r"\s?(?:2>&1|2?>\s?/dev/null|\|\s?(?:tail|head|less|cat)\b[^|&;]*)")
_ASSIGNED: Final = re.compile(r"^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+")
_NAME: Final = re.compile(r"(?:^|\s)([A-Z_][A-Z0-9_]*)=")
_SPACE: Final = re.compile(r"\s+")
_ELSEWHERE: Final = re.compile(
    r"(?:^|[\s\"'=(])(?:/(?:Users|home|root|tmp|private|var|mnt)/|~/|[A-Z]:\\)"
)
#: Commands that only inspect; they are not steps of a recipe.
LOOKING: Final = frozenset(
    "ls cat cd echo head tail grep rg find sed awk wc pwd which type file stat tree sort uniq diff "
    "sleep true jq export set printf mkdir touch cp mv rm chmod man env date xxd less more test "
    "python python3 node for if while read source . eval".split()
)
_GIT_LOOKING: Final = frozenset(
    "status diff log show branch remote stash rev-parse blame ls-files config reflog fetch "
    "cat-file ls-tree worktree for-each-ref describe".split()
)
_TESTING: Final = re.compile(
    r"\b(?:go test|pytest|npm (?:run )?test|yarn test|pnpm test|cargo test|mvn test|gradle test|"
    r"make test\S*|mise run test\S*|jest|vitest|tox|rspec|phpunit|dotnet test|ctest)\b"
)
_QUOTED: Final = re.compile(r"\"[^\"]{0,2000}\"|'[^']{0,2000}'")
_PARTS: Final = re.compile(r"&&|\|\||;|\|")
#: First line of a commit message, given as an argument or as a here-document.
_COMMIT: Final = re.compile(
    r"\bgit (?:-\S{1,80} \S{1,200} )?commit\b[^\n]{0,120}?(?:-\w{0,5}m|--message)[ =]?"
    r"(?:[\"']?\$\(cat <<-?\s?['\"]?\w{1,20}['\"]?\s?\n\s{0,20}|[\"'])"
    r"([^\n\"']{8,160})([^\"]{0,1200})"
)
_TRAILER: Final = re.compile(r"^(?:[A-Z][\w-]{1,40}: |🤖|EOF\b)")
_PUT_BACK: Final = re.compile(r"\bgit (?:revert|restore(?! --staged)|checkout (?:HEAD )?--)(?=\s)")
#: A command that throws away all that was not committed, and some commits besides.
_RESET: Final = re.compile(
    r"\bgit (?:-C \S{1,200} )?reset --hard(?: (?:HEAD(?:(\^+)|~(\d{0,2}))?|([0-9a-f]{7,40}))"
    r"(?=\s|$|[;&|]))?(?! ?[\w@{])"
)
_MOVING_COMMITS: Final = re.compile(
    r"\bgit (?:-C \S{1,200} )?(?:rebase|merge|cherry-pick|pull|reset --soft|"
    r"commit\b[^\n]{0,80}--amend)\b"
)
_ALL_PUT_BACK: Final = re.compile(r"\bgit (?:restore|checkout)(?: HEAD)?(?: --)? \.(?=\s|$|[;&|])")
#: Files that are put back by their names.
_FILES_PUT_BACK: Final = re.compile(
    r"\bgit (?:restore(?! --staged)|checkout (?:HEAD )?--)"
    r"((?: (?![-&|;>]|\d>)[^\s&|;]{1,300}){1,20})"
)
_CHECKING: Final = re.compile(
    r"\b(?:tests?|lint|build|vet|check|typecheck|fmt|compile|pytest|mypy|ruff|eslint|tsc|jest|vitest|"
    r"golangci-lint|clippy|tox|rspec|phpunit|ctest|verify)\b"
)

_KINDS: Final = {
    "test": re.compile(r"\b(?:tests?|pytest|jest|vitest|tox|rspec|phpunit|ctest)\b"),
    "lint": re.compile(r"\b(?:lint|golangci-lint|eslint|ruff|clippy)\b"),
    "build": re.compile(r"\b(?:build|compile|tsc|vet|typecheck)\b"),
}
#: Kinds of checks that a success proves: passing tests imply a successful build.
_PROVES: Final = {"test": ("test", "build"), "lint": ("lint",), "build": ("build",)}


def plain(command: str) -> str:
    """The command on one line, without directory changes, assignments and pipe plumbing."""
    first = command[:2_000]
    bare = _PLUMBING.sub("", _ASSIGNED.sub("", _CD.sub("", first)))
    return _SPACE.sub(" ", bare).strip()


def without_plumbing(command: str) -> str:
    """The command on one line as it was called, without what only shortens or hides its output."""
    return _SPACE.sub(" ", _PLUMBING.sub("", command[:2_000])).strip()


def assigned(command: str) -> tuple[str, ...]:
    """Names of the environment variables that a command is given before its program."""
    found = _ASSIGNED.match(_CD.sub("", command[:2_000]))
    return tuple(_NAME.findall(found[0])) if found else ()


def head(command: str) -> str:
    """Program and subcommand: enough to recognise the same step again."""
    words = plain(command).split(" ")
    kept: list[str] = []
    for word in words:
        if word.startswith("-") or word in {"&&", "||", "|", ";"}:
            break
        kept.append(word)
        if len(kept) == 3 or (len(kept) == 2 and kept[0] not in _THREE):
            break
    return " ".join(kept)


def is_step(command: str) -> bool:
    """Whether a command is a step of a workflow."""
    words = head(command).split(" ")
    if not words[0] or words[0] in LOOKING or "/" in words[0] or len(words[0]) > 30:
        return False
    return not (words[0] == "git" and (len(words) < 2 or words[1] in _GIT_LOOKING))


def is_elsewhere(command: str) -> bool:
    """Whether a command names paths that exist on one machine only."""
    return _ELSEWHERE.search(command) is not None


#: Line that git prints for a commit: "[main 1f2e3d4] The subject".
_MADE: Final = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ", re.M)


class CheckRun(NamedTuple):
    """One check run by a command: its program, and its target files or folders."""

    name: str
    targets: frozenset[str]

    @property
    def kind(self) -> str:
        """Kind of check: tests, style or the build; empty for everything else."""
        return next((kind for kind, words in _KINDS.items() if words.search(self.name)), "")

    def settles(self, failed: "CheckRun") -> bool:
        """Whether the success of this check shows that a failed one passes now: the same check, run
        on everything or on an overlapping target; or a run on everything that proves the failed
        kind."""
        if self.name != failed.name:
            return not self.targets and failed.kind in _PROVES.get(self.kind, ())
        return (
            not self.targets
            or not failed.targets
            or any(_within(mine, theirs) for mine in self.targets for theirs in failed.targets)
        )


def checks(command: str) -> list[CheckRun]:
    """Checks that a command runs, ignoring quoted text and here-documents."""
    bare = _QUOTED.sub(" ", command[:2_000].partition("<<")[0])
    parts = [part.strip() for part in _PARTS.split(bare)]
    return [_check(part) for part in parts if is_check(part) and is_step(part)]


def settled(ran: Sequence[CheckRun], failed: str) -> bool:
    """Whether successful checks settle a failed command."""
    return any(check.settles(other) for other in checks(failed) for check in ran)


def _check(part: str) -> CheckRun:
    words = [word for word in plain(part).split(" ")[1:] if not word.startswith("-")]
    paths = (word for word in words if "/" in word or "." in word)
    targets = (word.removeprefix("./").removesuffix("...").strip("/") for word in paths)
    named = frozenset(filter(None, targets))
    start = head(part).split(" ")
    start = start[:1] if _CHECKING.fullmatch(start[0]) else start
    name = " ".join(word for word in start if "/" not in word and "." not in word)
    everything = any(word in {"./...", ".", "..."} for word in words)
    return CheckRun(name, frozenset() if everything else named)


def _within(one: str, other: str) -> bool:
    """Whether two paths are equal or one contains the other."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def commit_message(command: str) -> tuple[str, str]:
    """First line and remainder of the commit message in a command; empty without a commit."""
    found = _COMMIT.search(command[:3_000]) if "commit" in command else None
    if found is None:
        return "", ""
    lines = [line.strip() for line in found.group(2).splitlines()]
    end = next((place for place, line in enumerate(lines) if _TRAILER.match(line)), len(lines))
    return found.group(1).strip(), " ".join(line for line in lines[:end] if line)


def commit_made(command: object, printed: str) -> str | None:
    """Hash of the commit that a command made, as printed by git."""
    if not isinstance(command, str) or "commit" not in command:
        return None
    found = _MADE.search(printed[:3_000])
    return found.group(1) if found else None


def puts_back(command: str) -> bool:
    """Whether a command reverts changes."""
    return _PUT_BACK.search(command[:2_000]) is not None


class Discarded(NamedTuple):
    """What a command throws away: files, or all that was not committed and some commits."""

    files: tuple[str, ...] = ()
    #: Number of commits besides, or the hash of the commit that is gone back to.
    commits: int = 0
    back_to: str = ""


def discarded(command: str) -> Discarded | None:
    """What a command throws away of earlier work; None if nothing, or of a folder elsewhere."""
    first = command[:2_000]
    if "git" not in first or is_elsewhere(first):
        return None
    bare = _QUOTED.sub(" ", first.partition("<<")[0])
    reset = _RESET.search(bare)
    if reset is not None:
        marks, count, named = reset.groups()
        if named is not None:
            return Discarded(back_to=named)
        back = len(marks) if marks else int(count or 1) if count is not None else 0
        return Discarded(commits=back)
    if _ALL_PUT_BACK.search(bare):
        return Discarded()
    files = _FILES_PUT_BACK.search(bare)
    return Discarded(files=tuple(files.group(1).split())) if files is not None else None


def moves_commits(command: str) -> bool:
    """Whether a command rewrites or brings commits, after which a reset may mend its outcome."""
    return _MOVING_COMMITS.search(command[:2_000]) is not None


def is_check(command: str) -> bool:
    """Whether a command tests, lints, compiles or builds."""
    return _CHECKING.search(plain(command)) is not None


def is_test(command: str) -> bool:
    """Whether a command runs tests."""
    return _TESTING.search(command) is not None


def is_targeted(command: str) -> bool:
    """Whether a test command runs only some tests."""
    bare = plain(command)
    return (
        " -run" in bare or " -k " in bare or "::" in bare or re.search(r" \./\w", bare) is not None
    )


_THREE: Final = frozenset(
    {"mise", "npm", "yarn", "pnpm", "docker", "uv", "poetry", "make", "cargo"}
)
