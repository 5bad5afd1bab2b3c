"""Compares two calls of one program, of which the first failed and the second passed.

What changed is the folder, a variable, how the program was started, the ending of a file's name, or
a flag; anything else is another command. A failure tells which of these can have mended it.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

from recollect.observer.same_command import LOOKING, named_of, telling_runs
from recollect.observer.shell_lines import ShellRun, runs, unversioned


class CallChange(StrEnum):
    """What differs between two calls of one program."""

    FOLDER = "folder"
    VARIABLE = "variable"
    STARTED = "started"
    ENDING = "ending"
    FLAG = "flag"


class FailedCall(NamedTuple):
    """A message about how a program was called, and what may mend it."""

    message: str
    mends: frozenset[CallChange]


#: Programs around another one that change nothing about how it is found.
_NEUTRAL: Final = frozenset("time env nohup nice command exec timeout stdbuf xargs setsid".split())
_MOST_FLAGS: Final = 2
_MOST_RUNS: Final = 3
_LONGEST_LINE: Final = 300
_READ: Final = 4_000
_FOLDER, _VARIABLE = CallChange.FOLDER, CallChange.VARIABLE
_STARTED, _ENDING, _FLAG = CallChange.STARTED, CallChange.ENDING, CallChange.FLAG
#: Messages about how a program was called or about the machine, each with what may mend them.
_MESSAGES: Final = tuple(
    (re.compile(pattern), frozenset(mends))
    for pattern, mends in (
        (
            r"(?:command not found|: not found$|not recognized as an internal|"
            r"executable file not found|spawn \S{1,80} ENOENT|could not determine executable)",
            {_STARTED},
        ),
        (r"externally[- ]managed", {_STARTED, _FLAG}),
        (
            r"(?:ModuleNotFoundError: No module named|ImportError: No module named|"
            r"Cannot find module|: No module named)",
            {_STARTED, _FOLDER, _VARIABLE},
        ),
        (
            r"(?:go\.mod file not found|cannot find main module|no Go files in|"
            r"does not contain (?:main module|modules listed)|outside main module|"
            r"directory prefix \S{1,120} does not contain|"
            r"could not find `?Cargo\.toml|No rule to make target|no makefile found|"
            r"Missing script|package\.json|No such file or directory|can't open file|"
            r"not a git repository|no configuration file provided|ENOENT|"
            r"pyproject\.toml|is not in the \w+ directory|does not exist in|matched no packages|"
            r"NO_IMPORTER_MANIFEST|No projects? found|MissingTargetException|Cannot find path)",
            {_FOLDER},
        ),
        (
            r"(?:\bEPERM\b|\bEACCES\b|[Pp]ermission denied|[Oo]peration not permitted|"
            r"[Rr]ead-only file system|ERR_OSSL_EVP_UNSUPPORTED|heap out of memory|"
            r"Executable doesn't exist at|build cache is required|failed to initialize build cache|"
            r"certificate verify failed|[Uu]nable to locate|[Dd]isplay .{0,20}not found|"
            r"is not set\b|not set in|must (?:set|be set)|is required|required environment|"
            r"[Mm]issing environment|No display|UnicodeEncodeError|DJANGO_SETTINGS_MODULE)",
            {_VARIABLE, _FLAG},
        ),
        (
            r"(?:require is not defined|Cannot use import statement outside|"
            r"[Uu]nknown file extension|Unexpected token 'export'|ERR_REQUIRE_ESM|"
            r"exports is not defined|module is not defined)",
            {_ENDING, _FLAG},
        ),
        (
            r"(?:unknown (?:option|flag|shorthand flag|argument)|unrecognized (?:option|argument)|"
            r"(?:invalid|illegal) option|flag provided but not defined|[Nn]o such option|"
            r"unexpected argument|Unknown (?:option|argument)|bad (?:flag|option)|"
            r"Unsupported (?:option|flag))",
            {_FLAG},
        ),
    )
)
_SUFFIX: Final = re.compile(r"\.(\w{1,5})$")


def failed_call(text: str) -> FailedCall | None:
    """The first line of an output that blames how the program was called; None if none does."""
    for line in text[:_READ].splitlines():
        bare = line.strip()
        if not bare or len(bare) > _LONGEST_LINE:
            continue
        for pattern, mends in _MESSAGES:
            if pattern.search(bare):
                return FailedCall(bare, mends)
    return None


def failing_run(line: str) -> ShellRun | None:
    """The program that a failed line ran; None if it ran several, so that nobody
    knows which, or only looked at something."""
    found = telling_runs(line)
    return found[0] if len(found) == 1 and found[0].program not in LOOKING else None


def call_change(failed: str, worked: str) -> CallChange | None:
    """What differs between a failed call and a later one that passed; None if they are not the same
    program with the same purpose, or differ in more."""
    one = failing_run(failed)
    others = telling_runs(worked)
    if one is None or not others or len(others) > _MOST_RUNS:
        return None
    return _change(one, others[-1])


def still_fails(failed: str, worked: str, line: str) -> bool:
    """Whether a line calls the program as it failed, without what made it pass."""
    one, others = failing_run(failed), telling_runs(worked)
    if one is None or not others:
        return False
    mended = others[-1]
    change = _change(one, mended)
    return change is not None and any(_is_unmended(change, one, mended, run) for run in runs(line))


def _is_unmended(change: CallChange, one: ShellRun, mended: ShellRun, run: ShellRun) -> bool:
    """Whether a run lacks what mended the failed one."""
    same = named_of(run) == named_of(one)
    if change is CallChange.STARTED:
        alike = same or bool(one.interpreter)
        return alike and _called(run)[:1] == _called(one)[:1] and _called(run) != _called(mended)
    if change is CallChange.ENDING:
        differing = {*one.words, one.written} - {*mended.words, mended.written}
        return not differing.isdisjoint({*run.words, run.written})
    if change is CallChange.FOLDER:
        return same and run.folder == one.folder
    if change is CallChange.VARIABLE:
        return same and not set(mended.variables) - set(one.variables) <= set(run.variables)
    wrong, right = set(one.flags) - set(mended.flags), set(mended.flags) - set(one.flags)
    return same and (not wrong.isdisjoint(run.flags) or not (wrong or right <= set(run.flags)))


def _change(one: ShellRun, other: ShellRun) -> CallChange | None:
    """The one thing that differs between two runs."""
    if one.targets != other.targets:
        return None
    same_words, same_flags = one.words == other.words, one.flags == other.flags
    same_name = one.program == other.program
    folder, variables = one.folder != other.folder, set(other.variables) > set(one.variables)
    started = _called(one) != _called(other)
    if same_words and same_flags and same_name and not started:
        if folder and not variables:
            return CallChange.FOLDER
        return CallChange.VARIABLE if variables and not folder else None
    if folder:
        return None
    if started and same_words and same_flags and _is_kin(one, other):
        return CallChange.STARTED
    if same_name and same_words and not same_flags:
        differing = set(one.flags) ^ set(other.flags)
        return CallChange.FLAG if 0 < len(differing) <= _MOST_FLAGS else None
    ended = [*one.words, one.written], [*other.words, other.written]
    return CallChange.ENDING if same_flags and _differ_in_ending(*ended) else None


def _called(run: ShellRun) -> tuple[str, ...]:
    """How a program was started, without what changes nothing."""
    return tuple(one for one in run.called if one not in _NEUTRAL)


def _is_kin(one: ShellRun, other: ShellRun) -> bool:
    """Whether two runs are of the same program, perhaps by another interpreter or version."""
    if one.program == other.program:
        return True
    return unversioned(one.written) == unversioned(other.written)


def _differ_in_ending(one: list[str], other: list[str]) -> bool:
    """Whether two calls differ only in the ending of one file's name."""
    if len(one) != len(other):
        return False
    pairs = [(mine, theirs) for mine, theirs in zip(one, other, strict=True) if mine != theirs]
    stems = [(_SUFFIX.sub("", mine), _SUFFIX.sub("", theirs)) for mine, theirs in pairs]
    return len(pairs) == 1 and stems[0][0] == stems[0][1] and bool(_SUFFIX.search(pairs[0][1]))
