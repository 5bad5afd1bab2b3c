"""Sync commands: exchange once or repeatedly, preview what would be sent, resolve conflicts."""

import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput, RecollectError, TokenRefused

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.sync import ContentConflict, SyncPreview, SyncReport, SyncStatus

_SHOWN: Final = 100


def sync(  # noqa: PLR0917 - the options of a command
    session: CommandContext,
    address: Annotated[
        str | None,
        Argument(metavar="URL", help="The server's address; remembered after the first time."),
    ] = None,
    token: Annotated[
        str | None,
        Option(
            "--token",
            metavar="TOKEN",
            help="Your access token for the server; or RECOLLECT_SYNC_TOKEN.",
        ),
    ] = None,
    every: Annotated[
        float | None,
        Option("--every", metavar="SECONDS", help="Keep running, and sync at this interval."),
    ] = None,
    preview: Annotated[
        bool, Option("--preview", help="Show what would leave this machine; send nothing.")
    ] = False,
    status: Annotated[
        bool, Option("--status", help="Show the server this space syncs with, and what is pending.")
    ] = False,
    personal: Annotated[
        bool | None,
        Option("--personal/--no-personal", help="Whether personal items are sent too."),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        Option("--leave-out", metavar="NAME", help="A tag, module or stream that is not sent."),
    ] = None,
    vectors_only: Annotated[
        bool | None,
        Option("--vectors-only/--with-text", help="Send vectors and numbers, but no text."),
    ] = None,
    remote_space: Annotated[
        str | None, Option("--remote-space", metavar="NAME", help="The space on the server.")
    ] = None,
    insecure: Annotated[
        bool | None, Option("--insecure", help="Send the token over http to another machine.")
    ] = None,
) -> None:
    """Exchange this space with a server.

    Personal items, what the secret scanner flags, and what --leave-out names stay on this machine.
    """
    leaves: dict[str, Any] = {
        "personal": personal,
        "left_out": leave_out or None,
        "vectors_only": vectors_only,
    }
    with session.open(makes=not status) as memory:
        if status:
            status_found = memory.sync.status()
            session.answer(status_found, lambda screen: _status(screen, status_found))
        elif preview:
            seen = memory.sync.preview(**leaves)
            session.answer(seen, lambda screen: _preview(screen, seen))
        else:
            secret = token or session.settings["sync_token"].text
            if not secret:
                raise InvalidInput(
                    "A sync needs an access token of the server.",
                    hint="'recollect token create' makes one there; give it with --token.",
                )
            options = {**leaves, "insecure": insecure, "remote_space": remote_space}

            def exchange() -> None:
                report = memory.sync.now(address, token=secret, **options)
                session.answer(report, lambda screen: _report(screen, report))

            _repeated(session, exchange, every)


def _repeated(session: CommandContext, exchange: Callable[[], None], every: float | None) -> None:
    """Sync once, or until interrupted; a server that is unavailable is retried later."""
    if every is not None and not 1 <= every <= 86_400:
        raise InvalidInput("The interval between syncs is from 1 second to a day.")
    pause = threading.Event()
    try:
        while True:
            try:
                exchange()
            except TokenRefused:
                raise
            except RecollectError as error:
                if every is None:
                    raise
                session.note(str(error))
            if every is None:
                return
            pause.wait(every)
    except KeyboardInterrupt:
        raise Stopped(
            "Stopped. What was exchanged is kept; the next sync continues there."
        ) from None


def list_conflicts(session: CommandContext) -> None:
    """List what two devices changed; keep one."""
    with session.open() as memory:
        found = memory.sync.conflicts()
    session.answer({"conflicts": found}, lambda screen: _conflicts(screen, found))
    if not found:
        session.note("No memory was changed in two places.")


def keep(
    session: CommandContext,
    memory_id: Annotated[str, Argument(metavar="MEMORY", help="Its id, or the end of it.")],
    number: Annotated[
        int | None, Option("--number", "-n", metavar="N", help="Which content stays: 1, 2, ...")
    ] = None,
    text: Annotated[
        str | None, Option("--text", metavar="TEXT", help="New content that replaces all of them.")
    ] = None,
    both: Annotated[
        bool, Option("--both", help="Keep all: each other content becomes a memory of its own.")
    ] = False,
) -> None:
    """Keep one content of a memory that was changed in two places, write another, or keep both."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as memory:
        version = None
        if number is not None:
            version = _version(memory, memory_id, number)
        kept = memory.sync.resolve(memory_id, keep=version, content=text, both=both)
    session.answer(kept, lambda screen: screen.line(StyledText(f"It says now: {kept.content}")))


def _version(memory: "Recollect", memory_id: str, number: int) -> str:
    found = memory.get(memory_id)
    for conflict in memory.sync.conflicts():
        if conflict.memory_id == found.id and 1 <= number <= len(conflict.versions):
            return conflict.versions[number - 1].version
    raise InvalidInput(
        f"{found.id} has no content {number} to choose.", hint="'recollect conflicts' lists them."
    )


def _report(screen: "Screen", report: "SyncReport") -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    sent = f"Sent {counted(report.pushed, 'change')}, received {report.pulled:,}"
    size = report.bytes_sent + report.bytes_received
    screen.line(
        StyledText(f"{sent}. ", "bold green"),
        StyledText(f"{counted(report.requests, 'request')}, {size:,} bytes.", "dim"),
    )
    for reason, count in sorted(report.stayed.items()):
        screen.line(StyledText(f"{counted(count, 'thing')} stayed here: {reason}.", "dim"))
    for item, reason in report.refused.items():
        screen.line(StyledText(f"The server did not take {item}: {reason}", "yellow"))
    if report.conflicts:
        status_found = f"{counted(len(report.conflicts), 'memory')} changed on both sides"
        screen.line(StyledText(f"{status_found}: 'recollect conflicts' shows both.", "yellow"))


def _preview(screen: "Screen", seen: "SyncPreview") -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    screen.line(StyledText(f"{counted(len(seen.leaving), 'thing')} would leave.", "bold"))
    for thing in seen.leaving[:_SHOWN]:
        by, words = _worded(thing.sent)
        screen.line(
            StyledText(f"{thing.kind} ", "bold"), StyledText(words), StyledText(f"  {by}", "dim")
        )
    if len(seen.leaving) > _SHOWN:
        screen.line(StyledText(f"and {len(seen.leaving) - _SHOWN:,} more", "dim"))
    if seen.leaving:
        screen.line(StyledText("--json shows every byte of each, with its dates and counts", "dim"))
    screen.line(StyledText(f"{counted(len(seen.staying), 'thing')} would stay.", "bold"))
    for thing in seen.staying[:_SHOWN]:
        screen.line(StyledText(f"{thing.kind} {thing.id}: {thing.stays}", "dim"))


def _worded(sent: str) -> tuple[str, str]:
    """Owner of an item that would be sent, and its text for people."""
    thing = json.loads(sent)
    born, fields = thing.get("born", {}), thing.get("fields", {})
    contents = [text for text, _ in thing.get("texts", {}).values()]
    words = contents or [fields.get("text") or born.get("name") or thing["id"]]
    by = born.get("created_by") or born.get("author") or born.get("owner") or ""
    seen_by = born.get("visibility") or fields.get("access") or ""
    return ", ".join(one for one in (by, seen_by) if one), " / ".join(words)


def _status(screen: "Screen", status_found: "SyncStatus") -> None:
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    when = (
        [StyledText("never")]
        if status_found.synced_at is None
        else [screen.when(status_found.synced_at)]
    )
    screen.pairs(
        [
            ("server", [StyledText(status_found.address or "none")]),
            ("last sync", when),
            ("waiting", [StyledText(counted(status_found.waiting, "change"))]),
            ("conflicts", [StyledText(str(status_found.conflicts))]),
            ("not taken", [StyledText(str(len(status_found.refused)))]),
            ("devices that come here", [StyledText(str(status_found.devices))]),
        ]
    )


def _conflicts(screen: "Screen", found: "tuple[ContentConflict, ...]") -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    for conflict in found:
        screen.line(StyledText(conflict.memory_id, "bold"))
        for number, one in enumerate(conflict.versions, 1):
            mark = " (shown)" if one.shown else ""
            screen.line(
                StyledText(f"  {number}. {one.content}"),
                StyledText(f"  {one.by}, {one.at:%Y-%m-%d %H:%M}{mark}", "dim"),
            )


conflicts = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
conflicts.callback()(command(list_conflicts))
conflicts.command("keep", cls=CliCommand)(command(keep))
