"""Moving a whole store, with a bar; stopped half-way, it goes on where it stopped."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit

from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import CommandContext, announce_waits, check_place

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Line, Screen
    from recollect.vocabulary.results import MoveReport, PartReport


def move(
    session: CommandContext,
    source: Annotated[
        str, Argument(metavar="FROM", help="The store as it is: a file, or postgresql://...")
    ],
    target: Annotated[
        str, Argument(metavar="TO", help="Where it goes: a new file, or an empty database.")
    ],
) -> None:
    """Move a whole store to another address.

    FROM is only read. Everything goes over: history, vectors, jobs, members. Stopped half-way, the
    same command goes on where it was. At the end both are compared, row by row.
    """
    from recollect import composition
    from recollect.surfaces.cli.progress import measuring

    announce_waits()
    for address in (source, target):
        check_place(address)
    try:
        with measuring(session, "Moving") as advance:
            report = composition.move(source, target, advance)
    except KeyboardInterrupt:
        raise Stopped(
            "Stopped. What is over is kept; the same command goes on where it was."
        ) from None
    session.answer(report, lambda screen: _tell(screen, report))
    if report.differing:
        raise Exit(1)


def _tell(screen: "Screen", report: "MoveReport") -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted, listed

    titles = ["part", "rows", "digest", ""]
    screen.table(titles, [line for part in report.parts for line in _lines(part)])
    if report.anew:
        screen.line(
            StyledText(
                "What the last run left no longer fits FROM, so all was copied anew.", "yellow"
            )
        )
    if report.differing:
        screen.line(
            StyledText(f"FROM and TO differ in {listed(report.differing)}. ", "bold red"),
            StyledText("FROM is as it was. The same command tries again, or says why it cannot."),
        )
        return
    copied = f"Copied {counted(report.copied, 'row')}" if report.copied else "All was there already"
    screen.line(StyledText(f"{copied}; FROM and TO hold the same.", "bold green"))


def _lines(part: "PartReport") -> "list[list[Line]]":
    """One line where both stores say the same, two where they do not."""
    from recollect.surfaces.cli.views.screen import StyledText

    def line(rows: int, digest: str, verdict: str, style: str) -> "list[Line]":
        return [
            [StyledText(part.part, "bold")],
            [StyledText(f"{rows:,}")],
            [StyledText(digest, "dim")],
            [StyledText(verdict, style)],
        ]

    if part.same:
        return [line(part.source_rows, part.source_digest, "same", "green")]
    return [
        line(part.source_rows, part.source_digest, "FROM", "bold red"),
        line(part.target_rows, part.target_digest, "TO", "bold red"),
    ]
