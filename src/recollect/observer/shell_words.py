"""Splits a shell line into its simple commands, each as words, and the lines quoted in it.

The line is read once from its beginning to its end: quotes, escapes, here-documents, redirections,
comments, subshells and substitutions are understood as far as they matter for which commands run.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

#: One piece of a line. What is quoted ends with its quote or with the line; a here-document's mark
#: is followed by its text on the next lines.
_PIECE: Final = re.compile(
    r"(?P<space>[ \t\r]+|\\\r?\n)"
    r"|(?P<comment>(?<![^\s;&|()])#[^\n]*)"
    r"|(?P<heredoc><<-?[ \t]*(?P<mark>'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|[\w-]{1,60}))"
    r"|(?P<substituted>[<>]\()"
    r"|(?P<redirect>(?:\d{1,2}|&)?(?:<<<|>>|>\||<>|[<>])(?:&(?:\d{1,2}|-))?[ \t]*)"
    r"|(?P<break>&&|\|\||\|&|;;|[;|&\n])"
    r"|(?P<open>\$\(\(?|\(|\$\{|\{(?=\s))"
    r"|(?P<close>\)|(?<=[\s;])\}(?=[\s;&|)]|$))"
    r"|(?P<tick>`)"
    r"|(?P<single>\$?'[^']*(?:'|\Z))"
    r"|(?P<double>\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))"
    r"|(?P<escape>\\.)"
    r"|(?P<plain>[^\s;&|()<>'\"\\`$#]+|.)",
    re.S,
)
_OF_A_WORD: Final = frozenset({"single", "double", "escape", "plain"})
_OPENING: Final = frozenset({"open", "substituted", "tick"})
_LONGEST_NAME: Final = 200
_QUOTED: Final = re.compile(r"\\([\"\\$`\n])")


class ShellWords(NamedTuple):
    """The words of a simple command, and the lines that run inside of them."""

    words: list[str]
    inner: list[str]


def simple_commands(line: str) -> Iterator[ShellWords]:
    """The simple commands of a line, those inside of others first."""
    return _Reader(line).commands()


class _Reader:
    """Reads one line."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._place = 0
        self._outer: list[ShellWords] = []
        self._now = ShellWords([], [])
        self._word: str | None = None
        self._is_file = False  # the word behind a redirection names a file
        self._marks: list[str] = []
        self._ticked = False

    def commands(self) -> Iterator[ShellWords]:
        """The simple commands, as they end."""
        while (piece := _PIECE.match(self._line, self._place)) is not None:
            self._place = piece.end()
            kind = piece.lastgroup or ""
            if kind in _OF_A_WORD:
                self._add(kind, piece[0])
            elif piece[0] == "${":
                self._name()
            else:
                self._end_word()
                yield from self._separated(kind, piece)
        self._end_word()
        yield from (one for one in (self._now, *reversed(self._outer)) if one.words)

    def _separated(self, kind: str, piece: re.Match[str]) -> Iterator[ShellWords]:
        """What stands between words: the end of a command, the beginning of one inside of it."""
        if kind == "heredoc":
            self._marks.append(piece["mark"].strip("'\""))
        elif kind == "redirect":
            target = piece[0].rstrip()
            self._is_file = not target[-1:].isdigit() and not target.endswith("&-")
        elif kind == "close" or (kind == "tick" and self._ticked):
            self._ticked = self._ticked and kind == "close"
            if self._now.words:
                yield self._now
            self._now = self._outer.pop() if self._outer else ShellWords([], [])
        elif kind in _OPENING:
            self._ticked = self._ticked or kind == "tick"
            self._outer.append(self._now)
            self._now = ShellWords([], [])
        elif kind == "break":
            if self._now.words:
                yield self._now
            self._now = ShellWords([], [])
            if piece[0] == "\n" and self._marks:
                self._skip_documents()

    def _add(self, kind: str, text: str) -> None:
        self._word = (self._word or "") + _unquoted(kind, text)
        if kind == "double" and ("$(" in text or "`" in text):
            self._now.inner.extend(_substituted(text))

    def _name(self) -> None:
        """A variable in braces, whose value nobody knows."""
        end = self._line.find("}", self._place, self._place + _LONGEST_NAME)
        self._word = (self._word or "") + "$"
        self._place = self._place if end < 0 else end + 1

    def _end_word(self) -> None:
        if self._word is not None:
            if not self._is_file:
                self._now.words.append(self._word)
            self._word, self._is_file = None, False

    def _skip_documents(self) -> None:
        """Go on behind the here-documents that a line names."""
        while self._marks and self._place < len(self._line):
            end = self._line.find("\n", self._place)
            end = len(self._line) if end < 0 else end
            if self._line[self._place : end].strip() == self._marks[0]:
                del self._marks[0]
            self._place = min(end + 1, len(self._line))
        self._marks.clear()


def _unquoted(kind: str, text: str) -> str:
    if kind == "single":
        return text.removeprefix("$")[1:].removesuffix("'")
    if kind == "double":
        closed = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
        return _QUOTED.sub(r"\1", closed)
    return text[1:] if kind == "escape" else text


def _substituted(text: str) -> list[str]:
    """Lines that run inside of a quoted text."""
    found = [part.rpartition(")")[0] for part in text.split("$(")[1:]]
    return found + text.split("`")[1::2]
