"""Commands on spaces and personal data: rename, archive, delete, retain; export and erase."""

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput, SpaceNotFound

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.views.screen import Screen

#: Files that hooks keep in their folder until the content is in the store.
_WAITING = ("spool*", "sessions/*.json", "*.log")

Confirm = Annotated[
    str,
    Option("--confirm", metavar="NAME", help="Repeat the name to confirm; this cannot be undone."),
]
Person = Annotated[str | None, Argument(metavar="USER", help="The person; you by default.")]


# --- spaces ---------------------------------------------------------------------------------------


def spaces_list(
    session: CommandContext,
    archived: Annotated[bool, Option("--archived", help="List archived ones instead.")] = False,
) -> None:
    """List your spaces; rename, archive, delete."""
    from recollect.surfaces.cli.views import reports

    with _here_or_anywhere(session) as memory:
        found = memory.rights.archived_spaces() if archived else memory.spaces()
        current = memory.space
    session.answer(
        {"current": current.name, "spaces": found},
        lambda screen: reports.spaces(screen, found, current),
    )


def _here_or_anywhere(session: CommandContext) -> "Recollect":
    """Engine in the current space; in any space, when the current one does not exist."""
    try:
        return session.open()
    except SpaceNotFound:
        if session.options.space:
            raise
        return session.open_store()


def spaces_rename(
    session: CommandContext,
    name: Annotated[str, Argument(metavar="NEW", help="Its new name.")],
) -> None:
    """Rename the space. Owners only."""
    with session.open() as memory:
        before, space = memory.space.name, memory.rights.rename_space(name)
    _say(session, space, f"{before!r} is called {space.name!r} now.")


def spaces_archive(session: CommandContext) -> None:
    """Archive the space; nothing is lost. Owners only; 'spaces restore' reopens it."""
    with session.open() as memory:
        space = memory.rights.archive_space()
    _say(session, space, f"{space.name!r} is archived.")


def spaces_restore(
    session: CommandContext,
    name: Annotated[str, Argument(metavar="NAME", help="The archived space.")],
) -> None:
    """Reopen an archived space. Its owners only."""
    with session.open_store() as memory:
        space = memory.rights.restore_space(name)
    _say(session, space, f"{space.name!r} is open again.")


def spaces_delete(session: CommandContext, confirm: Confirm = "") -> None:
    """Permanently delete the space with everything in it. Owners only."""
    with session.open() as memory:
        space = memory.space
        left = memory.rights.delete_space(confirm=confirm)
    answer = {"deleted": space.name, "left": left}
    _say(session, answer, f"{space.name!r} is deleted.")
    _warn(session, [left] if left else [])


def spaces_retain(
    session: CommandContext,
    days: Annotated[
        str, Argument(metavar="DAYS", help="How many days things are kept; or 'off' for no limit.")
    ],
) -> None:
    """Set how long the space keeps things; older items are deleted at night. Owners only.

    Pinned memories stay. Off by default.
    """
    if days != "off" and not days.isdecimal():
        raise InvalidInput(f"{days!r} is not a number of days.", hint="Write a number, or 'off'.")
    with session.open() as memory:
        space = memory.rights.set_retention(None if days == "off" else int(days))
    words = (
        f"{space.name!r} keeps everything."
        if space.retention_days is None
        else f"{space.name!r} keeps things for {space.retention_days:,} days."
    )
    _say(session, space, words)


# --- a person -------------------------------------------------------------------------------------


def person_own(session: CommandContext) -> None:
    """Show, export or delete a person's data."""
    person_show(session)


def person_show(session: CommandContext, who: Person = None) -> None:
    """Show how much the store holds about a person, by space."""
    with session.open_store() as memory:
        found = memory.rights.summary(who)

    def draw(screen: "Screen") -> None:
        from recollect.surfaces.cli.views.screen import StyledText

        rows = [
            [[StyledText(space, "bold")], [StyledText(table)], [StyledText(f"{count:,}")]]
            for space, counts in found.spaces.items()
            for table, count in counts.items()
        ]
        if rows:
            screen.table(("space", "of", "rows"), rows)
        else:
            screen.line(StyledText(f"The store holds nothing about {who or 'you'}."))

    session.answer(found, draw)


def person_export(
    session: CommandContext,
    who: Person = None,
    format: Annotated[
        str, Option("--format", metavar="FORMAT", help="json, or markdown.")
    ] = "json",
    output: Annotated[
        str | None, Option("--output", "-o", metavar="FILE", help="The file to write.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Export everything about a person, across spaces.

    'recollect import' reads the Markdown back. 'recollect archive' keeps a whole store, with its
    vectors.
    """
    from recollect.surfaces.cli.commands.export import write_whole

    with session.open_store() as memory:
        pieces = memory.rights.export_person(format, user=who)
        if output is not None:
            path = Path(output).expanduser()
            characters = write_whole(path, pieces, over=force, private=True)
            answer = {"file": str(path), "format": format, "characters": characters}
            _say(session, answer, f"Wrote {characters:,} characters to {path}.")
        elif session.options.json and format != "json":
            session.answer({"format": format, "text": "".join(pieces)}, lambda _: None)
        else:
            for piece in pieces:
                sys.stdout.write(piece)


def person_delete(
    session: CommandContext,
    who: Annotated[str, Argument(metavar="USER", help="The person.")],
    confirm: Confirm = "",
) -> None:
    """Permanently delete everything about a person, in every space.

    Memories, history, words, vectors, questions, settings, sessions, tokens. Others' memories lose
    the words taken from them; spaces that only they used are deleted entirely.
    """
    with session.open_store() as memory:
        done = memory.rights.delete_person(who, confirm=confirm)
    left = [*done.left, *_copies(session, done.user)]
    words = (
        f"Deleted {done.memories:,} memories, {done.events:,} events, {done.streams:,} streams and "
        f"{done.rows:,} other rows of {done.user}; {done.rewritten:,} memories of others were "
        f"rewritten and {done.derived_deleted:,} deleted."
    )
    _say(session, {**_fields(done), "left": left}, words)
    _warn(session, left)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _copies(session: CommandContext, user: str) -> list[str]:
    """Files on this machine that may still hold data of a deleted person.

    Files that hooks wrote for the person who is logged in here are removed; those of anybody else
    are named.
    """
    from recollect.settings import agent_folder

    found = []
    if "://" not in session.settings["db"].text:
        place = session.place
        own = {place.name, *(f"{place.name}{end}" for end in ("-wal", "-shm", ".lock", "-lock"))}
        beside = sorted(place.parent.glob(f"{place.name}*"))
        found = [str(path) for path in beside if path.name not in own and path.is_file()]
    folder = agent_folder()
    waiting = [path for kind in _WAITING for path in sorted(folder.glob(f"**/{kind}"))]
    for path in waiting:
        if user == (session.settings["user"].text or getpass.getuser()):
            path.unlink(missing_ok=True)
        elif path.is_file() and path.stat().st_size:
            found.append(str(path))
    return found


def _warn(session: CommandContext, left: list[str]) -> None:
    if left:
        session.note("Something may be left in: " + "; ".join(left) + ".")


def _say(session: CommandContext, value: Any, words: str) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    session.answer(value, lambda screen: screen.line(StyledText(words)))


def _group() -> Typer:
    return Typer(
        cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
    )


spaces = _group()
spaces.callback()(command(spaces_list))
spaces.command("rename", cls=CliCommand)(command(spaces_rename))
spaces.command("archive", cls=CliCommand)(command(spaces_archive))
spaces.command("restore", cls=CliCommand)(command(spaces_restore))
spaces.command("delete", cls=CliCommand)(command(spaces_delete))
spaces.command("retain", cls=CliCommand)(command(spaces_retain))

person = _group()
person.callback()(command(person_own))
person.command("show", cls=CliCommand)(command(person_show))
person.command("export", cls=CliCommand)(command(person_export))
person.command("delete", cls=CliCommand)(command(person_delete))
