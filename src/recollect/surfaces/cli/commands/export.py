"""Command ``export``: writes a space to standard output, or atomically to a file."""

import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Exit, Option

from recollect.surfaces.cli.faults import INCOMPLETE
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import Conflict, StoreError, StoreFull
from recollect.vocabulary.files import private_file

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.reports import Unreadable

_NAMED: Final = 10


def export(
    session: CommandContext,
    format: Annotated[
        str,
        Option(
            "--format", metavar="FORMAT", help="json (can be imported again), markdown, claude-md."
        ),
    ] = "json",
    output: Annotated[
        str | None, Option("--output", "-o", metavar="FILE", help="The file to write.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Export everything you may see."""
    if format == "claude-md":
        _export_rules(session, output)
        return
    unreadable: list[Any] = []
    with session.open() as memory:
        pieces = memory.export(format, unreadable=unreadable)
        if output is not None:
            path = Path(output).expanduser()
            characters = write_whole(path, pieces, over=force, private=True)
            answer: dict[str, Any] = {
                "file": str(path),
                "format": format,
                "characters": characters,
            }
            if unreadable:
                answer["unreadable"] = unreadable
            session.answer(answer, lambda screen: _report(screen, path, characters))
        elif session.options.json and format != "json":
            session.answer({"format": format, "text": "".join(pieces)}, lambda _: None)
        else:
            for piece in pieces:
                sys.stdout.write(piece)
    if unreadable:
        _report_unreadable(unreadable)
        raise Exit(INCOMPLETE)


def _report_unreadable(unreadable: "list[Unreadable]") -> None:
    """Report unreadable items that were left out; the export lists them too, at its end."""
    from recollect.surfaces.cli.views.words import counted, listed

    kinds = Counter(one.kind for one in unreadable)
    what = listed([f"{count:,} x {kind}" for kind, count in kinds.items()])
    ids = [one.id for one in unreadable if one.id is not None]
    named = f" ({', '.join(ids[:_NAMED])}{', ...' if len(ids) > _NAMED else ''})" if ids else ""
    sys.stderr.write(
        f"{counted(len(unreadable), 'thing')} could not be read and was left out: {what}{named}. "
        "The rest was written. 'recollect doctor' says what can be saved.\n"
    )


def _export_rules(session: CommandContext, output: str | None) -> None:
    """Export confirmed knowledge for a CLAUDE.md; in an existing file, between two markers."""
    from recollect.engine.for_surfaces import merged

    path = None if output is None else Path(output).expanduser()
    with session.open() as memory:
        text = memory.agents.export_rules(leave_out=path.name if path else None)
    if path is None:
        if session.options.json:
            session.answer({"format": "claude-md", "text": text}, lambda _: None)
        else:
            sys.stdout.write(text)
        return
    existing = path.read_text("utf-8") if path.exists() else ""
    characters = write_whole(path, [merged(existing, text)], over=True)
    answer = {"file": str(path), "format": "claude-md", "characters": characters}
    session.answer(answer, lambda screen: _report(screen, path, characters))


def write_whole(path: Path, pieces: Iterable[str], *, over: bool, private: bool = False) -> int:
    """Write to a temporary file, then move it into place; return the number of characters.

    A ``private`` file is readable by its owner only.
    """
    if path.exists() and not over:
        raise Conflict(f"{path} exists already. Nothing was changed.", hint="Add --force.")
    new = path.with_name(f".{path.name}.new")
    characters = 0
    try:
        with private_file(new) if private else new.open("w", encoding="utf-8") as file:
            for piece in pieces:
                characters += file.write(piece)
        new.replace(path)
    except OSError as error:
        _raise_write_error(error, path)
    finally:
        with suppress(OSError):  # what could not be made cannot be removed either
            new.unlink(missing_ok=True)
    return characters


def _raise_write_error(error: OSError, path: Path) -> None:
    import errno

    kind = StoreFull if error.errno in {errno.ENOSPC, errno.EFBIG} else StoreError
    raise kind(f"{path} could not be written: {error.strerror}. Nothing was changed.") from error


def _report(screen: "Screen", path: Path, characters: int) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    screen.line(StyledText(f"Wrote {characters:,} characters to {path}."))
