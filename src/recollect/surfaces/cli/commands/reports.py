"""Report commands: statistics of the store, and the version."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import NotAllowed

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen


def stats(
    session: CommandContext,
    days: Annotated[
        int, Option("--days", min=1, max=365, help="How many days the metrics cover.")
    ] = 30,
) -> None:
    """Show how much is stored, and metrics."""
    from recollect.surfaces.cli.views import reports

    with session.open() as memory:
        figures = memory.stats()
        try:
            tracked = memory.metrics.figures(days=days)
        except NotAllowed:  # tracked figures are only for stewards of the space
            tracked = None
    document = figures if tracked is None else {**figures, "metrics": tracked}
    session.answer(document, lambda screen: reports.stats(screen, figures, tracked))


def version(session: CommandContext) -> None:
    """Show the version."""
    import platform
    import sqlite3

    from recollect import __version__

    parts = {
        "recollect": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    session.answer(parts, lambda screen: _report(screen, parts))


def _report(screen: "Screen", parts: dict[str, Any]) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    words = f"Python {parts['python']}, SQLite {parts['sqlite']}"
    screen.line(StyledText(f"recollect {parts['recollect']}", "bold"), StyledText(f" ({words})"))
