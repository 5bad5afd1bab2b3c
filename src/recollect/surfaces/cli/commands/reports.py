"""Reports: how much is kept and where, which version this is."""

from typing import TYPE_CHECKING, Any

from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen


def stats(session: CommandContext) -> None:
    """Show how much is stored, and where."""
    from recollect.surfaces.cli.views import reports

    with session.open() as memory:
        figures = memory.stats()
    session.answer(figures, lambda screen: reports.stats(screen, figures))


def version(session: CommandContext) -> None:
    """Say which version this is."""
    import platform
    import sqlite3

    from recollect import __version__

    parts = {
        "recollect": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    session.answer(parts, lambda screen: _tell(screen, parts))


def _tell(screen: "Screen", parts: dict[str, Any]) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    words = f"Python {parts['python']}, SQLite {parts['sqlite']}"
    screen.line(StyledText(f"recollect {parts['recollect']}", "bold"), StyledText(f" ({words})"))
