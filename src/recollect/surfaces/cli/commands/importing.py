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
            help="A file or folder: JSONL, Slack, transcripts; or the word rules.",
        ),
    ],
    path: Annotated[
        str | None,
        Argument(metavar="PATH", help="The source, where the first word is its format."),
    ] = None,
    format: Annotated[
        str,
        Option("--format", metavar="FORMAT", help="jsonl, slack, transcripts, rules, or auto."),
    ] = "auto",
    stream: Annotated[
        str | None, Option("--stream", "-s", metavar="NAME", help="The stream to import into.")
    ] = None,
) -> None:
    """Import a history: JSONL, Slack, agents' transcripts, rules."""
    from recollect.surfaces.cli.progress import measuring

    if source == "rules" or format == "rules":
        _import_rules(session, path if source == "rules" else source)
        return
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


def _import_rules(session: Session, path: str | None) -> None:
    """Rules that people wrote for agents, into the project's space; twice adds nothing."""
    from pathlib import Path

    from recollect.surfaces.cli.projects import open_project, project_here
    from recollect.surfaces.cli.views.screen import Span
    from recollect.surfaces.cli.views.words import counted, listed

    place = Path(path).expanduser().absolute() if path else None
    project = project_here(
        None if place is None else str(place if place.is_dir() else place.parent)
    )
    named = []
    if place is not None and not place.is_dir():
        named = [place.relative_to(project.root).as_posix()]
    with open_project(session, project) as memory:
        report = memory.agents.import_rules(project.root, named)
    files = listed(list(report.files)) or "no rule file"
    gone = f", {report.put_away:,} put away that left their file" if report.put_away else ""
    session.answer(
        report,
        lambda screen: screen.line(
            Span(
                f"Read {files}: {counted(report.added, 'rule')} added, "
                f"{report.already_there:,} there already{gone}."
            )
        ),
    )


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
