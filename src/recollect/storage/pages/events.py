"""Rows of events: complete, in chronological order, filtered by the audience of their stream.

Order inside a stream is the time an event happened, then the order of arrival. Revisions and
reactions of an event are read through the event's row, which only an access can get.
"""

from collections.abc import Collection, Sequence, Set
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    type_coerce,
    update,
)
from sqlalchemy.sql.elements import ColumnElement

from recollect.storage.access.visibility_filter import is_visible_row, seen_by, visible_to
from recollect.storage.code_in_text import holds_code
from recollect.storage.pages.aliases import authored_by
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    event_reactions,
    event_revisions,
    event_signals,
    events,
    places,
    streams,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.events import TIME_UNKNOWN, Event, EventKind, Reaction, Revision
from recollect.vocabulary.ids import DIGEST_FROM
from recollect.vocabulary.results import Filters

COLUMNS = (
    "space_id",
    "event_id",
    "stream_id",
    "audience_id",
    "arrival",
    "slot",
    "kind",
    "author",
    "text",
    "payload",
    "reply_to",
    "occurred_at",
    "recorded_at",
)


#: How the stored text of a payload marks an event whose time is unknown.
_MARK_OF_UNKNOWN_TIME: Final = f'"{TIME_UNKNOWN}":true'

_IDS = bindparam("ids", type_=Text, expanding=True)

_BY_ID = Prepared(
    lambda: select(events).where(
        events.c.space_id == bindparam("seen_space", type_=Text),
        events.c.event_id.in_(_IDS),
        is_visible_row(events.c.audience_id),
    )
)
_EXISTING = Prepared(
    lambda: select(events.c.event_id).where(
        events.c.space_id == bindparam("space", type_=Text), events.c.event_id.in_(_IDS)
    )
)
_WITH_DIGESTS = Prepared(
    lambda: select(events.c.event_id, events.c.author, events.c.text, events.c.deleted_at).where(
        events.c.space_id == bindparam("space", type_=Text),
        events.c.stream_id == bindparam("stream", type_=Text),
        func.substr(events.c.event_id, DIGEST_FROM).in_(
            bindparam("digests", type_=Text, expanding=True)
        ),
    )
)

_TEXTS = Prepared(
    lambda: select(events.c.event_id, events.c.text).where(
        events.c.space_id == bindparam("seen_space", type_=Text),
        events.c.event_id.in_(_IDS),
        is_visible_row(events.c.audience_id),
    )
)
_AT_SLOTS = Prepared(
    lambda: (
        select(places.c.slot, events.c.event_id, events.c.text, events.c.audience_id)
        .join(
            events,
            and_(
                events.c.space_id == places.c.space_id,
                events.c.event_id == places.c.item_id,
            ),
        )
        .where(
            places.c.space_id == bindparam("space", type_=Text),
            places.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
        )
    )
)


class Cursor(NamedTuple):
    """A position in a stream's order."""

    occurred_at: datetime
    arrival: int


def add_events(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert new events; each row in the order of ``COLUMNS``, in stored form."""
    insert_rows(connection, events, COLUMNS, rows)


def existing_ids(connection: Connection, space_id: str, ids: Sequence[str]) -> set[str]:
    """Which of these events exist already, visible or not: none is added twice."""
    return set(_EXISTING.column(connection, space=space_id, ids=ids))


def events_with_digests(
    connection: Connection, space_id: str, stream_id: str, digests: Sequence[str]
) -> list[tuple[str, str, str, bool]]:
    """Id, author and text of a stream's events whose ids have one of these digests, visible or not,
    and whether each was deleted.
    """
    found = _WITH_DIGESTS.rows(connection, space=space_id, stream=stream_id, digests=digests)
    return [(one[0], one[1], one[2], one[3] is not None) for one in found]


def events_with_payload_between(
    connection: Connection,
    space_id: str,
    stream_id: str,
    first: datetime,
    last: datetime,
    *,
    marker: str,
    has_marker: bool,
) -> list[tuple[str, Any, datetime]]:
    """Text, payload and time of a stream's events between two times whose payload contains
    ``marker``, or does not; visible or not, to skip what is already stored.
    """
    payload_text = type_coerce(events.c.payload, Text)
    rows = connection.execute(
        select(events.c.text, events.c.payload, events.c.occurred_at)
        .where(
            events.c.space_id == space_id,
            events.c.stream_id == stream_id,
            events.c.occurred_at.between(first, last),
            payload_text.contains(marker) if has_marker else ~payload_text.contains(marker),
        )
        .order_by(events.c.occurred_at, events.c.arrival)
    )
    return [(text, payload, at) for text, payload, at in rows]


def get_events(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, Event]:
    """The events with these ids that the access may see."""
    rows = _BY_ID.rows(connection, ids=ids, **seen_by(access)) if ids else []
    return {row.event_id: event_from(row) for row in rows}


def texts_of(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, str]:
    """The texts of those of the events that the access may see."""
    return dict(_TEXTS.raw(connection, ids=ids, **seen_by(access))) if ids else {}


def texts_at(
    connection: Connection, space_id: str, audiences: Set[int], slots: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """The ids and texts of the events at slots, of those of the audiences that the caller may see;
    to ask for each row again whether it is visible takes as long as to read it.
    """
    rows = _AT_SLOTS.raw(connection, slots=slots, space=space_id) if slots else []
    return {
        slot: (event_id, text) for slot, event_id, text, audience in rows if audience in audiences
    }


def event_row(connection: Connection, access: Access, event_id: str) -> Any | None:
    """The row of an event, with slot and arrival, if the access may see it."""
    return _BY_ID.first(connection, ids=[event_id], **seen_by(access))


def events_around(
    connection: Connection, access: Access, row: Row[Any], *, before: int, after: int
) -> tuple[list[Event], list[Event]]:
    """The events before and after an event in its stream, both in order."""
    return neighbours_in(connection, _visible(access), row, before=before, after=after)


def neighbours_in(
    connection: Connection, readable: Select[Any], row: Row[Any], *, before: int, after: int
) -> tuple[list[Event], list[Event]]:
    """The same, among the events that a query selects."""
    stream = readable.where(events.c.stream_id == row.stream_id)
    place = Cursor(row.occurred_at, row.arrival)
    earlier = connection.execute(
        stream.where(earlier_than(place))
        .order_by(events.c.occurred_at.desc(), events.c.arrival.desc())
        .limit(before)
    ).all()
    later = connection.execute(
        stream.where(later_than(place))
        .order_by(events.c.occurred_at, events.c.arrival)
        .limit(after)
    ).all()
    return [event_from(found) for found in reversed(earlier)], [
        event_from(found) for found in later
    ]


def list_events(
    connection: Connection, access: Access, stream_id: str, *, after: Cursor | None, limit: int
) -> list[tuple[Event, Cursor]]:
    """Events of a stream after a cursor, in order, each with its cursor."""
    query = _visible(access).where(events.c.stream_id == stream_id)
    if after:
        query = query.where(later_than(after))
    query = query.order_by(events.c.occurred_at, events.c.arrival).limit(limit)
    return [
        (event_from(row), Cursor(row.occurred_at, row.arrival)) for row in connection.execute(query)
    ]


def replies_to(connection: Connection, access: Access, event_id: str) -> list[Event]:
    """The replies to an event, in order."""
    query = (
        _visible(access)
        .where(events.c.reply_to == event_id)
        .order_by(events.c.occurred_at, events.c.arrival)
    )
    return [event_from(row) for row in connection.execute(query)]


def rewrite_event(
    connection: Connection,
    row: Row[Any],
    *,
    text: str,
    editor: str,
    at: datetime,
    slot: int | None,
) -> None:
    """Replace the text of an event and store the old one as a revision."""
    revision = connection.execute(
        select(func.count()).where(
            event_revisions.c.space_id == row.space_id, event_revisions.c.event_id == row.event_id
        )
    ).scalar_one()
    connection.execute(
        insert(event_revisions).values(
            space_id=row.space_id,
            event_id=row.event_id,
            revision=revision + 1,
            text=row.text,
            editor=editor,
            at=at,
        )
    )
    _drop_headers(connection, row)
    _change(connection, row, text=text, edited_at=at, slot=slot)


def erase_event(connection: Connection, row: Row[Any], at: datetime) -> None:
    """Erase an event's text and its revisions; the event keeps its place in the order."""
    for table in (event_revisions, event_reactions):
        connection.execute(
            delete(table).where(table.c.space_id == row.space_id, table.c.event_id == row.event_id)
        )
    _drop_headers(connection, row)
    _change(connection, row, text="", payload=None, deleted_at=at, slot=None)


def drop_revisions(connection: Connection, row: Row[Any]) -> None:
    """Delete the earlier texts of an event."""
    connection.execute(
        delete(event_revisions).where(
            event_revisions.c.space_id == row.space_id,
            event_revisions.c.event_id == row.event_id,
        )
    )


def rows_before(
    connection: Connection, space_id: str, before: datetime, limit: int
) -> list[Row[Any]]:
    """Events that happened before a time and still have text; needs system access."""
    return list(
        connection.execute(
            select(events)
            .where(
                events.c.space_id == space_id,
                events.c.occurred_at < before,
                events.c.deleted_at.is_(None),
            )
            .order_by(events.c.occurred_at, events.c.event_id)
            .limit(limit)
        )
    )


def restore_event_text(
    connection: Connection, row: Row[Any], *, text: str, payload: Any, slot: int | None
) -> None:
    """Restore the text of an erased event."""
    _change(connection, row, text=text, payload=payload, deleted_at=None, slot=slot)


def revisions_of(connection: Connection, event: Row[Any]) -> list[Revision]:
    """Earlier texts of an event, oldest first."""
    rows = connection.execute(
        select(event_revisions)
        .where(
            event_revisions.c.space_id == event.space_id,
            event_revisions.c.event_id == event.event_id,
        )
        .order_by(event_revisions.c.revision)
    )
    return [Revision(row.text, row.editor, row.at) for row in rows]


def restore_reactions(
    connection: Connection,
    event: Event,
    reactions: Sequence[Reaction],
    revisions: Sequence[Revision],
) -> None:
    """Restore the reactions and revisions of an event that was just added again."""
    key = {"space_id": event.space_id, "event_id": event.id}
    if event.edited_at or event.deleted_at:
        connection.execute(
            update(events)
            .where(events.c.space_id == event.space_id, events.c.event_id == event.id)
            .values(edited_at=event.edited_at, deleted_at=event.deleted_at)
        )
    for number, old in enumerate(revisions, 1):
        connection.execute(
            insert(event_revisions).values(
                **key, revision=number, text=old.text, editor=old.editor, at=old.at
            )
        )
    for one in reactions:
        connection.execute(
            insert(event_reactions).values(**key, user_id=one.user, emoji=one.emoji, at=one.at)
        )


def count_events(connection: Connection, access: Access) -> int:
    """How many events the access may see."""
    query = select(func.count()).select_from(_visible(access).subquery())
    return int(connection.execute(query).scalar_one())


def streams_named(access: Access, named: Collection[str]) -> Select[Any]:
    """The ids of the streams with one of these ids or names."""
    wanted = sorted(named)
    return select(streams.c.stream_id).where(
        streams.c.space_id == access.space_id,
        or_(streams.c.stream_id.in_(wanted), streams.c.name.in_(wanted)),
    )


def slots_let_through(connection: Connection, access: Access, filters: Filters) -> list[int]:
    """The slots of the events that match the filters."""
    query = _visible(access).with_only_columns(events.c.slot).where(events.c.slot.is_not(None))
    if filters.authors:
        query = query.where(authored_by(access.space_id, filters.authors))
    if filters.streams:
        query = query.where(events.c.stream_id.in_(streams_named(access, filters.streams)))
    if filters.has_code is not None:
        query = query.where(holds_code(events.c.text, filters.has_code))
    if filters.created_after:
        query = query.where(events.c.occurred_at >= filters.created_after)
    if filters.created_before:
        query = query.where(events.c.occurred_at < filters.created_before)
    if filters.created_after or filters.created_before:
        query = query.where(_time_is_known())
    return list(connection.execute(query).scalars())


def _time_is_known() -> ColumnElement[bool]:
    """Condition: the event's time was told, and not only assumed to keep it in order."""
    payload_text = type_coerce(events.c.payload, Text)
    return or_(payload_text.is_(None), ~payload_text.contains(_MARK_OF_UNKNOWN_TIME))


def _drop_headers(connection: Connection, row: Row[Any]) -> None:
    """Delete the headers on the stream of a changed event, which may contain its old text."""
    neighbours = select(events.c.event_id).where(
        events.c.space_id == row.space_id, events.c.stream_id == row.stream_id
    )
    connection.execute(
        update(event_signals)
        .where(
            event_signals.c.space_id == row.space_id,
            event_signals.c.header.is_not(None),
            event_signals.c.event_id.in_(neighbours),
        )
        .values(header=None, tier=1)
    )


def _visible(access: Access) -> Select[Any]:
    return select(events).where(
        events.c.space_id == access.space_id, events.c.audience_id.in_(visible_to(access))
    )


def _change(connection: Connection, row: Row[Any], **values: Any) -> None:
    connection.execute(
        update(events)
        .where(events.c.space_id == row.space_id, events.c.event_id == row.event_id)
        .values(**values)
    )


def later_than(place: Cursor) -> ColumnElement[bool]:
    """Condition: after a position in a stream."""
    return or_(
        events.c.occurred_at > place.occurred_at,
        and_(events.c.occurred_at == place.occurred_at, events.c.arrival > place.arrival),
    )


def earlier_than(place: Cursor) -> ColumnElement[bool]:
    """Condition: before a position in a stream."""
    return or_(
        events.c.occurred_at < place.occurred_at,
        and_(events.c.occurred_at == place.occurred_at, events.c.arrival < place.arrival),
    )


def event_from(row: Row[Any]) -> Event:
    """The event of a row."""
    return Event(
        id=row.event_id,
        space_id=row.space_id,
        stream_id=row.stream_id,
        kind=EventKind(row.kind),
        author=row.author,
        text=row.text,
        payload=row.payload,
        reply_to=row.reply_to,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        edited_at=row.edited_at,
        deleted_at=row.deleted_at,
        time_unknown=row.payload.get(TIME_UNKNOWN) is True,
    )
