"""Decides whether a shell line runs the same as another one: the program, or the refused command.

A command that a user refused is run again by any line that holds the same program with the same
subcommand and all of the arguments that matter, whatever stands around it. More arguments do not
make it another one: who refused `git push origin main` refused `git push --force origin main`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from recollect.observer.shell_lines import ShellRun, runs

#: How many words name what a program does, where it is not one; none for programs whose words are
#: all of one kind.
_NAMING: Final = {
    "npm run": 2, "npm run-script": 2, "pnpm run": 2, "yarn run": 2, "bun run": 2, "deno task": 2,
    "docker compose": 2, "docker container": 2, "docker image": 2, "docker volume": 2,
    "docker system": 2, "docker network": 2, "podman compose": 2,
    "gh pr": 2, "gh issue": 2, "gh release": 2, "gh repo": 2, "gh workflow": 2, "gh run": 2,
    "gh api": 2, "uv pip": 2, "uv tool": 2, "mise run": 2, "mise tasks": 2, "git stash": 2,
    "git worktree": 2, "git remote": 2, "git submodule": 2, "git config": 2, "git bisect": 2,
    "git flow": 3, "aws": 2, "gcloud": 3, "az": 2, "prisma": 2, "supabase": 2, "terraform state": 2,
    "terraform workspace": 2, "rails": 1, "artisan": 1, "manage.py": 1, "alembic": 1,
    "dotnet ef": 3, "cargo": 1, "fly": 1,
}  # fmt: skip
_NO_SUBCOMMAND: Final = frozenset(
    "rm cp mv mkdir touch chmod chown cat kill pkill killall curl wget psql mysql "
    "sqlite3 redis-cli dropdb createdb pytest jest vitest mocha tox eslint prettier ruff mypy "
    "black tsc rspec phpunit rubocop ssh scp rsync echo python node ruby perl php sed awk grep rg "
    "find ls golangci-lint".split()
)
#: Programs whose words are all names of what they are to do.
_OF_TARGETS: Final = frozenset({"make", "just", "task"})
#: Programs that test: what they are run on does not matter.
_TESTING: Final = re.compile(
    r"(?:pytest|jest|vitest|mocha|tox|rspec|phpunit|ctest|(?:go|cargo|mvn|gradle|gradlew|dotnet|"
    r"npm|pnpm|yarn|bun|deno|swift|mix|zig) test)\b"
)
_OPERAND: Final = re.compile(r"[./*\[:]|^[A-Z]\w*$")
#: Flags that change how much is said and not what is done; those of a subcommand as well.
_INDIFFERENT: Final = frozenset(
    "--quiet --verbose --color --no-color --no-pager --silent --progress --no-progress -q".split()
)
_INDIFFERENT_TO: Final = {
    "git commit": "-m -F -a -s -v -S --message --file --all --signoff --no-edit --author --date",
    "git push": "-v -u --set-upstream",
    "git pull": "-v",
    "npm install": "-y --yes",
}
#: Flags whose value is a text or a way of showing, and none of what the command acts on.
_TEXTS: Final = {
    "git commit": "-m --message -F --file --author --date",
    "git tag": "-m --message",
    "git merge": "-m --message",
    "git stash push": "-m --message",
    "gh pr create": "-t -b -B --title --body --body-file --base",
    "gh issue create": "-t -b --title --body --body-file",
    "gh release create": "-t -n --title --notes --notes-file",
}
#: Short names of flags.
_SHORT_NAMES: Final = {
    "git push": {"-f": "--force", "-d": "--delete"},
    "git checkout": {"-f": "--force"},
    "git clean": {"-f": "--force"},
    "git branch": {"-d": "--delete", "-f": "--force"},
    "git commit": {"-n": "--no-verify"},
    "git add": {"-A": "--all"},
    "docker compose down": {"-v": "--volumes"},
    "docker system prune": {"-a": "--all", "-f": "--force"},
    "npm install": {"-g": "--global", "-D": "--save-dev"},
    "rm": {"--recursive": "-r", "-R": "-r", "--force": "-f"},
}
#: One word for another of the same subcommand.
_SAME_WORDS: Final = {
    ("npm", "i"): "install", ("npm", "add"): "install", ("npm", "t"): "test",
    ("npm", "run-script"): "run", ("pnpm", "i"): "install", ("npm", "rm"): "uninstall",
    ("terraform", "destroy"): "destroy", ("kubectl", "del"): "delete",
}  # fmt: skip
_SPOKEN: Final = re.compile(r"[A-Za-z][\w-]{2,40}")
_SAID: Final = 1_000
_LEAST_NAME: Final = 3
#: Flags by which a command only shows what it would do.
_ONLY_SHOWING: Final = frozenset({"--help", "--version", "--dry-run", "-h"})
#: Programs that look and change nothing: what they are given is no sign of what a line is for.
LOOKING: Final = frozenset(
    "ls cat echo head tail grep rg wc pwd which sort uniq less more sleep printf date tee "
    "jq find stat file".split()
)


def repeats(refused: str, line: str, said: str = "") -> bool:
    """Whether a line runs a refused command again. Of a refused chain that is what the words of the
    refusal speak of, or else everything that it ran."""
    unwanted = telling_runs(refused)
    if not unwanted:
        return False
    ran = runs(line)
    spoken = {word.lower() for word in _SPOKEN.findall(said[:_SAID])} if len(unwanted) > 1 else ()
    meant = [one for one in unwanted if any(_speaks_of(word, one) for word in spoken)]
    if meant:
        return any(_does(one, other) for one in meant for other in ran)
    return all(any(_does(one, other) for other in ran) for one in unwanted)


def _speaks_of(word: str, run: ShellRun) -> bool:
    """Whether a word names what a run does: "committing" for `git commit`."""
    named = (*named_of(run)[1:], *run.words[:1]) or (run.program,)
    return any(len(one) >= _LEAST_NAME and word.startswith(one.lower()) for one in named)


def same_program(known: str, line: str) -> bool:
    """Whether a line runs a program of a known one with the same subcommand, on whatever."""
    named = {named_of(one) for one in telling_runs(known)}
    return any(named_of(one) in named for one in runs(line))


def telling_runs(line: str) -> list[ShellRun]:
    """The programs of a line that say what it is for; all of them, if they only look."""
    found = runs(line)
    return [one for one in found if one.program not in LOOKING] or found


def named_of(run: ShellRun) -> tuple[str, ...]:
    """Program and subcommand of a run."""
    words = _words_of(run)
    return (run.program, *words[: _named(run, words)])


def _does(refused: ShellRun, run: ShellRun) -> bool:
    """Whether a run does at least what the refused one did."""
    if refused.program != run.program:
        return False
    wanted, given = _words_of(refused), _words_of(run)
    named = 0 if refused.program in _OF_TARGETS else _named(refused, wanted)
    if wanted[:named] != given[:named]:
        return False
    if refused.targets and not set(refused.targets) <= set(run.targets):
        return False
    name = " ".join((refused.program, *wanted[:named]))
    flags, theirs = _flags(refused, name), _flags(run, name)
    if theirs & _ONLY_SHOWING - flags:
        return False
    rest = wanted[named:]
    if _TESTING.match(name):
        rest = [word for word in rest if not _OPERAND.search(word)]
    return flags <= theirs and _in_order(rest, given[named:])


def _named(run: ShellRun, words: Sequence[str]) -> int:
    """Number of words that name what a program does."""
    if run.program in _NO_SUBCOMMAND or run.interpreter:
        return 0
    both = f"{run.program} {words[0]}" if words else run.program
    return min(len(words), _NAMING.get(both, _NAMING.get(run.program, 1)))


def _words_of(run: ShellRun) -> list[str]:
    """The words of a run that say what it does and on what, in one form."""
    words = [_plain(word) for word in run.words]
    if words:
        words[0] = _SAME_WORDS.get((run.program, words[0]), words[0])
    for name, texts in _TEXTS.items():
        of = name.split()
        if [run.program, *words[: len(of) - 1]] == of and _names_any(run.flags, texts):
            words = words[: len(of) - 1]
    if words and f"{run.program} {words[0]}" == "git push":
        words[2:] = [word.rpartition(":")[2] or word for word in words[2:]]
    return words


def _plain(word: str) -> str:
    """A word without what does not matter: the beginning of a path, the sign of a forced push."""
    return word.removeprefix("./").lstrip("+") or word


def _flags(run: ShellRun, name: str) -> set[str]:
    """The flags of a run that matter, in one form."""
    names, indifferent = _SHORT_NAMES.get(name, {}), _INDIFFERENT_TO.get(name, "").split()
    said = {names.get(flag, flag) for flag in run.flags}
    return {
        one
        for one in said - _INDIFFERENT
        if one not in indifferent and one.partition("=")[0] not in indifferent
    }


def _names_any(flags: Iterable[str], names: str) -> bool:
    known = names.split()
    return any(flag.partition("=")[0] in known for flag in flags)


def _in_order(wanted: Iterable[str], given: Iterable[str]) -> bool:
    """Whether all wanted words are among the given ones, in this order."""
    rest = iter(given)
    return all(any(word == one for one in rest) for word in wanted)
