"""Visible sessions: stretches of a stream without a long pause, and the slots inside them.

A session is defined as in ``surroundings``: events of a stream, each within ``PAUSE`` of the one
before.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    and_,
    case,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.sql.elements import ColumnElement

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.schema import events, memories, memory_sessions
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import from_microseconds

#: A pause longer than this ends a session; in microseconds.
PAUSE: Final = 8 * 3_600 * 1_000_000

_PAUSE: Final = timedelta(microseconds=PAUSE)


class StreamSession(NamedTuple):
    """A stretch of a stream from its first event to its last, both included."""

    stream_id: str
    start: datetime
    end: datetime


def sessions_of(connection: Connection, access: Access) -> list[StreamSession]:
    """Every session with something that the access may see, in order of its end."""
    moment = type_coerce(events.c.occurred_at, BigInteger)
    order: dict[str, Any] = {
        "partition_by": events.c.stream_id,
        "order_by": (events.c.occurred_at, events.c.arrival),
    }
    before = func.lag(moment).over(**order)
    marked = (
        select(
            events.c.stream_id,
            moment.label("moment"),
            events.c.arrival,
            case((moment - before <= PAUSE, 0), else_=1).label("begins"),
        )
        .where(
            events.c.space_id == access.space_id,
            events.c.audience_id.in_(visible_to(access)),
            events.c.slot.is_not(None),
        )
        .subquery()
    )
    number = func.sum(marked.c.begins).over(
        partition_by=marked.c.stream_id, order_by=(marked.c.moment, marked.c.arrival)
    )
    numbered = select(marked.c.stream_id, marked.c.moment, number.label("number")).subquery()
    first, last = func.min(numbered.c.moment), func.max(numbered.c.moment)
    rows = connection.execute(
        select(numbered.c.stream_id, first, last)
        .group_by(numbered.c.stream_id, numbered.c.number)
        .order_by(last, numbered.c.stream_id)
    )
    return [
        StreamSession(row[0], from_microseconds(row[1]), from_microseconds(row[2])) for row in rows
    ]


def slots_during(
    connection: Connection, access: Access, collection: str, sessions: Sequence[StreamSession]
) -> list[int]:
    """The slots of what was written in the sessions, or was derived in or from them."""
    if not sessions:
        return []
    table = memories if collection == "memories" else events
    within = _made_in(sessions) if collection == "memories" else _said_in(sessions)
    query = select(table.c.slot).where(
        table.c.space_id == access.space_id,
        table.c.audience_id.in_(visible_to(access)),
        table.c.slot.is_not(None),
        within,
    )
    return list(connection.execute(query).scalars())


def _said_in(sessions: Sequence[StreamSession]) -> ColumnElement[bool]:
    return or_(
        *(
            and_(
                events.c.stream_id == one.stream_id,
                events.c.occurred_at >= one.start,
                events.c.occurred_at <= one.end,
            )
            for one in sessions
        )
    )


def _made_in(sessions: Sequence[StreamSession]) -> ColumnElement[bool]:
    """Condition: a memory belongs to a session that it names, or during or soon after which it was
    made.
    """
    streams = sorted({one.stream_id for one in sessions})
    named = (
        select(memory_sessions.c.memory_id)
        .where(
            memory_sessions.c.space_id == memories.c.space_id,
            memory_sessions.c.memory_id == memories.c.memory_id,
            memory_sessions.c.session_id.in_(streams),
        )
        .exists()
    )
    made = [
        and_(memories.c.created_at >= one.start, memories.c.created_at <= one.end + _PAUSE)
        for one in sessions
    ]
    return or_(named, memories.c.session_id.in_(streams), *made)
