"""Commits that a shell command made: their messages as the command gives them, and their hashes.

A commit counts as made when git printed it: "[main 1f2e3d4] The subject". The message is taken only
where the command holds its very words; what a substitution, a variable or an editor puts in is not
known from the command, and neither is a message whose first line git did not print.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from recollect.observer.commit_messages import subject_of

_LONGEST: Final = 10_000
#: Calls of one kind in a command that are read.
_CALLS: Final = 20
_PRINTED: Final = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (\S[^\n]*)", re.M)
_WITH: Final = r"""(?:\s++-c\s++(?:[^\s"']++|"[^"\n]*+"|'[^'\n]*+')++)*+"""
_COMMIT: Final = re.compile(rf"\bgit{_WITH}\s++commit(?![\w-])")
_ADD: Final = re.compile(rf"\bgit{_WITH}\s++(?:add|rm|mv)(?![\w-])")
#: Commands that make or enter another repository than the session's.
_ELSEWHERE: Final = re.compile(
    r"\bgit\s+(?:init|clone)\b|\bcd\s+[\"']?(?:/private)?(?:/var)?/tmp\b|\bmktemp\b"
)
#: A text between two lines: "<<'EOF'", the lines, "EOF".
_HEREDOC: Final = re.compile(
    r"<<(-?)\s*(['\"]?)(\w{1,40})\2([^\n]*)\n(.*?)^[ \t]*\3\b", re.S | re.M
)
_QUOTED_HEREDOC: Final = re.compile(
    r"\"\$\(\s*cat\s+<<-?\s*(['\"]?)(\w{1,40})\1[ \t]*\n(.*?)^[ \t]*\2\s*+\)\"", re.S | re.M
)
_PUT_IN: Final = re.compile(r"(?<!\\)(?:`|\$[\w{(@*#?$!])")
_ESCAPED: Final = re.compile(r"\\([\"$`\\\n])")
_ENDS: Final = frozenset(";&|\n<>()#")
_WHOLE: Final = frozenset({"-A", "--all", ".", "-u", "--update", ":/"})


@dataclass(frozen=True, slots=True)
class MadeCommit:
    """A commit that git said it made; the message is empty where the command does not hold it."""

    hash: str
    message: str = ""


@dataclass(slots=True)
class _Arguments:
    """Arguments of one command; None in place of a word that is not known from the command."""

    words: list[str | None] = field(default_factory=list)
    input: str | None = None


def commits_made(command: str, printed: str) -> list[MadeCommit]:
    """The commits that a command made in the session's repository, in order."""
    if "commit" not in command or _ELSEWHERE.search(command[:_LONGEST]):
        return []
    calls = [arguments for _, arguments in _calls(_COMMIT, command)]
    if not calls:
        return []
    given = [message for one in calls if (message := _message(one))]
    return [
        MadeCommit(name, next((one for one in given if _is_printed(one, subject)), ""))
        for name, subject in _PRINTED.findall(printed[:_LONGEST])
    ]


def paths_staged(command: str) -> tuple[tuple[str, ...], bool]:
    """Paths that a command names for the next commit, and whether it takes everything changed."""
    if "git" not in command:
        return (), False
    paths: list[str] = []
    everything = False
    for _, one in _calls(_ADD, command):
        known = [word for word in one.words if word is not None]
        everything |= len(known) < len(one.words) or not _WHOLE.isdisjoint(known)
        paths += [word for word in known if not word.startswith("-") and word not in _WHOLE]
    for _, one in _calls(_COMMIT, command):
        everything |= any(
            word is not None and (word == "--all" or re.fullmatch(r"-[b-z]*a[a-z]*", word))
            for word in one.words
        )
    return tuple(paths), everything


def _is_printed(message: str, subject: str) -> bool:
    return " ".join(subject_of(message).split()) == " ".join(subject.split())


def _calls(name: re.Pattern[str], command: str) -> Iterator[tuple[int, _Arguments]]:
    text = command[:_LONGEST]
    for found in islice(name.finditer(text), _CALLS):
        yield found.start(), _arguments(text, found.end())


def _message(call: _Arguments) -> str:
    """The message that the arguments of a commit hold; empty where they hold none, or not all."""
    parts: list[str | None] = []
    words = iter(call.words)
    for word in words:
        if word is None or not word.startswith("-") or word == "-":
            continue
        if word in {"-F", "--file"}:
            parts.append(call.input if next(words, None) == "-" else None)
        elif word == "--file=-":
            parts.append(call.input)
        elif word == "--message" or re.fullmatch(r"-[a-zA-Z]{0,5}m", word):
            parts.append(next(words, None))
        elif word.startswith("--message="):
            parts.append(word.partition("=")[2])
        elif re.match(r"-[a-z]{0,3}m.", word):
            parts.append(word.partition("m")[2])
    known = [part for part in parts if part is not None]
    return "\n\n".join(known).strip() if len(known) == len(parts) else ""


def _arguments(text: str, place: int) -> _Arguments:
    """The arguments of a command from a place up to its end."""
    found = _Arguments()
    word: str | None = ""
    begun = False
    while place < len(text):
        sign = text[place]
        if sign in " \t":
            if begun:
                found.words.append(word)
            word, begun = "", False
            place += 1
            continue
        if text.startswith("\\\n", place):
            place += 2
            continue
        if text.startswith("<<", place):
            heredoc = _HEREDOC.match(text, place)
            if heredoc is not None:
                found.input = _literal(heredoc[5], as_is=bool(heredoc[2]))
            break
        if sign in _ENDS and not (sign == "#" and begun):
            break
        part, place = _part(text, place)
        word = None if part is None or word is None else word + part
        begun = True
    if begun:
        found.words.append(word)
    return found


def _part(text: str, place: int) -> tuple[str | None, int]:
    """One quoted or bare part of a word, as the shell reads it, and where it ends."""
    sign = text[place]
    whole = _QUOTED_HEREDOC.match(text, place) if sign == '"' else None
    if whole is not None:
        return _literal(whole[3], as_is=bool(whole[1])), whole.end()
    if sign == "'":
        end = text.find("'", place + 1)
        return (text[place + 1 : end], end + 1) if end >= 0 else (None, len(text))
    if sign == '"':
        end = place + 1
        while end < len(text) and text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        if end >= len(text):
            return None, len(text)
        return _literal(text[place + 1 : end], as_is=False), end + 1
    if sign == "\\":
        return text[place + 1 : place + 2], place + 2
    return (None if sign in "$`" else sign), place + 1


def _literal(words: str, *, as_is: bool) -> str | None:
    """Words as the shell reads them; None where it puts something in."""
    if as_is:
        return words
    if _PUT_IN.search(words):
        return None
    return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], words)
