"""Decides which notes are about a command that is about to run, by what it runs.

A note is about a command that a user refused, that it quotes, whose failure it explains, or that
runs a tool in whose place the note wants another one. How the line is written does not matter: the
folder, variables and programs around a command change nothing.
"""

import re
from collections.abc import Iterable
from typing import Final

from recollect.observer.call_changes import still_fails
from recollect.observer.same_command import repeats, same_program
from recollect.observer.shell_lines import runs
from recollect.observer.taxonomy import Signal
from recollect.observer.tool_wishes import unwanted_tools
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType

#: Types of notes that may want one tool in the place of another.
WISHES: Final = frozenset({MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT})
#: What the memory of a refusal says was refused: the rest of the line is the command.
_REFUSED: Final = re.compile(
    r"^(?:Refused|Stopped): (?:running )?`([^\n]{1,2000})`[^`\n]{0,20}$", re.M
)
_AGAINST: Final = re.compile(
    r"\b(?:never|not|don['\u2019]t|avoid|instead of|rather than|without|jamais|pas|éviter|"
    r"au lieu de|plutôt que)\b[^.;`]{0,40}$",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"\u201c([^\u201c\u201d]{1,2000})\u201d")
_RECIPE: Final = f"signal:{Signal.CALL_RECIPE.value}"
_CUT: Final = " …"
_NAMES: Final = 12


def about_command(notes: Iterable[Memory], line: str) -> list[Memory]:
    """The notes that are about a command, in their order."""
    ran = runs(line)
    if not ran:
        return []
    programs = {name for one in ran for name in (one.program, one.written)}
    return [one for one in notes if is_about(one, line, programs)]


def is_about(memory: Memory, line: str, programs: Iterable[str]) -> bool:
    """Whether a note is about a line that runs these programs."""
    known = memory.extras.get("command")
    if isinstance(known, str) and known:
        fix = memory.extras.get("fix")
        if _RECIPE in memory.tags and isinstance(fix, str):
            return still_fails(known, fix, line)
        return same_program(known, line)
    text = memory.content
    if "`" in text and any(name in text for name in programs):
        refused = _REFUSED.findall(text)
        if refused:
            said = " ".join(_QUOTED.findall(text))
            return any(repeats(one.removesuffix(_CUT), line, said) for one in refused)
        if any(repeats(one, line) for one in _commands_in(text)):
            return True
    if memory.type not in WISHES:
        return False
    return not unwanted_tools(_wish(text)).isdisjoint(programs)


def warns_against(note: str, line: str) -> bool:
    """Whether a note names a command, in backticks, as one not to run."""
    parts = note.split("`")
    for before, named in zip(parts[::2], parts[1::2], strict=False):
        if _AGAINST.search(before[-80:]) and repeats(named, line):
            return True
    return False


def _commands_in(text: str) -> list[str]:
    """Commands that a note quotes in backticks; a single word names a program only where the note
    speaks against it."""
    parts = text.split("`")
    found = zip(parts[::2], parts[1::2], strict=False)
    return [
        named.removesuffix(_CUT)
        for before, named in list(found)[:_NAMES]
        if len(named.split()) > 1 or _AGAINST.search(before[-80:])
    ]


def _wish(text: str) -> str:
    """The user's words that a note quotes, or the whole note."""
    return " ".join(_QUOTED.findall(text)) or text
