"""Rows of events marked as outside text by mistake, and of memories that inherited their marks."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, func, select, update

from recollect.storage.schema import events, memories, memory_outside, outside_events

_MAX_AT_ONCE: Final = 500


def marked_events(connection: Connection, space_id: str, after: str, limit: int) -> list[Row[Any]]:
    """Marked events in order of id, each with its mark, payload, text and slot."""
    query = (
        select(
            outside_events.c.event_id,
            outside_events.c.origin,
            events.c.payload,
            events.c.text,
            events.c.slot,
            events.c.audience_id,
            events.c.deleted_at,
        )
        .select_from(
            outside_events.join(
                events,
                and_(
                    events.c.space_id == outside_events.c.space_id,
                    events.c.event_id == outside_events.c.event_id,
                ),
            )
        )
        .where(outside_events.c.space_id == space_id, outside_events.c.event_id > after)
        .order_by(outside_events.c.event_id)
        .limit(limit)
    )
    return list(connection.execute(query))


def unmark_events(connection: Connection, space_id: str, ids: Sequence[str]) -> None:
    """Remove the marks of events."""
    for some in _parts(ids):
        connection.execute(
            delete(outside_events).where(
                outside_events.c.space_id == space_id, outside_events.c.event_id.in_(some)
            )
        )


def unmark_memories(
    connection: Connection, space_id: str, origins: Collection[str], discount: float
) -> int:
    """Remove marks of memories; those without another mark get their confidence back. How many."""
    wrong = and_(memory_outside.c.space_id == space_id, memory_outside.c.origin.in_(origins))
    touched = list(connection.execute(select(memory_outside.c.memory_id).where(wrong)).scalars())
    touched = sorted(set(touched))
    if not touched:
        return 0
    connection.execute(delete(memory_outside).where(wrong))
    others = select(memory_outside.c.memory_id).where(
        memory_outside.c.space_id == memories.c.space_id,
        memory_outside.c.memory_id == memories.c.memory_id,
    )
    full = memories.c.confidence / discount
    cleared = 0
    for some in _parts(touched):
        these = and_(
            memories.c.space_id == space_id, memories.c.memory_id.in_(some), ~others.exists()
        )
        values = {"confidence": func.round(full * 1_000_000) / 1_000_000}
        at_most_one = and_(these, full <= 1.0)
        cleared += connection.execute(update(memories).where(at_most_one).values(**values)).rowcount
        states = and_(these, memories.c.type == "work_state")
        connection.execute(update(memories).where(states).values(needs_review=False))
    return cleared


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + _MAX_AT_ONCE] for start in range(0, len(ids), _MAX_AT_ONCE)]
