"""Memos as rows: memories found by what they cite, by topic and by use.

Every statement uses the one visibility filter, so nobody counts what they may not read.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Select, Text, bindparam, func, select

from recollect.storage.access.visibility_filter import is_visible_row, seen_by, visible_to
from recollect.storage.prepared import Prepared
from recollect.storage.schema import (
    events,
    memories,
    memory_events,
    memory_tags,
    places,
    streams,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory_types import MemoryType

_MEMO: Final = MemoryType.MEMO.value

_POINTING = Prepared(
    lambda: (
        select(memory_events.c.event_id, memory_events.c.memory_id)
        .join(
            memories,
            (memories.c.space_id == memory_events.c.space_id)
            & (memories.c.memory_id == memory_events.c.memory_id),
        )
        .where(
            memory_events.c.space_id == bindparam("seen_space", type_=Text),
            memory_events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
            memories.c.type == _MEMO,
            memories.c.archived_at.is_(None),
            is_visible_row(memories.c.audience_id),
        )
    )
)


_SLOTS: Final = bindparam("slots", type_=BigInteger, expanding=True)
_AT_SLOTS = Prepared(
    lambda: (
        select(places.c.slot, memories.c.memory_id)
        .join(
            memories,
            (memories.c.space_id == places.c.space_id) & (memories.c.memory_id == places.c.item_id),
        )
        .where(
            places.c.space_id == bindparam("seen_space", type_=Text),
            places.c.slot.in_(_SLOTS),
            memories.c.type == _MEMO,
            memories.c.archived_at.is_(None),
            is_visible_row(memories.c.audience_id),
        )
    )
)
_EVENTS_AT = Prepared(
    lambda: (
        select(places.c.slot, events.c.event_id)
        .join(
            events,
            (events.c.space_id == places.c.space_id) & (events.c.event_id == places.c.item_id),
        )
        .where(
            places.c.space_id == bindparam("seen_space", type_=Text),
            places.c.slot.in_(_SLOTS),
            is_visible_row(events.c.audience_id),
        )
    )
)

_NAMES = Prepared(
    lambda: select(streams.c.stream_id, streams.c.name).where(
        streams.c.space_id == bindparam("seen_space", type_=Text),
        streams.c.stream_id.in_(bindparam("ids", type_=Text, expanding=True)),
        is_visible_row(streams.c.audience_id),
    )
)


def pointing_at(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the visible memos that cite each of these events."""
    found: dict[str, list[str]] = {}
    rows = _POINTING.raw(connection, ids=list(ids), **seen_by(access)) if ids else []
    for event_id, memory_id in rows:
        found.setdefault(event_id, []).append(memory_id)
    return found


def ids_pointing_at(connection: Connection, space_id: str, event_id: str) -> list[str]:
    """The memos that cite an event, for a system job."""
    query = (
        select(memory_events.c.memory_id)
        .join(
            memories,
            (memories.c.space_id == memory_events.c.space_id)
            & (memories.c.memory_id == memory_events.c.memory_id),
        )
        .where(
            memory_events.c.space_id == space_id,
            memory_events.c.event_id == event_id,
            memories.c.type == _MEMO,
        )
    )
    return list(connection.execute(query).scalars())


def ids_at_slots(connection: Connection, access: Access, slots: Sequence[int]) -> dict[int, str]:
    """The visible memos at slots of the index."""
    return dict(_AT_SLOTS.raw(connection, slots=slots, **seen_by(access))) if slots else {}


def events_at_slots(connection: Connection, access: Access, slots: Sequence[int]) -> dict[int, str]:
    """The visible events at slots of the index."""
    return dict(_EVENTS_AT.raw(connection, slots=slots, **seen_by(access))) if slots else {}


def topics(connection: Connection, access: Access, limit: int) -> list[tuple[str, int, datetime]]:
    """Topics of visible memos: number of memos, and when one of them last changed."""
    query = (
        _visible(access)
        .join(
            memory_tags,
            (memory_tags.c.space_id == memories.c.space_id)
            & (memory_tags.c.memory_id == memories.c.memory_id),
        )
        .with_only_columns(
            memory_tags.c.tag,
            func.count(memories.c.memory_id).label("memos"),
            func.max(memories.c.updated_at, type_=memories.c.updated_at.type).label("last"),
        )
        .group_by(memory_tags.c.tag)
        .order_by(func.count(memories.c.memory_id).desc(), memory_tags.c.tag)
        .limit(limit)
    )
    return [(tag, count, last) for tag, count, last in connection.execute(query)]


def ids_with_beginning(
    connection: Connection, access: Access, beginning: str, limit: int
) -> list[str]:
    """Ids of visible memos with a word in their own text that begins with some letters, the most
    used first.
    """
    text = memories.c.content
    query = (
        _visible(access)
        .where(
            text.istartswith(beginning, autoescape=True)
            | text.icontains(f" {beginning}", autoescape=True)
        )
        .with_only_columns(memories.c.memory_id)
        .order_by(memories.c.retrieval_count.desc(), memories.c.memory_id)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def ids_of_memos(
    connection: Connection,
    access: Access,
    *,
    by: str,
    limit: int,
    topic: str | None = None,
    least_retrievals: int = 0,
) -> list[str]:
    """Ids of visible memos, most used (``by="use"``) or last changed first."""
    query = _visible(access).with_only_columns(memories.c.memory_id)
    if topic is not None:
        linked = select(memory_tags.c.memory_id).where(
            memory_tags.c.space_id == access.space_id, memory_tags.c.tag == topic
        )
        query = query.where(memories.c.memory_id.in_(linked))
    if least_retrievals:
        query = query.where(memories.c.retrieval_count >= least_retrievals)
    used = (memories.c.retrieval_count.desc(), memories.c.citation_count.desc())
    order = used if by == "use" else (memories.c.updated_at.desc(),)
    query = query.order_by(*order, memories.c.memory_id.desc()).limit(limit)
    return list(connection.execute(query).scalars())


def ids_changed_since(
    connection: Connection, access: Access, since: datetime, limit: int
) -> list[str]:
    """Visible memos, archived ones too, that changed since a time, in that order."""
    query = (
        select(memories.c.memory_id)
        .where(
            memories.c.space_id == access.space_id,
            memories.c.type == _MEMO,
            memories.c.updated_at >= since,
            memories.c.audience_id.in_(visible_to(access)),
        )
        .order_by(memories.c.updated_at, memories.c.memory_id)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def stream_names(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, str]:
    """The names of those of the streams that the access may read."""
    wanted = sorted(set(ids))
    found = _NAMES.raw(connection, ids=wanted, **seen_by(access)) if wanted else []
    return {one: name.partition("\x1f")[0] for one, name in found}


def _visible(access: Access) -> Select[Any]:
    return select(memories).where(
        memories.c.space_id == access.space_id,
        memories.c.type == _MEMO,
        memories.c.archived_at.is_(None),
        memories.c.audience_id.in_(visible_to(access)),
    )
