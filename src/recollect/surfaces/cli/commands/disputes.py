"""Dispute commands: open, comment, escalate, settle."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.disputes import Dispute

DisputeId = Annotated[str, Argument(metavar="ID", help="The dispute.")]
Words = Annotated[str, Argument(metavar="TEXT", help="Your comment.")]
Why = Annotated[str | None, Option("--text", metavar="TEXT", help="The reason.")]


def dispute_list(
    session: CommandContext,
    settled: Annotated[bool, Option("--settled", help="List settled ones instead.")] = False,
    memory: Annotated[
        str | None, Option("--memory", metavar="ID", help="Only those over this memory.")
    ] = None,
    cursor: Annotated[
        str | None,
        Option("--cursor", metavar="CURSOR", help="The cursor that the previous page gave."),
    ] = None,
    limit: Annotated[int, Option("--limit", metavar="COUNT", help="How many at most.")] = 20,
) -> None:
    """List disputes; open or settle one.

    While a dispute is open, the confidence of its memory counts 80 %. Stewards settle disputes.
    """
    with session.open() as store:
        page = store.disputes.list(resolved=settled, memory=memory, cursor=cursor, limit=limit)
    session.answer(page, lambda screen: _draw(screen, page.items))
    if not page.items:
        session.note("There are none.")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")


def dispute_open(
    session: CommandContext,
    memory: Annotated[str, Argument(metavar="MEMORY", help="The memory that you doubt.")],
    text: Words,
) -> None:
    """Dispute a memory, and say why."""
    with session.open() as store:
        found = store.disputes.open(memory, text)
    session.answer(found, lambda screen: _draw(screen, [found]))
    session.note(f"It waits for {', '.join(found.waits_for)}.")


def dispute_comment(session: CommandContext, identifier: DisputeId, text: Words) -> None:
    """Comment on an open dispute."""
    with session.open() as store:
        found = store.disputes.comment(identifier, text)
    session.answer(found, lambda screen: _draw(screen, [found]))


def dispute_escalate(session: CommandContext, identifier: DisputeId, text: Why = None) -> None:
    """Let an owner of the space decide."""
    with session.open() as store:
        found = store.disputes.escalate(identifier, text)
    session.answer(found, lambda screen: _draw(screen, [found]))
    session.note(f"It waits for {', '.join(found.waits_for)}.")


def dispute_resolve(
    session: CommandContext,
    identifier: DisputeId,
    resolution: Annotated[
        str, Argument(metavar="HOW", help="updated (with --content), confirmed, or withdrawn.")
    ],
    content: Annotated[
        str | None, Option("--content", metavar="TEXT", help="The new content of the memory.")
    ] = None,
    text: Why = None,
) -> None:
    """Settle a dispute. Stewards only; owners, if it was escalated."""
    with session.open() as store:
        found = store.disputes.resolve(identifier, resolution, content=content, text=text)
    session.answer(found, lambda screen: _draw(screen, [found]))


def _draw(screen: "Screen", found: "Sequence[Dispute]") -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    for one in found:
        screen.line(
            StyledText(one.id, "cyan"),
            StyledText(f"  {one.state}", "bold yellow" if one.resolution is None else "green"),
            StyledText(f"  over {one.memory_id}, opened by {one.opened_by}"),
        )
        screen.lines(
            [[StyledText(f"{said.author}: {said.text}")] for said in one.comments], indent=2
        )


dispute = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
dispute.callback()(command(dispute_list))
dispute.command("open", cls=CliCommand)(command(dispute_open))
dispute.command("comment", cls=CliCommand)(command(dispute_comment))
dispute.command("escalate", cls=CliCommand)(command(dispute_escalate))
dispute.command("resolve", cls=CliCommand)(command(dispute_resolve))
