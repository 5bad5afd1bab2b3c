"""Rows of taint marks and quarantine: which events are outside text, which texts are held back."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Text,
    and_,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from recollect.storage.access.visibility_filter import VISIBLE, seen_by
from recollect.storage.pages.streams import PLAIN_NAME
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import events, outside_events, quarantine, streams
from recollect.vocabulary.audiences import Access

if TYPE_CHECKING:
    from recollect.vocabulary.personal import Suspect

_BEFORE = Prepared(
    lambda: (
        select(outside_events.c.origin)
        .distinct()
        .select_from(
            outside_events.join(
                events,
                (events.c.space_id == outside_events.c.space_id)
                & (events.c.stream_id == outside_events.c.stream_id),
            )
        )
        .where(
            events.c.space_id == bindparam("space", type_=Text),
            events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
            outside_events.c.arrival <= events.c.arrival,
        )
    )
)
_IN_SESSIONS = Prepared(
    lambda: (
        select(outside_events.c.origin)
        .distinct()
        .select_from(
            outside_events.join(
                streams,
                (streams.c.space_id == outside_events.c.space_id)
                & (streams.c.stream_id == outside_events.c.stream_id),
            )
        )
        .where(
            streams.c.space_id == bindparam("space", type_=Text),
            PLAIN_NAME.in_(bindparam("names", type_=Text, expanding=True)),
            streams.c.audience_id.in_(VISIBLE),
        )
    )
)
_AFTER = Prepared(
    lambda: select(events.c.event_id).where(
        events.c.space_id == bindparam("space", type_=Text),
        events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
        select(outside_events.c.event_id)
        .where(
            outside_events.c.space_id == events.c.space_id,
            outside_events.c.stream_id == events.c.stream_id,
            outside_events.c.arrival < events.c.arrival,
        )
        .exists(),
    )
)
_MARKS = Prepared(
    lambda: select(outside_events).where(
        outside_events.c.space_id == bindparam("space", type_=Text),
        outside_events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)


def mark_events(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Mark events: space, event, stream, arrival, origin, and why one is suspect."""
    insert_rows(
        connection,
        outside_events,
        ("space_id", "event_id", "stream_id", "arrival", "origin", "suspect"),
        rows,
    )


def origins_before(connection: Connection, space_id: str, ids: Sequence[str]) -> list[str]:
    """Origins of outside text on the streams of these events, up to each event."""
    return sorted(_BEFORE.column(connection, space=space_id, ids=ids)) if ids else []


def after_outside(connection: Connection, space_id: str, ids: Sequence[str]) -> frozenset[str]:
    """Those of the events that come after outside text on their stream."""
    return frozenset(_AFTER.column(connection, space=space_id, ids=ids)) if ids else frozenset()


def origins_in(connection: Connection, access: Access, names: Sequence[str]) -> list[str]:
    """Origins of outside text on the streams of these names that the access may see."""
    if not names:
        return []
    seen = seen_by(access)
    return sorted(_IN_SESSIONS.column(connection, space=access.space_id, names=names, **seen))


def marks_of(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> dict[str, tuple[str, str | None]]:
    """The mark of each event that has one: its origin, and why it is suspect."""
    rows = _MARKS.rows(connection, space=space_id, ids=ids) if ids else []
    return {row.event_id: (row.origin, row.suspect) for row in rows}


def reduce_origin_to_kind(connection: Connection, space_id: str, event_id: str) -> None:
    """Reduce the origin of an erased event to its kind, which the taint mark still needs."""
    here = (outside_events.c.space_id == space_id) & (outside_events.c.event_id == event_id)
    origin = connection.execute(select(outside_events.c.origin).where(here)).scalar()
    if origin is not None:
        door = origin.partition(":")[0]
        connection.execute(update(outside_events).where(here).values(origin=door))


def set_suspicion(
    connection: Connection, space_id: str, event_id: str, suspect: str | None
) -> None:
    """Update why a marked event is suspect, or that it is not."""
    connection.execute(
        update(outside_events)
        .where(outside_events.c.space_id == space_id, outside_events.c.event_id == event_id)
        .values(suspect=suspect)
    )


def quarantine_text(
    connection: Connection, access: Access, suspect: "Suspect", fields: dict[str, Any]
) -> None:
    """Put a text into quarantine."""
    connection.execute(
        insert(quarantine).values(
            space_id=access.space_id,
            quarantine_id=suspect.id,
            user_id=access.viewer.user,
            text=suspect.text,
            origin=suspect.origin,
            reasons={"reasons": list(suspect.reasons)},
            fields=fields,
            at=suspect.at,
        )
    )


def list_suspects(
    connection: Connection, access: Access, *, before: str | None, limit: int
) -> "list[Suspect]":
    """The viewer's quarantined texts, newest first."""
    query = select(quarantine).where(
        quarantine.c.space_id == access.space_id, quarantine.c.user_id == access.viewer.user
    )
    if before:
        query = query.where(quarantine.c.quarantine_id < before)
    rows = connection.execute(query.order_by(quarantine.c.quarantine_id.desc()).limit(limit))
    return [_suspect(row) for row in rows]


def suspect_events(
    connection: Connection, access: Access, *, before: str | None, limit: int
) -> "list[Suspect]":
    """Visible events that are excluded from search because they read like instructions; newest
    first.
    """
    from recollect.vocabulary.personal import Suspect

    joined = outside_events.join(
        events,
        (events.c.space_id == outside_events.c.space_id)
        & (events.c.event_id == outside_events.c.event_id),
    )
    query = (
        select(
            events.c.event_id,
            events.c.text,
            outside_events.c.origin,
            outside_events.c.suspect,
            events.c.recorded_at,
        )
        .select_from(joined)
        .where(
            outside_events.c.space_id == access.space_id,
            outside_events.c.suspect.is_not(None),
            events.c.deleted_at.is_(None),
            events.c.audience_id.in_(VISIBLE),
        )
    )
    if before:
        query = query.where(events.c.event_id < before)
    found = connection.execute(
        query.order_by(events.c.event_id.desc()).limit(limit), seen_by(access)
    )
    return [Suspect(row[0], row[1], row[2], tuple(row[3].split("; ")), row[4]) for row in found]


def find_suspect(
    connection: Connection, access: Access, suspect_id: str
) -> "tuple[Suspect, dict[str, Any]] | None":
    """One of the viewer's quarantined texts, with the fields it would have been stored with."""
    row = connection.execute(select(quarantine).where(_at(access, suspect_id))).first()
    return None if row is None else (_suspect(row), dict(row.fields))


def drop_suspect(connection: Connection, access: Access, suspect_id: str) -> bool:
    """Remove one of the viewer's texts from quarantine; whether it was there."""
    return connection.execute(delete(quarantine).where(_at(access, suspect_id))).rowcount > 0


def drop_suspects(connection: Connection, space_id: str, before: datetime) -> int:
    """Delete quarantined texts that nobody reviewed for long; for maintenance jobs."""
    done = connection.execute(
        delete(quarantine).where(quarantine.c.space_id == space_id, quarantine.c.at < before)
    )
    return done.rowcount


def _suspect(row: Row[Any]) -> "Suspect":
    from recollect.vocabulary.personal import Suspect

    return Suspect(
        row.quarantine_id, row.text, row.origin, tuple(row.reasons.get("reasons", ())), row.at
    )


def _at(access: Access, suspect_id: str) -> ColumnElement[bool]:
    return and_(
        quarantine.c.space_id == access.space_id,
        quarantine.c.user_id == access.viewer.user,
        quarantine.c.quarantine_id == suspect_id,
    )
