"""Evolution commands: contradictions, nightly runs and consolidation."""

from typing import Annotated

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.recent_actions import note_action
from recollect.surfaces.cli.session import CommandContext

NightId = Annotated[str, Argument(metavar="NIGHT", help="The id of a nightly run, from a report.")]
Cursor = Annotated[
    str | None, Option("--cursor", metavar="CURSOR", help="The cursor that the previous page gave.")
]
Limit = Annotated[int, Option("--limit", metavar="COUNT", help="How many at most.")]


def contradictions_list(
    session: CommandContext,
    resolved: Annotated[bool, Option("--resolved", help="List resolved ones instead.")] = False,
    memory: Annotated[
        str | None, Option("--memory", metavar="ID", help="Only those of this memory.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> None:
    """List contradictions; resolve them.

    Memories that cannot both be true, with both texts and dates, newest first.
    """
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        page = store.contradictions.list(
            resolved=resolved, memory=memory, cursor=cursor, limit=limit
        )
    session.answer(page, lambda screen: evolution.contradictions(screen, page.items))
    if not page.items:
        session.note("There are none.")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")


def contradictions_resolve(
    session: CommandContext,
    identifier: Annotated[str, Argument(metavar="ID", help="The contradiction.")],
    resolution: Annotated[
        str, Argument(metavar="HOW", help="a_wins, b_wins, both, or merged (with --text).")
    ],
    note: Annotated[str | None, Option("--note", metavar="TEXT", help="The reason.")] = None,
    text: Annotated[
        str | None, Option("--text", metavar="TEXT", help="The text of the merged memory.")
    ] = None,
) -> None:
    """Decide a contradiction; history keeps both memories."""
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        done = store.contradictions.resolve(identifier, resolution, note=note, text=text)
        note_action(store, "resolve", done.id)
    session.answer(done, lambda screen: evolution.contradictions(screen, [done]))


def contradictions_reopen(
    session: CommandContext,
    identifier: Annotated[str, Argument(metavar="ID", help="The contradiction.")],
) -> None:
    """Undo a decision, yours or a session's; both memories count again."""
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        done = store.contradictions.reopen(identifier)
    session.answer(done, lambda screen: evolution.contradictions(screen, [done]))


def evolve_run(session: CommandContext) -> None:
    """Run nightly maintenance now; list or undo runs.

    Applies feedback, archives what faded, consolidates and looks for contradictions. An interrupted
    run continues where it stopped.
    """
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        report = store.evolution.run()
    session.answer(report, lambda screen: evolution.reports(screen, [report]))


def evolve_reports(session: CommandContext, cursor: Cursor = None, limit: Limit = 10) -> None:
    """List what the nightly runs did, newest first."""
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        page = store.evolution.reports(cursor=cursor, limit=limit)
    session.answer(page, lambda screen: evolution.reports(screen, page.items))


def evolve_changes(session: CommandContext, night: NightId, limit: Limit = 100) -> None:
    """List what a nightly run changed, as far as you may see it."""
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        changes = store.evolution.changes(night, limit=limit)
    session.answer({"changes": changes}, lambda screen: evolution.changes(screen, changes))


def evolve_undo(
    session: CommandContext,
    night: NightId,
    memory: Annotated[
        str | None, Option("--memory", metavar="ID", help="Only what was done to this memory.")
    ] = None,
) -> None:
    """Undo a nightly run, or its change to one memory."""
    from recollect.surfaces.cli.views.screen import StyledText

    with session.open() as store:
        done = store.evolution.undo(night, memory=memory)
    left = f"; {done.changed_since} were changed since and left" if done.changed_since else ""
    session.answer(
        done, lambda screen: screen.line(StyledText(f"{done.restored} changes undone{left}."))
    )


def consolidate(
    session: CommandContext,
    dry_run: Annotated[bool, Option("--dry-run", help="Only report what would be done.")] = False,
) -> None:
    """Merge similar facts and shorten old episodes.

    Also archives superseded memories that nobody used, and links related ones. 'recollect evolve
    undo' reverses it.
    """
    from recollect.surfaces.cli.views import evolution

    with session.open() as store:
        done = store.evolution.consolidate(dry_run=dry_run)
    session.answer(done, lambda screen: evolution.consolidation(screen, done))


def _group() -> Typer:
    return Typer(
        cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
    )


contradictions = _group()
contradictions.callback()(command(contradictions_list))
contradictions.command("resolve", cls=CliCommand)(command(contradictions_resolve))
contradictions.command("reopen", cls=CliCommand)(command(contradictions_reopen))

evolve = _group()
evolve.callback()(command(evolve_run))
evolve.command("reports", cls=CliCommand)(command(evolve_reports))
evolve.command("changes", cls=CliCommand)(command(evolve_changes))
evolve.command("undo", cls=CliCommand)(command(evolve_undo))
