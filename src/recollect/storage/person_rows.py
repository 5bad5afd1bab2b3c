"""Every row that belongs to a person or names one: read for export, deleted, or anonymised.

``OWN`` rows are the person's. Rows with ``NAMED`` columns belong to others too and only record who
did something: the row stays, the name is replaced. A test checks both lists against the schema.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, func, or_, select, update

from recollect.storage.prepared import dialect_of
from recollect.storage.schema import (
    agent_served,
    agent_sessions,
    audience_sources,
    author_aliases,
    events,
    memories,
    memory_events,
    memory_history,
    memory_relations,
    metadata,
    observed_sessions,
    sightings,
    space_members,
    spaces,
    streams,
    sync_items,
    sync_peers,
    sync_spaces,
)

#: Tables whose rows belong to one person, and the column with the person.
OWN: Final[dict[str, str]] = {
    "access_tokens": "user_id",
    "audit_log": "user_id",
    "author_aliases": "user_id",
    "dispute_comments": "author",
    "entries": "user_id",
    "event_reactions": "user_id",
    "events": "author",
    "group_members": "user_id",
    "incognito_sessions": "user_id",
    "memories": "created_by",
    "memory_settings": "user_id",
    "open_questions": "user_id",
    "quarantine": "user_id",
    "retrievals": "user_id",
    "shared_tags": "user_id",
    "space_members": "user_id",
    "stream_members": "user_id",
    "sync_peers": "user_id",
    "tombstones": "user_id",
}
#: Columns that name a person in rows that stay.
NAMED: Final[tuple[tuple[str, str], ...]] = (
    ("access_tokens", "created_by"),
    ("agent_reviews", "actor"),
    ("agent_trust", "chosen_by"),
    ("audiences", "owner"),
    ("author_aliases", "confirmed_by"),
    ("contradictions", "resolved_by"),
    ("disputes", "opened_by"),
    ("disputes", "escalated_by"),
    ("disputes", "resolved_by"),
    ("event_revisions", "editor"),
    ("experiments", "started_by"),
    ("groups", "created_by"),
    ("memory_history", "actor"),
    ("streams", "owner"),
    ("weight_proposals", "applied_by"),
    ("weight_proposals", "undone_by"),
)
#: Tables erased separately, because their texts are in the index.
_INDEXED: Final = frozenset({"events", "memories"})
#: Columns never exported: what gives access to the store, and hashes that nobody can read.
_NOT_EXPORTED: Final = frozenset({"digest", "simhash"})


def names_of(connection: Connection, space_id: str, user: str) -> list[str]:
    """A person's names in a space: their own, and those that were confirmed."""
    others = connection.execute(
        select(author_aliases.c.alias).where(
            author_aliases.c.space_id == space_id, author_aliases.c.user_id == user
        )
    ).scalars()
    return [user, *others]


def spaces_with(connection: Connection, user: str) -> list[str]:
    """The spaces that contain rows of a person, or name them, oldest first."""
    found: set[str] = set()
    for table, column in (*OWN.items(), *NAMED):
        rows = metadata.tables[table]
        if "space_id" in rows.c:
            named = select(rows.c.space_id).where(rows.c[column] == user).distinct()
            found.update(connection.execute(named).scalars())
    order = connection.execute(select(spaces.c.space_id).order_by(spaces.c.number)).scalars()
    return [space_id for space_id in order if space_id in found]


def counts_of(connection: Connection, space_id: str, names: Sequence[str]) -> dict[str, int]:
    """Number of a person's rows in a space, by table."""
    counts = {}
    for name in sorted(OWN):
        table = metadata.tables[name]
        if "space_id" in table.c:
            query = select(func.count()).select_from(table).where(_owned(table, space_id, names))
            if count := connection.execute(query).scalar_one():
                counts[name] = int(count)
    return counts


def rows_of(
    connection: Connection, space_id: str, names: Sequence[str]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A person's rows in a space, table by table, without those exported in another form."""
    for name in sorted(OWN):
        table = metadata.tables[name]
        if name in _INDEXED or "space_id" not in table.c:
            continue
        columns = [column for column in table.c if column.name not in _NOT_EXPORTED]
        query = select(*columns).where(_owned(table, space_id, names))
        rows = connection.execute(query.order_by(*table.primary_key)).mappings()
        if found := [dict(row) for row in rows]:
            yield name, found


def memory_ids(connection: Connection, space_id: str, names: Sequence[str]) -> list[str]:
    """The memories that a person made."""
    return list(
        connection.execute(
            select(memories.c.memory_id)
            .where(_owned(memories, space_id, names))
            .order_by(memories.c.memory_id)
        ).scalars()
    )


def event_rows(connection: Connection, space_id: str, names: Sequence[str]) -> list[Any]:
    """Events by a person that still have text, in the order of their ids."""
    return list(
        connection.execute(
            select(events)
            .where(_owned(events, space_id, names), events.c.deleted_at.is_(None))
            .order_by(events.c.event_id)
        )
    )


def own_streams(connection: Connection, space_id: str, names: Sequence[str]) -> list[Any]:
    """The streams of a person on which no other person of the space has written."""
    people = select(space_members.c.user_id).where(space_members.c.space_id == space_id)
    aliases = select(author_aliases.c.alias).where(author_aliases.c.space_id == space_id)
    others = (
        select(events.c.stream_id)
        .where(
            events.c.space_id == space_id,
            events.c.author.not_in(list(names)),
            or_(events.c.author.in_(people), events.c.author.in_(aliases)),
        )
        .distinct()
    )
    return list(
        connection.execute(
            select(streams).where(
                streams.c.space_id == space_id,
                streams.c.owner.in_(list(names)),
                streams.c.stream_id.not_in(others),
            )
        )
    )


def events_on(connection: Connection, space_id: str, stream_ids: Sequence[str]) -> list[Any]:
    """Every event on streams."""
    if not stream_ids:
        return []
    return list(
        connection.execute(
            select(events).where(
                events.c.space_id == space_id, events.c.stream_id.in_(list(stream_ids))
            )
        )
    )


def stream_names(
    connection: Connection, space_id: str, stream_ids: Sequence[str]
) -> dict[str, tuple[str, bool]]:
    """The names of streams, and whether each is private."""
    rows = connection.execute(
        select(streams.c.stream_id, streams.c.name, streams.c.access).where(
            streams.c.space_id == space_id, streams.c.stream_id.in_(list(stream_ids))
        )
    )
    return {row.stream_id: (row.name, row.access == "private") for row in rows}


def derived_memories(
    connection: Connection, space_id: str, memory_ids: Sequence[str], event_ids: Sequence[str]
) -> list[str]:
    """The memories of others that were derived from these memories or cite these events."""
    found: set[str] = set()
    for start in range(0, len(memory_ids), 500):
        part = list(memory_ids[start : start + 500])
        found.update(
            connection.execute(
                select(memory_relations.c.source_id).where(
                    memory_relations.c.space_id == space_id,
                    memory_relations.c.target_kind == "memory",
                    memory_relations.c.target.in_(part),
                    memory_relations.c.type.in_(["derived_from", "supersedes"]),
                )
            ).scalars()
        )
    for start in range(0, len(event_ids), 500):
        found.update(
            connection.execute(
                select(memory_events.c.memory_id).where(
                    memory_events.c.space_id == space_id,
                    memory_events.c.event_id.in_(list(event_ids[start : start + 500])),
                )
            ).scalars()
        )
    return sorted(found - set(memory_ids))


def empty_history(connection: Connection, space_id: str, memory_id: str) -> None:
    """Remove the text from a memory's history; who changed it and when stays."""
    connection.execute(
        update(memory_history)
        .where(memory_history.c.space_id == space_id, memory_history.c.memory_id == memory_id)
        .values(changes=None)
    )


def is_synced(connection: Connection, space_id: str) -> bool:
    """Whether other devices may have copies of a space's data."""
    query = select(sync_spaces.c.device_id).where(sync_spaces.c.space_id == space_id)
    return connection.execute(query).first() is not None


def servers_of(connection: Connection, space_ids: Sequence[str]) -> list[str]:
    """The addresses of the servers that spaces are synced with, each once."""
    query = select(sync_peers.c.address).where(
        sync_peers.c.space_id.in_(list(space_ids)), sync_peers.c.address.is_not(None)
    )
    return sorted(set(connection.execute(query).scalars()))


def remove_content_authors(connection: Connection, space_id: str, ids: Sequence[str]) -> None:
    """Remove the authors of the contents of deleted memories; their sync stamps stay."""
    mine = (sync_items.c.space_id == space_id, sync_items.c.kind == "memory")
    query = select(sync_items.c.item_id, sync_items.c.state)
    for item_id, known in connection.execute(
        query.where(*mine, sync_items.c.item_id.in_(list(ids)))
    ).all():
        state = {name: part for name, part in known.items() if name != "texts"}
        connection.execute(
            update(sync_items).where(*mine, sync_items.c.item_id == item_id).values(state=state)
        )


def delete_streams(connection: Connection, space_id: str, found: Sequence[Any]) -> int:
    """Delete streams, and the observations of their sessions; how many streams.

    A stream that a memory of others still cites stays, without text: it decides who may see that
    memory.
    """
    needed = _sources(connection, space_id)
    for row in found:
        # a session's stream is named after its agent and its id
        sessions = [row.name, row.name.partition(" ")[2]] if row.kind == "session" else []
        for table in (agent_served, sightings, observed_sessions, agent_sessions):
            connection.execute(
                delete(table).where(table.c.space_id == space_id, table.c.session_id.in_(sessions))
            )
        if row.stream_id in needed:
            continue
        connection.execute(
            delete(events).where(events.c.space_id == space_id, events.c.stream_id == row.stream_id)
        )
        connection.execute(
            delete(streams).where(
                streams.c.space_id == space_id, streams.c.stream_id == row.stream_id
            )
        )
    return sum(row.stream_id not in needed for row in found)


def _sources(connection: Connection, space_id: str) -> set[str]:
    """The streams that decide who may see some memory."""
    return set(
        connection.execute(
            select(audience_sources.c.stream_id)
            .join(
                memories,
                (memories.c.space_id == audience_sources.c.space_id)
                & (memories.c.audience_id == audience_sources.c.audience_id),
            )
            .where(audience_sources.c.space_id == space_id)
            .distinct()
        ).scalars()
    )


def delete_rows(connection: Connection, space_id: str, names: Sequence[str], user: str) -> int:
    """Delete the rows of a person that are not indexed; how many."""
    done = 0
    for name in OWN:
        table = metadata.tables[name]
        if name in _INDEXED or "space_id" not in table.c:
            continue
        bearers = [user] if name == "author_aliases" else names
        done += connection.execute(delete(table).where(_owned(table, space_id, bearers))).rowcount
    return done


def anonymise(connection: Connection, space_id: str, names: Sequence[str], instead: str) -> int:
    """Replace a person's names in rows that stay; how many values were changed."""
    dialect = dialect_of(connection)
    dialect.allow_scope_changes(connection, True)
    done = 0
    for table, column in (*NAMED, ("events", "author")):
        rows = metadata.tables[table]
        if "space_id" not in rows.c:
            continue
        done += connection.execute(
            update(rows)
            .where(rows.c.space_id == space_id, rows.c[column].in_(list(names)))
            .values({column: instead})
        ).rowcount
    dialect.allow_scope_changes(connection, False)
    return done


def delete_from_groups(connection: Connection, user: str, instead: str) -> int:
    """Remove a person from every team and organisation; how many."""
    members, groups = metadata.tables["group_members"], metadata.tables["groups"]
    connection.execute(update(groups).where(groups.c.created_by == user).values(created_by=instead))
    return connection.execute(delete(members).where(members.c.user_id == user)).rowcount


def _owned(table: Table, space_id: str, names: Sequence[str]) -> Any:
    column = OWN[table.name]
    return (table.c.space_id == space_id) & table.c[column].in_(list(names))
