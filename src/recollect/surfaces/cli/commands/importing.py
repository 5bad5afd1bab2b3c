"""Importing a history, with a bar; stopped half-way, it goes on where it stopped."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import Session
from recollect.vocabulary.errors import ImportFailed

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen


def import_(
    session: Session,
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="A file or folder: JSONL, a Slack export, transcripts of agents.",
        ),
    ],
    path: Annotated[
        str | None,
        Argument(metavar="PATH", help="The source, where the first word is its format."),
    ] = None,
    format: Annotated[
        str,
        Option("--format", metavar="FORMAT", help="jsonl, slack, transcripts, or auto to look."),
    ] = "auto",
    stream: Annotated[
        str | None, Option("--stream", "-s", metavar="NAME", help="The stream to import into.")
    ] = None,
) -> None:
    """Import a history: JSONL, Slack, or agents' transcripts."""
    from recollect.surfaces.cli.progress import measuring

    if path is not None:
        source, format = path, source
    try:
        with session.open() as memory, measuring(session, "Importing") as advance:
            report = memory.import_(
                source,
                format=format,
                stream=stream,
                progress=lambda done, total, events: advance(done, total, f"{events:,} events"),
            )
    except ImportFailed as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise Stopped(str(error)) from None
        raise
    session.answer(report, lambda screen: _tell(screen, report))


def _tell(screen: "Screen", report: Any) -> None:
    from recollect.surfaces.cli.views.screen import Span
    from recollect.surfaces.cli.views.words import counted, listed

    known = f"{report.already_there:,} there already" if report.already_there else ""
    skipped = f"{report.skipped:,} skipped" if report.skipped else ""
    rest = listed([words for words in (known, skipped) if words])
    streams = counted(report.streams, "stream")
    screen.line(
        Span(f"Imported {counted(report.added, 'event')} ", "green"),
        Span(f"into {streams}{f'; {rest}' if rest else ''}."),
    )
    for problem in report.problems:
        screen.line(Span(f"  {problem}", "yellow"))
