"""Rows of items as sync reads and writes them, visible or not; needs system access."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, Text, bindparam, delete, insert, select, update

from recollect.storage.prepared import Prepared, insert_rows, update_memories
from recollect.storage.schema import (
    event_reactions,
    event_revisions,
    events,
    memories,
    memory_history,
    memory_relations,
    stream_members,
    streams,
)

_SPACE = bindparam("space", type_=Text)
_IDS = bindparam("ids", type_=Text, expanding=True)


def _by_ids(table: Any, column: str) -> Prepared:
    return Prepared(
        lambda: select(table).where(table.c.space_id == _SPACE, table.c[column].in_(_IDS))
    )


_EVENTS = _by_ids(events, "event_id")
_REACTIONS = _by_ids(event_reactions, "event_id")
_REVISIONS = _by_ids(event_revisions, "event_id")
_STREAMS = _by_ids(streams, "stream_id")
_MEMBERS = _by_ids(stream_members, "stream_id")
_RELATIONS = _by_ids(memory_relations, "source_id")
_HISTORY = _by_ids(memory_history, "memory_id")
_AUDIENCES: Final = {
    "memory": Prepared(
        lambda: select(memories.c.memory_id, memories.c.audience_id).where(
            memories.c.space_id == _SPACE, memories.c.memory_id.in_(_IDS)
        )
    ),
    "event": Prepared(
        lambda: select(events.c.event_id, events.c.audience_id).where(
            events.c.space_id == _SPACE, events.c.event_id.in_(_IDS)
        )
    ),
    "stream": Prepared(
        lambda: select(streams.c.stream_id, streams.c.audience_id).where(
            streams.c.space_id == _SPACE, streams.c.stream_id.in_(_IDS)
        )
    ),
}


class EventRows(NamedTuple):
    """An event with its reactions and revisions."""

    event: Row[Any]
    reactions: list[Row[Any]]
    revisions: list[Row[Any]]


class StreamRows(NamedTuple):
    """A stream with its member list."""

    stream: Row[Any]
    members: list[Row[Any]]


def event_rows(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, EventRows]:
    """Events by id."""
    if not ids:
        return {}
    found = {
        row.event_id: EventRows(row, [], [])
        for row in _EVENTS.rows(connection, space=space_id, ids=ids)
    }
    for row in _REACTIONS.rows(connection, space=space_id, ids=ids):
        found[row.event_id].reactions.append(row)
    for row in _REVISIONS.rows(connection, space=space_id, ids=ids):
        found[row.event_id].revisions.append(row)
    return found


def stream_rows(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, StreamRows]:
    """Streams by id."""
    if not ids:
        return {}
    found = {
        row.stream_id: StreamRows(row, [])
        for row in _STREAMS.rows(connection, space=space_id, ids=ids)
    }
    for row in _MEMBERS.rows(connection, space=space_id, ids=ids):
        found[row.stream_id].members.append(row)
    return found


def relation_rows(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> dict[str, list[Row[Any]]]:
    """The relations from memories, by memory."""
    found: dict[str, list[Row[Any]]] = {}
    for row in _RELATIONS.rows(connection, space=space_id, ids=ids) if ids else ():
        found.setdefault(row.source_id, []).append(row)
    return found


def history_rows(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> dict[str, list[Row[Any]]]:
    """The histories of memories, by memory, oldest first."""
    found: dict[str, list[Row[Any]]] = {}
    rows = _HISTORY.rows(connection, space=space_id, ids=ids) if ids else []
    for row in sorted(rows, key=lambda row: (row.memory_id, row.revision)):
        found.setdefault(row.memory_id, []).append(row)
    return found


def audiences_of(
    connection: Connection, space_id: str, kind: str, ids: Sequence[str]
) -> dict[str, int]:
    """The audience of each existing item."""
    return dict(_AUDIENCES[kind].raw(connection, space=space_id, ids=ids)) if ids else {}


def put_relations(
    connection: Connection, space_id: str, source_id: str, rows: Mapping[tuple[str, ...], Any]
) -> None:
    """Replace the relations from a memory: confidence and whether it was created automatically, by
    type, kind of target and target.
    """
    connection.execute(
        delete(memory_relations).where(
            memory_relations.c.space_id == space_id, memory_relations.c.source_id == source_id
        )
    )
    insert_rows(
        connection,
        memory_relations,
        ("space_id", "source_id", "type", "target_kind", "target", "confidence", "automatic"),
        [(space_id, source_id, *key, *value) for key, value in rows.items()],
    )


def put_counts(connection: Connection, space_id: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store use counts of memories: id, access, retrieval, citation, ignore, last use."""
    update_memories(
        connection,
        memories,
        "access_count = given.column3, retrieval_count = given.column4,"
        " citation_count = given.column5, ignore_count = given.column6,"
        " last_accessed_at = NULLIF(given.column7, 0)",
        [(space_id, *row) for row in rows],
    )


def put_stream(connection: Connection, space_id: str, stream_id: str, values: Any) -> None:
    """Update the mutable columns of a stream."""
    connection.execute(
        update(streams)
        .where(streams.c.space_id == space_id, streams.c.stream_id == stream_id)
        .values(**values)
    )


def put_members(
    connection: Connection, space_id: str, stream_id: str, members: Sequence[tuple[str, Any]]
) -> None:
    """Replace a stream's member list, with the time each was added."""
    connection.execute(
        delete(stream_members).where(
            stream_members.c.space_id == space_id, stream_members.c.stream_id == stream_id
        )
    )
    for user, since in members:
        connection.execute(
            insert(stream_members).values(
                space_id=space_id, stream_id=stream_id, user_id=user, added_at=since
            )
        )


def put_reactions_and_revisions(
    connection: Connection,
    space_id: str,
    event_id: str,
    reactions: Sequence[tuple[Any, ...]],
    revisions: Sequence[tuple[Any, ...]],
) -> None:
    """Replace the reactions (user, emoji, time) and revisions (number, text, editor, time) of an
    event.
    """
    for table in (event_reactions, event_revisions):
        connection.execute(
            delete(table).where(table.c.space_id == space_id, table.c.event_id == event_id)
        )
    insert_rows(
        connection,
        event_reactions,
        ("space_id", "event_id", "user_id", "emoji", "at"),
        [(space_id, event_id, *row) for row in reactions],
    )
    insert_rows(
        connection,
        event_revisions,
        ("space_id", "event_id", "revision", "text", "editor", "at"),
        [(space_id, event_id, *row) for row in revisions],
    )


def put_event(connection: Connection, space_id: str, event_id: str, values: Any) -> None:
    """Update the mutable columns of an event."""
    connection.execute(
        update(events)
        .where(events.c.space_id == space_id, events.c.event_id == event_id)
        .values(**values)
    )
