"""Rows of events for the jobs that index them; results are never shown to anyone.

A job belongs to the store and to no viewer, so no audience filters these statements.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Text, bindparam, select, update

from recollect.storage.pages.events import event_from, neighbours_in
from recollect.storage.prepared import Prepared
from recollect.storage.schema import events
from recollect.vocabulary.events import Event

_TEXTS = Prepared(
    lambda: select(events.c.event_id, events.c.text).where(
        events.c.space_id == bindparam("space", type_=Text),
        events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)


def texts_for_jobs(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, str]:
    """Texts for a system job; never shown to anyone."""
    rows = _TEXTS.rows(connection, space=space_id, ids=list(ids))
    return {event: text for event, text in rows}


def surroundings_for_jobs(
    connection: Connection, space_id: str, event_id: str, *, before: int, after: int
) -> tuple[Event, list[Event], list[Event]] | None:
    """An event with its neighbours in its stream, for a system job."""
    here = select(events).where(events.c.space_id == space_id, events.c.deleted_at.is_(None))
    row = connection.execute(here.where(events.c.event_id == event_id)).first()
    if row is None:
        return None
    return event_from(row), *neighbours_in(connection, here, row, before=before, after=after)


def place_for_jobs(
    connection: Connection, space_id: str, event_id: str
) -> tuple[str, int, int] | None:
    """Text, audience and slot of an indexed event."""
    row = connection.execute(
        select(events.c.text, events.c.audience_id, events.c.slot).where(
            events.c.space_id == space_id,
            events.c.event_id == event_id,
            events.c.slot.is_not(None),
        )
    ).first()
    return None if row is None else (row.text, row.audience_id, row.slot)


def move_slot(connection: Connection, space_id: str, event_id: str, slot: int) -> None:
    """Move an event to another index slot."""
    connection.execute(
        update(events)
        .where(events.c.space_id == space_id, events.c.event_id == event_id)
        .values(slot=slot)
    )


def events_to_index(
    connection: Connection, space_id: str, after: str, limit: int
) -> list[Row[Any]]:
    """Events to index, in order of id, for rebuilding the index."""
    query = (
        select(events)
        .where(events.c.space_id == space_id, events.c.event_id > after, events.c.slot.is_not(None))
        .order_by(events.c.event_id)
        .limit(limit)
    )
    return list(connection.execute(query))
