"""Reads what a shell line runs: each program with its words, flags, folder and variables.

Chains, subshells, folders, variables and programs that start others (sudo, env, xargs, `bash -c`,
npx) are looked through. Reading takes time linear in the line, looks at its beginning only, and
never throws: what is no valid shell is read as far as it goes.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from recollect.observer.shell_words import simple_commands

#: Characters of a line that are read, programs found in it, and lines inside of lines.
READ: Final = 4_000
MOST: Final = 40
_DEPTH: Final = 3
_STARTED: Final = 8

_VARIABLE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,80})=(.*)", re.S)
#: Words of the shell that stand before a program.
_KEYWORDS: Final = frozenset("if then elif else while until do ! time { } fi done esac".split())
#: Commands of the shell that run nothing.
_NOTHING: Final = frozenset(
    "for case select function in : true false return exit break continue shift local set unset "
    "alias [ [[ test read wait trap".split()
)
#: Programs that run the one behind them, each with its flags that take a value.
_STARTERS: Final = {
    "sudo": "-u -g -h -p -C -T -R -D --user --group --host --prompt --chdir",
    "doas": "-u -C",
    "time": "-f -o --format --output",
    "env": "-u -C -S --unset --chdir",
    "nohup": "",
    "setsid": "",
    "nice": "-n --adjustment",
    "ionice": "-c -n",
    "stdbuf": "-i -o -e",
    "exec": "-a",
    "command": "",
    "builtin": "",
    "timeout": "-k -s --kill-after --signal",
    "xargs": "-n -I -P -L -d -a -E -s --max-args --max-procs --replace --arg-file --delimiter",
    "watch": "-n --interval",
    "npx": "-p -c --package --call",
    "bunx": "",
    "pnpx": "",
    "uvx": "--from --with --python -p",
}
#: The same for programs that run another one by a word: "uv run pytest".
_RUNNING: Final = {
    ("uv", "run"): "--with --python -p --extra --group --project --directory --env-file --package",
    ("poetry", "run"): "-C --directory",
    ("pipenv", "run"): "",
    ("hatch", "run"): "",
    ("pdm", "run"): "",
    ("rye", "run"): "",
    ("bundle", "exec"): "",
    ("mise", "exec"): "-C --cd",
    ("mise", "x"): "-C --cd",
    ("direnv", "exec"): "",
    ("pnpm", "exec"): "",
    ("pnpm", "dlx"): "--package",
    ("yarn", "exec"): "",
    ("yarn", "dlx"): "-p --package",
    ("npm", "exec"): "-p --package -w --workspace",
    ("npm", "x"): "-p --package",
    ("conda", "run"): "-n -p --name --prefix",
    ("dotenv", "run"): "-f --file",
}
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_INTERPRETERS: Final = frozenset(
    "python node nodejs ruby perl php bun deno tsx ts-node lua Rscript pwsh".split()
)
#: Flags by which an interpreter runs what stands on the line itself.
_INLINE: Final = frozenset({"-c", "-e", "-p", "-r", "--eval", "--print"})
_VERSION: Final = re.compile(r"(?<=[A-Za-z])\d+(?:\.\d+){0,2}$")
#: Programs whose name ends in a version that tells nothing.
_VERSIONED: Final = frozenset({"python", "pip", "ruby", "node", "php", "perl", "gcc", "clang"})
#: Flags before the subcommand that name a folder or a file of the project, and those that say on
#: what the command acts; both take a value.
_FOLDERS: Final = {
    "git": "-C --git-dir --work-tree",
    "make": "-C -f --directory --file",
    "go": "-C",
    "npm": "--prefix -C",
    "pnpm": "-C --dir --prefix",
    "yarn": "--cwd",
    "bun": "--cwd",
    "cargo": "--manifest-path -C",
    "uv": "--project --directory",
    "poetry": "-C --directory -P --project",
    "docker compose": "-f --file --project-directory --env-file",
    "mise": "-C --cd",
    "just": "-f -d --justfile --working-directory",
    "task": "-d -t --dir --taskfile",
    "mvn": "-f --file",
    "gradle": "-p -b --project-dir",
    "gradlew": "-p -b --project-dir",
}
#: Those of them that name a folder.
_GOING: Final = frozenset(
    "-C --dir --directory --prefix --cwd --project-directory --work-tree --project-dir "
    "--working-directory".split()
)
_TARGETS: Final = {
    "git": "-c --namespace",
    "docker": "-H -c -l --host --context --config --log-level",
    "docker compose": "-p --profile --project-name",
    "kubectl": "-n -s --namespace --context --kubeconfig --cluster --user --server",
    "helm": "-n --namespace --kube-context --kubeconfig",
    "aws": "--profile --region --endpoint-url --output",
    "gcloud": "--project --account --configuration",
    "gh": "-R --repo",
    "npm": "-w --workspace --registry",
    "pnpm": "-F --filter",
    "heroku": "-a --app -r --remote",
    "fly": "-a --app -c --config",
    "psql": "-h -p -U -d --host --port --username --dbname",
}


class ShellRun(NamedTuple):
    """One program that a line runs."""

    #: Its name as it was written, without its folder.
    written: str
    #: Words that are no flags: the subcommand and what it acts on.
    words: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    #: Values of flags that say on what the program acts: a namespace, a profile.
    targets: tuple[str, ...] = ()
    #: Folder into which the line went before, or that the program was given.
    folder: str = ""
    #: Names of the variables that it was given.
    variables: tuple[str, ...] = ()
    #: The interpreter that a script was given to: "python3" of `python3 tool.py`.
    interpreter: str = ""
    #: How it was called: the programs that started it, with the folder of each.
    called: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """Name of the program, without its version."""
        return unversioned(self.written)


def runs(line: str) -> list[ShellRun]:
    """The programs that a line runs, in their order; changes of the folder are none of them."""
    found: list[ShellRun] = []
    _read(line[:READ], found, _Place(), _DEPTH)
    return found


def unversioned(name: str) -> str:
    """A program's name without its version and its ending: python3.12 is python."""
    bare = _VERSION.sub("", name.removesuffix(".exe"))
    return bare if bare in _VERSIONED else name.removesuffix(".exe")


class _Place(NamedTuple):
    """Where a command runs: its folder and the variables that were set before it."""

    folder: str = ""
    variables: tuple[str, ...] = ()


def _read(line: str, found: list[ShellRun], place: _Place, depth: int) -> None:
    """Add what a line runs; each of its commands sees the folder of the ones before it."""
    for words, inner in simple_commands(line):
        if len(found) >= MOST:
            return
        for text in inner if depth else ():
            _read(text, found, place, depth - 1)
        rest, given = _without_prefixes(words, place.variables)
        if not rest or rest[0] == "export":
            names = (one.partition("=")[0] for one in rest[1:] if "=" in one)
            place = place._replace(variables=tuple(dict.fromkeys((*given, *names))))
        elif rest[0] in {"cd", "pushd"}:
            to = next((one for one in rest[1:] if one[:1] != "-"), "")
            place = place._replace(folder=_joined(place.folder, to))
        elif rest[0] not in _NOTHING:
            _add(rest, found, place._replace(variables=given), depth)


def _without_prefixes(
    words: Sequence[str], variables: tuple[str, ...]
) -> tuple[list[str], tuple[str, ...]]:
    """The words behind the keywords and variables before a program, and all variables it sees."""
    rest, given = list(words), list(variables)
    while rest and rest[0] in _KEYWORDS:
        del rest[0]
    while rest and (named := _VARIABLE.fullmatch(rest[0])) is not None:
        given.append(named[1])
        del rest[0]
    return rest, tuple(dict.fromkeys(given))


def _add(words: list[str], found: list[ShellRun], place: _Place, depth: int) -> None:
    """Add the program of a simple command, behind those that only start it."""
    called: list[str] = []
    for _ in range(_STARTED):
        behind = _started(words)
        if behind is None:
            break
        called += words[: 1 + (unversioned(_base(words[0])) not in _STARTERS)]
        words, given = behind
        place = place._replace(variables=tuple(dict.fromkeys((*place.variables, *given))))
    if not words or not words[0]:
        return
    name = _base(words[0])
    plain = unversioned(name)
    code = _inline_line(words[1:], plain)
    if code is not None:
        if depth:
            _read(code[:READ], found, place, depth - 1)
        return
    script = _script_of(words[1:]) if plain in _SHELLS or plain in _INTERPRETERS else None
    if script is None:
        run = _run_of(words, place)
    else:
        run = _run_of(script, place)._replace(interpreter=name)
        called.append(words[0])
    said = script or words
    if said[0]:
        found.append(run._replace(called=(*called, said[0])))


def _started(words: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """What a program starts that only starts another one, and the variables that it gives to it;
    None for any other program."""
    if not words:
        return None
    plain = unversioned(_base(words[0]))
    if plain in _STARTERS:
        return _behind(words[1:], _STARTERS[plain], skip=int(plain == "timeout"))
    running = _RUNNING.get((plain, words[1] if len(words) > 1 else ""))
    if running is not None:
        return _behind(words[2:], running)[0], []
    if plain == "find" and any(one.startswith("-exec") for one in words):
        at = next(number for number, one in enumerate(words) if one.startswith("-exec"))
        return [one for one in words[at + 1 :] if one not in {"{}", "+", ";"}], []
    return None


class _Flags(NamedTuple):
    """Flags before a subcommand that take a value: of the project's folders, and of what the
    program acts on."""

    folders: frozenset[str]
    targets: frozenset[str]


def _valued(program: str) -> _Flags:
    return _Flags(
        frozenset(_FOLDERS.get(program, "").split()), frozenset(_TARGETS.get(program, "").split())
    )


def _behind_subcommand(program: str, word: str, known: _Flags) -> _Flags:
    """Those flags behind the first word of a program: what is short belongs to the subcommand."""
    if f"{program} {word}" in _FOLDERS:
        return _valued(f"{program} {word}")
    folders = (
        known.folders if program == "make" else (one for one in known.folders if one[1] == "-")
    )
    targets = () if program in {"git", "docker"} else known.targets
    return _Flags(frozenset(folders), frozenset(targets))


def _run_of(words: Sequence[str], place: _Place) -> ShellRun:
    """A program with its words and flags; those before its subcommand that take a value are told
    apart."""
    name, rest = _base(words[0]), list(words[1:])
    if name == "docker-compose":
        name, rest = "docker", ["compose", *rest]
    plain, folder = unversioned(name), place.folder
    known = _valued(plain)
    said: list[str] = []
    flags: list[str] = []
    targets: list[str] = []
    left = iter(rest)
    for one in left:
        flag, equals, value = one.partition("=")
        if one == "--":
            said += filter(None, left)
        elif one[:1] != "-" or one == "-":
            said += filter(None, [one])
            if len(said) == 1:
                known = _behind_subcommand(plain, one, known)
        elif flag in known.folders or flag in known.targets:
            value = value if equals else next(left, "")
            targets += [value] if flag in known.targets else []
            folder = _joined(folder, value) if flag in _GOING else folder
        else:
            flags += _flags_of(one)
    return ShellRun(name, tuple(said), tuple(flags), tuple(targets), folder, place.variables)


def _flags_of(word: str) -> list[str]:
    """A flag, or the single letters that are written as one: -rf is -r and -f."""
    if word.startswith("--") or not word[1:].isalpha() or not 2 <= len(word[1:]) <= 4:
        return [word]
    return [f"-{letter}" for letter in word[1:]]


def _behind(words: Sequence[str], valued: str, skip: int = 0) -> tuple[list[str], list[str]]:
    """The words behind the flags and variables of a program that starts another one, and the names
    of those variables."""
    takes = valued.split()
    given: list[str] = []
    place = 0
    while place < len(words):
        one = words[place]
        named = _VARIABLE.fullmatch(one)
        if one == "--":
            place += 1
            break
        if named is not None:
            given.append(named[1])
        elif one[:1] == "-" and len(one) > 1:
            place += one in takes
        elif skip:
            skip -= 1
        else:
            break
        place += 1
    return list(words[place:]), given


def _inline_line(words: Sequence[str], shell: str) -> str | None:
    """The line that a shell is given to run; None if it runs a file or reads its input."""
    if shell == "eval":
        return " ".join(words)
    if shell not in _SHELLS:
        return None
    for place, one in enumerate(words[:-1]):
        if one[:1] != "-":
            return None
        if not one.startswith("--") and one.endswith("c"):
            return words[place + 1]
    return None


def _script_of(words: Sequence[str]) -> list[str] | None:
    """The script or module that an interpreter runs, with its words; None if there is none."""
    for place, one in enumerate(words):
        if one == "-m":
            return list(words[place + 1 :]) or None
        if one in _INLINE or one == "-":
            return None
        if one in {"run", "test", "install", "add"} and place == 0:
            return None  # subcommands of bun and deno
        if one[:1] != "-":
            return list(words[place:])
    return None


def _base(word: str) -> str:
    """A program's name without its folder."""
    return word.replace("\\", "/").rstrip("/").rpartition("/")[2] or word


def _joined(folder: str, further: str) -> str:
    if not further or further in {".", "./"}:
        return folder
    if further.startswith(("/", "~")) or not folder:
        return further.rstrip("/") or further
    return f"{folder}/{further}".rstrip("/")
