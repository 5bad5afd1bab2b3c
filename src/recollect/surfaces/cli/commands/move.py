"""Commands ``move`` and ``archive``: copy a whole store to another address, or into a file.

Both show a progress bar. An interrupted move resumes where it stopped. An archive is one file with
a checksum beside it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit, Option

from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import CommandContext, announce_waits
from recollect.vocabulary.errors import Conflict, StoreDamaged, StoreError, StoreUnavailable

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Line, Screen
    from recollect.vocabulary.reports import MoveReport, PartReport


def move(
    session: CommandContext,
    source: Annotated[
        str, Argument(metavar="FROM", help="The store as it is: a file, or postgresql://...")
    ],
    target: Annotated[
        str, Argument(metavar="TO", help="The new address: a new file, or an empty database.")
    ],
) -> None:
    """Move a whole store to another address.

    FROM is only read. Everything is copied: history, vectors, jobs, members. If it is stopped, the
    same command continues where it was. At the end both are compared, row by row.
    """
    run_move(session, source, target)


def run_move(session: CommandContext, source: str, target: str) -> None:
    """Move a store, and tell what came of it."""
    from recollect import composition
    from recollect.surfaces.cli.progress import measuring

    announce_waits()
    for address in (source, target):
        composition.check_place(address)
    try:
        with measuring(session, "Moving") as advance:
            report = composition.move(source, target, advance)
    except KeyboardInterrupt:
        raise Stopped(
            "Stopped. What was copied is kept; the same command continues where it stopped."
        ) from None
    session.answer(report, lambda screen: _report(screen, report))
    if report.differing:
        raise Exit(1)


def archive(
    session: CommandContext,
    file: Annotated[str, Argument(metavar="FILE", help="The archive: one file.")],
    restore: Annotated[
        bool, Option("--restore", help="Restore the archive into the store of --db.")
    ] = False,
    check: Annotated[bool, Option("--check", help="Only compare it with its checksum.")] = False,
) -> None:
    """Archive the whole store; restore it.

    Writes one SQLite file with everything, vectors included, and FILE.sha256 beside it. Restoring
    compares the checksum first and needs a new or empty store.
    """
    from recollect import composition
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views.screen import StyledText

    path = Path(file).expanduser()
    address = session.settings["db"].text or str(session.place)
    if restore or check:
        digest = _checked(path)
    if check:
        words = f"{path} is as it was written."
        session.answer(
            {"file": str(path), "sha256": digest}, lambda screen: screen.line(StyledText(words))
        )
        return
    if restore:
        run_move(session, str(path), address)
        return
    composition.check_place(str(path))
    if path.exists():
        raise Conflict(f"{path} exists already. Nothing was changed.")
    announce_waits()
    with measuring(session, "Archiving") as advance:
        report = composition.move(address, str(path), advance)
    if report.differing:
        raise StoreError(f"{path} differs from the store in {', '.join(report.differing)}.")
    digest = _digest(path)
    _sums(path).write_text(f"{digest}  {path.name}\n", "utf-8")
    session.answer(
        {"file": str(path), "sha256": digest, "rows": report.copied},
        lambda screen: screen.line(
            StyledText(f"Wrote {report.copied:,} rows to {path}; its SHA-256 is {digest}.")
        ),
    )


def _checked(path: Path) -> str:
    """Checksum of an archive, which must match the one beside it."""
    if not path.is_file() or not _sums(path).is_file():
        raise StoreUnavailable(f"There is no archive {path} with {_sums(path).name} beside it.")
    digest = _digest(path)
    if _sums(path).read_text("utf-8").split()[:1] != [digest]:
        raise StoreDamaged(
            f"{path} is not as it was written: its checksum differs. Nothing was changed.",
            hint="Use another copy.",
        )
    return digest


def _sums(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _digest(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _report(screen: "Screen", report: "MoveReport") -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted, listed

    shown = [part for part in report.parts if part.source_rows or not part.same]
    screen.table(["part", "rows", ""], [line for part in shown for line in _lines(part)])
    empty = len(report.parts) - len(shown)
    if empty:
        screen.line(StyledText(f"{counted(empty, 'part')} without rows, the same in both.", "dim"))
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
    """One line where both stores agree, two where they differ."""
    from recollect.surfaces.cli.views.screen import StyledText

    def line(rows: int, verdict: str, style: str) -> "list[Line]":
        return [
            [StyledText(part.part, "bold")],
            [StyledText(f"{rows:,}")],
            [StyledText(verdict, style)],
        ]

    if part.same:
        return [line(part.source_rows, "same", "green")]
    return [
        line(part.source_rows, f"FROM, digest {part.source_digest}", "bold red"),
        line(part.target_rows, f"TO, digest {part.target_digest}", "bold red"),
    ]
