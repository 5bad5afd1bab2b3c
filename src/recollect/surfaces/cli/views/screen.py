"""Where answers are drawn. A view says what is on a line and in which role; a screen says how.

A terminal has colours, short ids and 'two hours ago'. A pipe has none of that: every value whole,
no boxes, nothing cut, so that what is grepped today can be grepped tomorrow.
"""

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TextIO

from recollect.surfaces.cli.views.words import one_line, stamp, visible
from recollect.vocabulary.clock import system_clock


class StyledText(NamedTuple):
    """Some words in one style."""

    text: str
    style: str = ""


Line = Sequence[StyledText]


class MarkedLine(NamedTuple):
    """Something with a mark before it: a number, a bullet."""

    mark: StyledText
    lines: Sequence[Line]


class Screen(Protocol):
    """What a view may draw."""

    terminal: bool
    now: datetime

    def line(self, *spans: StyledText) -> None:
        """One line, wrapped where the screen ends."""

    def lines(self, lines: Iterable[Line], *, indent: int = 0) -> None:
        """Several lines."""

    def entries(self, entries: Sequence[MarkedLine]) -> None:
        """Things one after the other, each behind its mark."""

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
        """Rows under titles; in a pipe a row is a line, and its cells are parted by tabs."""

    def pairs(self, pairs: Sequence[tuple[str, Line]]) -> None:
        """Names, and beside each what it is."""

    def panel(self, title: Line, lines: Sequence[Line]) -> None:
        """Lines that belong together, under a title."""

    def name(self, identifier: str) -> StyledText:
        """An id."""

    def names(self, identifiers: Iterable[str]) -> None:
        """Ids that will be shown together, so that each can be told from the others."""

    def when(self, moment: datetime) -> StyledText:
        """A time."""

    def share(self, value: float) -> StyledText:
        """A number from 0 to 1."""


def plain_or_terminal(stream: TextIO) -> Screen:
    """A terminal when a person sits at the other end."""
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        from recollect.surfaces.cli.views.terminal import Terminal

        return Terminal(stream)
    return Pipe(stream)


class Pipe:
    """Plain text: stable, whole and without colour."""

    terminal = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.now = system_clock()

    def line(self, *spans: StyledText) -> None:
        """The words."""
        self._stream.write(f"{_words(spans)}\n")

    def lines(self, lines: Iterable[Line], *, indent: int = 0) -> None:
        """Each on its own line, also where a text holds several."""
        for spans in lines:
            for piece in _words(spans).split("\n"):
                self._stream.write(f"{' ' * indent}{piece}".rstrip() + "\n")

    def entries(self, entries: Sequence[MarkedLine]) -> None:
        """Blocks with a blank line between."""
        for number, entry in enumerate(entries):
            if number:
                self._stream.write("\n")
            first, *rest = entry.lines
            self.lines([[entry.mark, StyledText("  "), *first]])
            self.lines(rest, indent=3)

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
        """A row a line, without titles."""
        for row in rows:
            cells = "\t".join(one_line(_words(cell)) for cell in row)
            self._stream.write(f"{cells}\n")

    def pairs(self, pairs: Sequence[tuple[str, Line]]) -> None:
        """A pair a line."""
        width = max((len(name) for name, _ in pairs), default=0)
        self.lines([[StyledText(f"{name:{width}}  "), *line] for name, line in pairs])

    def panel(self, title: Line, lines: Sequence[Line]) -> None:
        """A title, then the lines."""
        self.lines([title, *lines])

    def name(self, identifier: str) -> StyledText:
        """The whole id."""
        return StyledText(identifier)

    def names(self, identifiers: Iterable[str]) -> None:
        """A whole id needs nothing."""

    def when(self, moment: datetime) -> StyledText:
        """The time itself."""
        return StyledText(stamp(moment))

    def share(self, value: float) -> StyledText:
        """The number."""
        return StyledText(f"{value:.2f}")


def _words(spans: Line) -> str:
    return visible("".join(span.text for span in spans))
