"""Output screens: a view defines lines and styles, a screen how they are shown.

A terminal has colours, short ids and 'two hours ago'. A pipe has none of these: values are
complete, without boxes or cuts, so that scripts can rely on the output.
"""

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TextIO

from recollect.surfaces.cli.views.words import one_line, stamp, visible
from recollect.vocabulary.clock import system_clock


class StyledText(NamedTuple):
    """Text in one style."""

    text: str
    style: str = ""


Line = Sequence[StyledText]


class MarkedLine(NamedTuple):
    """An item with a mark before it: a number, a bullet."""

    mark: StyledText
    lines: Sequence[Line]


class Screen(Protocol):
    """Drawing interface of the views."""

    terminal: bool
    now: datetime

    def line(self, *spans: StyledText) -> None:
        """Draw one line, wrapped at the width of the screen."""

    def lines(self, lines: Iterable[Line], *, indent: int = 0) -> None:
        """Draw several lines."""

    def entries(self, entries: Sequence[MarkedLine]) -> None:
        """Draw items one after the other, each behind its mark."""

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
        """Draw rows under titles; in a pipe a row is a line with tab-separated cells."""

    def pairs(self, pairs: Sequence[tuple[str, Line]]) -> None:
        """Draw names with their values."""

    def panel(self, title: Line, lines: Sequence[Line]) -> None:
        """Draw lines that belong together, under a title."""

    def name(self, identifier: str) -> StyledText:
        """Format an id."""

    def names(self, identifiers: Iterable[str]) -> None:
        """Announce ids that are shown together, so that shortened ones stay distinct."""

    def when(self, moment: datetime) -> StyledText:
        """Format a time."""

    def share(self, value: float) -> StyledText:
        """Format a number from 0 to 1."""


def plain_or_terminal(stream: TextIO) -> Screen:
    """Terminal if the output is one, else a pipe."""
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        from recollect.surfaces.cli.views.terminal import Terminal

        return Terminal(stream)
    return Pipe(stream)


class Pipe:
    """Plain text: stable, complete and without colour."""

    terminal = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.now = system_clock()

    def line(self, *spans: StyledText) -> None:
        """Write the words."""
        self._stream.write(f"{_words(spans)}\n")

    def lines(self, lines: Iterable[Line], *, indent: int = 0) -> None:
        """Write each on its own line, also where a text holds several."""
        for spans in lines:
            for piece in _words(spans).split("\n"):
                self._stream.write(f"{' ' * indent}{piece}".rstrip() + "\n")

    def entries(self, entries: Sequence[MarkedLine]) -> None:
        """Write blocks with a blank line between them."""
        for number, entry in enumerate(entries):
            if number:
                self._stream.write("\n")
            first, *rest = entry.lines
            self.lines([[entry.mark, StyledText("  "), *first]])
            self.lines(rest, indent=3)

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
        """Write one row per line, without titles."""
        for row in rows:
            cells = "\t".join(one_line(_words(cell)) for cell in row)
            self._stream.write(f"{cells}\n")

    def pairs(self, pairs: Sequence[tuple[str, Line]]) -> None:
        """Write one pair per line."""
        width = max((len(name) for name, _ in pairs), default=0)
        self.lines([[StyledText(f"{name:{width}}  "), *line] for name, line in pairs])

    def panel(self, title: Line, lines: Sequence[Line]) -> None:
        """Write a title, then the lines."""
        self.lines([title, *lines])

    def name(self, identifier: str) -> StyledText:
        """The whole id."""
        return StyledText(identifier)

    def names(self, identifiers: Iterable[str]) -> None:
        """Do nothing: ids are shown whole."""

    def when(self, moment: datetime) -> StyledText:
        """Time in full."""
        return StyledText(stamp(moment))

    def share(self, value: float) -> StyledText:
        """The number."""
        return StyledText(f"{value:.2f}")


def _words(spans: Line) -> str:
    return visible("".join(span.text for span in spans))
