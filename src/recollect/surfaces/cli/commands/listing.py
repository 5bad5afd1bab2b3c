"""Listing memories, a page at a time."""

from typing import Annotated

from typer import Option

from recollect.surfaces.cli.narrowing import AsOf, Files, Since, Sure, Tags, Types, Until, narrowing
from recollect.surfaces.cli.session import Session


def list_memories(
    session: Session,
    *,
    type: Types = None,
    tag: Tags = None,
    file: Files = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    sure: Sure = None,
    pinned: Annotated[bool, Option("--pinned", help="Only what is pinned.")] = False,
    review: Annotated[bool, Option("--review", help="Only what waits for a review.")] = False,
    archived: Annotated[bool, Option("--archived", help="Only what was put away.")] = False,
    superseded: Annotated[
        bool, Option("--superseded", help="Also what something newer took the place of.")
    ] = False,
    limit: Annotated[
        int, Option("--limit", "-n", metavar="COUNT", help="How many on a page.")
    ] = 50,
    cursor: Annotated[
        str | None, Option("--cursor", metavar="ID", help="Where the page before ended.")
    ] = None,
) -> None:
    """List memories, newest first."""
    from recollect.surfaces.cli.views import memories

    narrow = narrowing(
        types=type,
        tags=tag,
        files=file,
        since=since,
        until=until,
        as_of=as_of,
        sure=sure,
        pinned=pinned,
        needs_review=review,
        archived=archived,
        superseded=superseded,
    )
    with session.open() as memory:
        page = memory.list(cursor=cursor, limit=limit, **narrow)
    session.answer(page, lambda screen: memories.table(screen, page.items))
    if not page.items:
        session.note("No memories here." if narrow else "Nothing is remembered here yet.")
    if page.next_cursor:
        session.note(f"There are more: add --cursor {page.next_cursor}")
