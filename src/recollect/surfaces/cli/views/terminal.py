"""Terminal screen: colours, panels, short ids, relative times. Loaded only for terminals."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TextIO

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from recollect.surfaces.cli.views.screen import Line, MarkedLine, StyledText
from recollect.surfaces.cli.views.words import ago, bar, short_ids, visible
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.ids import short_id


class Terminal:
    """Screen on a console of rich. Text is never read as markup."""

    terminal = True

    def __init__(self, stream: TextIO) -> None:
        self.now = system_clock()
        self.console = Console(file=stream, highlight=False, markup=False, emoji=False)
        self._short: dict[str, str] = {}

    def line(self, *spans: StyledText) -> None:
        """Draw one line of styled words."""
        self.console.print(_text(spans))

    def lines(self, lines: Iterable[Line], *, indent: int = 0) -> None:
        """Draw lines, indented together."""
        for spans in lines:
            self.console.print(Padding(_text(spans), (0, 0, 0, indent), expand=False))

    def entries(self, entries: Sequence[MarkedLine]) -> None:
        """Draw a column of marks and a column of items."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(justify="right", no_wrap=True)
        grid.add_column(overflow="fold")
        for number, entry in enumerate(entries):
            if number:
                grid.add_row("", "")
            grid.add_row(_text([entry.mark]), Group(*(_text(spans) for spans in entry.lines)))
        self.console.print(grid)

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
        """Draw a light table; the last column takes the remaining width."""
        if not rows:
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
        for title in titles[:-1]:
            table.add_column(title, no_wrap=True)
        table.add_column(titles[-1], overflow="fold", ratio=1)
        for row in rows:
            table.add_row(*(_text(cell) for cell in row))
        self.console.print(table)

    def pairs(self, pairs: Sequence[tuple[str, Line]]) -> None:
        """Draw two columns, the names dim."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, line in pairs:
            grid.add_row(name, _text(line))
        self.console.print(grid)

    def panel(self, title: Line, lines: Sequence[Line]) -> None:
        """Draw a rounded frame."""
        self.console.print(
            Panel(
                Group(*(_text(spans) for spans in lines)),
                title=_text(title),
                title_align="left",
                border_style="dim",
                box=ROUNDED,
                padding=(0, 1),
            )
        )

    def name(self, identifier: str) -> StyledText:
        """Shortest part of an id that can be typed; an event's id is shown whole."""
        if identifier.startswith("mem_"):
            identifier = self._short.get(identifier, short_id(identifier))
        return StyledText(identifier, "cyan dim")

    def names(self, identifiers: Iterable[str]) -> None:
        """Shorten ids so that all of these differ."""
        self._short |= short_ids(identifiers)

    def when(self, moment: datetime) -> StyledText:
        """Time as elapsed time."""
        return StyledText(ago(moment, self.now), "dim")

    def share(self, value: float) -> StyledText:
        """Share as a small bar and the number."""
        colour = "green" if value >= 0.7 else "yellow" if value >= 0.4 else "red"
        return StyledText(f"{bar(value)} {value:.2f}", colour)


def _text(spans: Line) -> Text:
    return Text.assemble(*((visible(span.text), span.style) for span in spans), overflow="fold")
