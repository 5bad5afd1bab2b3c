"""Rows of signals of an event: reactions, replies, mentions and usefulness."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Text, bindparam, func, insert, or_, select, update

from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import event_reactions, event_signals, events, memory_events


class Signals(NamedTuple):
    """The signals of an event, and how far they raised its value."""

    reactions: int
    replies: int
    mentions: int
    retrievals: int
    value: int
    tier: int
    header: str | None


_SPACE: Final = bindparam("space", type_=Text)
_EVENT: Final = bindparam("event", type_=Text)
_COUNTED: Final = Prepared(
    lambda: select(
        select(func.count())
        .select_from(event_reactions)
        .where(event_reactions.c.space_id == _SPACE, event_reactions.c.event_id == _EVENT)
        .scalar_subquery()
        .label("reactions"),
        select(func.count())
        .select_from(events)
        .where(events.c.space_id == _SPACE, events.c.reply_to == _EVENT)
        .scalar_subquery()
        .label("replies"),
        select(func.count())
        .select_from(memory_events)
        .where(memory_events.c.space_id == _SPACE, memory_events.c.event_id == _EVENT)
        .scalar_subquery()
        .label("mentions"),
    )
)
_AT: Final = Prepared(
    lambda: select(*(event_signals.c[name] for name in Signals._fields)).where(_at(_SPACE, _EVENT))
)
_UPDATE: Final = Prepared(
    lambda: (
        update(event_signals)
        .where(_at(_SPACE, _EVENT))
        .values({name: bindparam(name) for name in (*Signals._fields, "updated_at")})
    )
)
_INSERT: Final = Prepared(
    lambda: insert(event_signals).values(
        {name: bindparam(name) for name in ("space_id", "event_id", *Signals._fields, "updated_at")}
    )
)


def counted(connection: Connection, space_id: str, event_id: str) -> tuple[int, int, int]:
    """Reactions, replies and mentions as currently in the tables."""
    row = _COUNTED.first(connection, space=space_id, event=event_id)
    return (0, 0, 0) if row is None else (row.reactions, row.replies, row.mentions)


def signals_of(connection: Connection, space_id: str, event_id: str) -> Signals | None:
    """The stored signals of an event; None if there are none."""
    row = _AT.first(connection, space=space_id, event=event_id)
    return None if row is None else Signals._make(row)


def put_signals(
    connection: Connection, space_id: str, event_id: str, signals: Signals, now: datetime
) -> None:
    """Store signals, replacing earlier ones."""
    values = signals._asdict() | {"updated_at": now}
    if not _UPDATE.run(connection, space=space_id, event=event_id, **values):
        _INSERT.run(connection, space_id=space_id, event_id=event_id, **values)


def put_values(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store the values of new events: space, event, then the signals in order, and the time."""
    columns = ("space_id", "event_id", *Signals._fields, "updated_at")
    insert_rows(connection, event_signals, columns, rows)


def is_pointed_at(connection: Connection, space_id: str, event_id: str) -> bool:
    """Whether any memory cites an event, visible or not."""
    query = select(memory_events.c.memory_id).where(
        memory_events.c.space_id == space_id, memory_events.c.event_id == event_id
    )
    return connection.execute(query.limit(1)).first() is not None


def uncounted_messages(connection: Connection, space_id: str, limit: int) -> list[str]:
    """Messages with uncounted reactions or replies, newest first."""
    signed = select(event_reactions.c.event_id).where(event_reactions.c.space_id == space_id)
    answered = select(events.c.reply_to).where(
        events.c.space_id == space_id, events.c.reply_to.is_not(None)
    )
    noticed = select(event_signals.c.event_id).where(
        event_signals.c.space_id == space_id,
        (event_signals.c.reactions > 0) | (event_signals.c.replies > 0),
    )
    query = (
        select(events.c.event_id)
        .where(
            events.c.space_id == space_id,
            events.c.deleted_at.is_(None),
            or_(events.c.event_id.in_(signed), events.c.event_id.in_(answered)),
            events.c.event_id.not_in(noticed),
        )
        .order_by(events.c.occurred_at.desc(), events.c.event_id)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def count_verdict(
    connection: Connection, space_id: str, ids: Sequence[str], column: str, now: datetime
) -> None:
    """Count one more ``cited`` or ``helpful`` on these events."""
    counted_column = {"cited": event_signals.c.cited, "helpful": event_signals.c.helpful}[column]
    for event_id in sorted(set(ids)):
        if signals_of(connection, space_id, event_id) is None:
            put_signals(connection, space_id, event_id, Signals(0, 0, 0, 0, 0, 1, None), now)
        connection.execute(
            update(event_signals)
            .where(_at(space_id, event_id))
            .values({counted_column: counted_column + 1})
        )


def headers_of(connection: Connection, space_id: str, ids: list[str]) -> dict[str, str]:
    """The contextual headers of those events that have one."""
    rows = connection.execute(
        select(event_signals.c.event_id, event_signals.c.header).where(
            event_signals.c.space_id == space_id,
            event_signals.c.event_id.in_(ids),
            event_signals.c.header.is_not(None),
        )
    )
    return {row.event_id: row.header for row in rows}


def _at(space_id: Any, event_id: Any) -> Any:
    return (event_signals.c.space_id == space_id) & (event_signals.c.event_id == event_id)
