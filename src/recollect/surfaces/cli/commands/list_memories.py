"""Command ``list``: lists memories, one page at a time."""

from typing import Annotated

from typer import Option

from recollect.surfaces.cli.filters import (
    Archived,
    AsOf,
    Authors,
    Files,
    HasCode,
    Modules,
    Pinned,
    Review,
    Scopes,
    Since,
    Sources,
    StreamNames,
    Superseded,
    Sure,
    Tags,
    Types,
    Until,
    narrowing,
)
from recollect.surfaces.cli.session import CommandContext


def list_memories(
    session: CommandContext,
    *,
    type: Types = None,
    tag: Tags = None,
    file: Files = None,
    module: Modules = None,
    source: Sources = None,
    scope: Scopes = None,
    author: Authors = None,
    stream: StreamNames = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    sure: Sure = None,
    pinned: Pinned = False,
    review: Review = False,
    archived: Archived = False,
    superseded: Superseded = False,
    code: HasCode = None,
    limit: Annotated[int, Option("--limit", "-n", metavar="COUNT", help="How many per page.")] = 50,
    order: Annotated[
        str, Option("--order", metavar="ORDER", help="Sort by: newest, unsure, used.")
    ] = "newest",
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="The cursor that the previous page gave.")
    ] = None,
) -> None:
    """List memories, newest first."""
    from recollect.surfaces.cli.views import memories

    narrow = narrowing(
        types=type,
        tags=tag,
        files=file,
        modules=module,
        sources=source,
        scopes=scope,
        authors=author,
        streams=stream,
        since=since,
        until=until,
        as_of=as_of,
        sure=sure,
        pinned=pinned,
        needs_review=review,
        archived=archived,
        superseded=superseded,
        code=code,
    )
    with session.open() as memory:
        page = memory.list(cursor=cursor, limit=limit, order=order, **narrow)
        items = memory.workspace.with_answers(page.items)
    session.answer(page, lambda screen: memories.table(screen, items))
    if not page.items:
        session.note_nothing(
            "No memory fits these filters." if narrow else "Nothing is remembered here yet."
        )
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")
