"""Workspace commands: memos, topics, experts, gaps, suggestions."""

from typing import Annotated

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

Limit = Annotated[int, Option("--limit", "-n", metavar="COUNT", help="At most this many.")]
MemoId = Annotated[str, Argument(metavar="ID", help="The id of a memo, or its end.")]
EventId = Annotated[str, Argument(metavar="EVENT", help="The id of an event.")]


def list_memos(
    session: CommandContext,
    topic: Annotated[
        str | None, Option("--topic", "-t", metavar="TOPIC", help="Only with this topic.")
    ] = None,
    archived: Annotated[bool, Option("--archived", help="List archived memos instead.")] = False,
    limit: Limit = 20,
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="The cursor that the previous page gave.")
    ] = None,
) -> None:
    """List memos; save, show, find or rate one."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        page = memory.workspace.memos(topic=topic, archived=archived, cursor=cursor, limit=limit)
    session.answer(page, lambda screen: workspace.memos(screen, page.items))
    if not page.items:
        session.note_nothing("No memos here yet: 'recollect memo save EVENT' makes one.")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")


def save_memo(
    session: CommandContext,
    event: EventId,
    summary: Annotated[
        str | None, Option("--summary", metavar="TEXT", help="What it is about, in your words.")
    ] = None,
    topic: Annotated[
        list[str] | None, Option("--topic", "-t", metavar="TOPIC", help="A topic of it.")
    ] = None,
) -> None:
    """Save the conversation around an event as knowledge."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        memo = memory.workspace.save(event, summary=summary, topics=topic or ())
    session.answer(memo, lambda screen: workspace.memo(screen, memo))


def show_memo(session: CommandContext, memo: MemoId) -> None:
    """Show a memo and the current text of its source."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.memo(memo)
    session.answer(found, lambda screen: workspace.memo(screen, found))


def find_memos(
    session: CommandContext,
    question: Annotated[str, Argument(metavar="QUESTION", help="What you want to know.")],
    limit: Limit = 5,
) -> None:
    """Search memos; a score over 0.9 is the same question."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        hits = memory.workspace.search_memos(question, limit=limit)
    session.answer({"found": hits}, lambda screen: workspace.hits(screen, hits))
    if not hits:
        session.note("No memo is about this.")


def rate_memo(
    session: CommandContext,
    memo: MemoId,
    verdict: Annotated[str, Argument(metavar="VERDICT", help="helpful or unhelpful.")],
) -> None:
    """Say whether a memo helped."""
    from recollect.surfaces.cli.views import workspace
    from recollect.vocabulary.errors import InvalidInput

    if verdict not in {"helpful", "unhelpful"}:
        raise InvalidInput(f"A memo is helpful or unhelpful, not {verdict!r}.")
    with session.open() as memory:
        found = memory.workspace.rate_memo(memo, helpful=verdict == "helpful")
    session.answer(found, lambda screen: workspace.memo(screen, found))


def archive_memo(session: CommandContext, memo: MemoId) -> None:
    """Archive a memo; 'recollect restore ID' restores it."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.archive_memo(memo)
    session.answer(found, lambda screen: workspace.memo(screen, found))


def import_knowledge(
    session: CommandContext,
    source: Annotated[
        str, Argument(metavar="SOURCE", help="A CSV file, an SQLite file or postgresql://...")
    ],
    table: Annotated[
        str,
        Option("--table", metavar="NAME", help="The table to read, if the source is a database."),
    ] = "knowledge",
) -> None:
    """Import memos from a knowledge table, which is not changed."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        report = memory.workspace.import_knowledge(source, table=table)
    session.answer(report, lambda screen: workspace.imported(screen, report))


def topics(session: CommandContext, limit: Limit = 50) -> None:
    """List topics with their memos."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.topics(limit=limit)
    session.answer({"topics": found}, lambda screen: workspace.topics(screen, found))
    if not found:
        session.note_nothing("No memo has a topic yet.")


def experts(
    session: CommandContext,
    subject: Annotated[
        str | None, Argument(metavar="[SUBJECT]", help="A question or a topic; all topics if none.")
    ] = None,
    limit: Limit = 5,
) -> None:
    """Find who knows about something."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        if subject is None:
            found = memory.workspace.experts_by_topic(limit=limit)
        else:
            found = {subject: memory.workspace.experts(subject, limit=limit)}
    session.answer({"experts": found}, lambda screen: workspace.experts(screen, found))
    if not any(found.values()):
        where = "here" if subject is None else "about it"
        session.note(f"Nobody said anything {where} that you may read.")


def gaps(session: CommandContext, limit: Limit = 20) -> None:
    """List questions that find nothing."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.gaps(limit=limit)
    session.answer({"gaps": found}, lambda screen: workspace.gaps(screen, found))
    if not found:
        session.note("No question was asked twice without an answer in the last 30 days.")


def suggest(
    session: CommandContext,
    text: Annotated[str, Argument(metavar="TEXT", help="What is being typed.")],
) -> None:
    """Suggest what is already known about a text."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.suggest(text)
    session.answer(found, lambda screen: workspace.hits(screen, found.found))
    if not found.found:
        session.note("Nothing that is known answers this.")


def related(session: CommandContext, event: EventId, limit: Limit = 5) -> None:
    """Show what else is about an event."""
    from recollect.surfaces.cli.views import workspace

    with session.open() as memory:
        found = memory.workspace.related(event, limit=limit)
    session.answer(found, lambda screen: workspace.related(screen, found))
    if not (found.memos or found.discussions):
        session.note("Nothing else is about this.")


memo = Typer(cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True)
memo.callback()(command(list_memos))
memo.command("save", cls=CliCommand)(command(save_memo))
memo.command("show", cls=CliCommand)(command(show_memo))
memo.command("find", cls=CliCommand)(command(find_memos))
memo.command("rate", cls=CliCommand)(command(rate_memo))
memo.command("archive", cls=CliCommand)(command(archive_memo))
memo.command("import", cls=CliCommand)(command(import_knowledge))
