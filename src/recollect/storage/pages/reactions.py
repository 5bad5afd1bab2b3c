"""Rows of reactions to events, and with them the earlier texts of many events at once.

An event's row is what a reaction hangs on, and only an access can get it.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.schema import event_reactions, event_revisions, events
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.events import Reaction, Revision


def add_reaction(connection: Connection, event: Row[Any], reaction: Reaction) -> None:
    """Add a person's reaction to an event, once."""
    remove_reaction(connection, event, reaction.user, reaction.emoji)
    connection.execute(
        insert(event_reactions).values(
            space_id=event.space_id,
            event_id=event.event_id,
            user_id=reaction.user,
            emoji=reaction.emoji,
            at=reaction.at,
        )
    )


def remove_reaction(connection: Connection, event: Row[Any], user: str, emoji: str) -> bool:
    """Remove a person's reaction; whether it was there."""
    done = connection.execute(
        delete(event_reactions).where(
            event_reactions.c.space_id == event.space_id,
            event_reactions.c.event_id == event.event_id,
            event_reactions.c.user_id == user,
            event_reactions.c.emoji == emoji,
        )
    )
    return done.rowcount > 0


def reactions_to(connection: Connection, event: Row[Any]) -> list[Reaction]:
    """The reactions to an event, in order."""
    rows = connection.execute(
        select(event_reactions)
        .where(
            event_reactions.c.space_id == event.space_id,
            event_reactions.c.event_id == event.event_id,
        )
        .order_by(event_reactions.c.at, event_reactions.c.user_id)
    )
    return [Reaction(row.user_id, row.emoji, row.at) for row in rows]


def reactions_and_revisions(
    connection: Connection, access: Access, ids: Sequence[str]
) -> dict[str, tuple[list[Reaction], list[Revision]]]:
    """Reactions and revisions of many events, by event; events without either are omitted."""
    found: dict[str, tuple[list[Reaction], list[Revision]]] = {}
    seen = select(events.c.event_id).where(
        events.c.space_id == access.space_id,
        events.c.event_id.in_(ids),
        events.c.audience_id.in_(visible_to(access)),
    )
    for row in connection.execute(
        select(event_reactions)
        .where(event_reactions.c.space_id == access.space_id, event_reactions.c.event_id.in_(seen))
        .order_by(event_reactions.c.at, event_reactions.c.user_id)
    ):
        found.setdefault(row.event_id, ([], []))[0].append(Reaction(row.user_id, row.emoji, row.at))
    for row in connection.execute(
        select(event_revisions)
        .where(event_revisions.c.space_id == access.space_id, event_revisions.c.event_id.in_(seen))
        .order_by(event_revisions.c.event_id, event_revisions.c.revision)
    ):
        found.setdefault(row.event_id, ([], []))[1].append(Revision(row.text, row.editor, row.at))
    return found
