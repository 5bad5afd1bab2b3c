"""Reads memories with their links, and their history. Every read requires an access."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    false,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from recollect.storage.access.visibility_filter import (
    is_visible_joined,
    is_visible_row,
    seen_by,
    visible_to,
)
from recollect.storage.memories.filters import narrow
from recollect.storage.memories.rows import LINKS
from recollect.storage.prepared import Prepared
from recollect.storage.schema import (
    audiences,
    memories,
    memory_events,
    memory_files,
    memory_history,
    memory_sessions,
    memory_staleness,
    memory_tags,
    places,
)
from recollect.vocabulary.audiences import Access, Visibility, shared_audience
from recollect.vocabulary.memory import (
    Action,
    Counts,
    HistoryEntry,
    Levels,
    Memory,
    Provenance,
    WorkUnit,
)
from recollect.vocabulary.memory_types import ListOrder, MemoryType, Scope, Source
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters

#: Primary sort key of a list, ascending; then the newest first.
_ORDERS: Final[dict[ListOrder, ColumnElement[Any] | None]] = {
    ListOrder.NEWEST: None,
    ListOrder.UNSURE: memories.c.confidence,
    ListOrder.USED: -(memories.c.access_count + memories.c.retrieval_count),
}


def joined() -> Select[Any]:
    """Query for memories with their audiences."""
    return select(
        memories,
        audiences.c.owner,
        audiences.c.visibility,
        audiences.c.team,
        audiences.c.organisation,
        audiences.c.stream_id,
    ).join(
        audiences,
        (audiences.c.space_id == memories.c.space_id)
        & (audiences.c.audience_id == memories.c.audience_id),
    )


_SPACE = bindparam("space", type_=Text)
_IDS = bindparam("ids", type_=Text, expanding=True)

_EXISTING = Prepared(
    lambda: select(memories.c.memory_id).where(
        memories.c.space_id == _SPACE, memories.c.memory_id.in_(_IDS)
    )
)
_BY_ID = Prepared(
    lambda: joined().where(
        memories.c.space_id == bindparam("seen_space", type_=Text),
        memories.c.memory_id.in_(_IDS),
        is_visible_joined(audiences),
    )
)
_RANKING_FIELDS = Prepared(
    lambda: (
        select(
            places.c.slot,
            memories.c.memory_id,
            memories.c.content,
            memories.c.type,
            memories.c.source,
            memories.c.confidence,
            memories.c.importance,
            memories.c.half_life_days,
            memories.c.pinned,
            memories.c.created_at,
            memories.c.last_accessed_at,
            memories.c.access_count,
            memories.c.citation_count,
            memories.c.ignore_count,
            memories.c.stale_at,
            memory_staleness.c.changed,
            memory_staleness.c.volatility,
            memories.c.disputed,
        )
        .join(
            memories,
            (memories.c.space_id == places.c.space_id) & (memories.c.memory_id == places.c.item_id),
        )
        .outerjoin(
            memory_staleness,
            (memory_staleness.c.space_id == memories.c.space_id)
            & (memory_staleness.c.memory_id == memories.c.memory_id),
        )
        .where(
            places.c.space_id == bindparam("seen_space", type_=Text),
            places.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
            is_visible_row(memories.c.audience_id),
        )
    )
)
_IS_ACTIVE = Prepared(
    lambda: select(memories.c.memory_id).where(
        memories.c.space_id == bindparam("seen_space", type_=Text),
        memories.c.memory_id == bindparam("id", type_=Text),
        memories.c.archived_at.is_(None),
        memories.c.superseded_by.is_(None),
        is_visible_row(memories.c.audience_id),
    )
)
_LINKED_VALUES = Prepared(
    lambda: union_all(
        *(
            select(
                literal_column(f"'{name}'").label("link"),
                table.c.memory_id,
                table.c.position,
                table.c[column].label("value"),
            ).where(table.c.space_id == _SPACE, table.c.memory_id.in_(_IDS))
            for name, (table, column, _) in LINKS.items()
        )
    )
)


def ranking_fields(connection: Connection, access: Access, slots: Sequence[int]) -> dict[int, Any]:
    """The fields of the memories at slots that ranking needs: content, kind, confidence."""
    rows = _RANKING_FIELDS.rows(connection, slots=slots, **seen_by(access)) if slots else []
    return {row.slot: row for row in rows}


def existing_ids(connection: Connection, space_id: str, ids: Sequence[str]) -> set[str]:
    """Which of these ids exist in the space, visible or not."""
    return set(_EXISTING.column(connection, space=space_id, ids=ids)) if ids else set()


def get_memories(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, Memory]:
    """The memories with these ids that the access may see."""
    rows = _BY_ID.rows(connection, ids=ids, **seen_by(access)) if ids else []
    return {memory.id: memory for memory in completed(connection, access.space_id, rows)}


def is_active(connection: Connection, access: Access, memory_id: str) -> bool:
    """Whether a memory is visible to the access, and neither archived nor superseded."""
    return _IS_ACTIVE.first(connection, id=memory_id, **seen_by(access)) is not None


def ids_starting_with(connection: Connection, access: Access, prefix: str, limit: int) -> list[str]:
    """Ids of visible memories with a prefix, for people who type only the start of one."""
    query = (
        visible_memories(access)
        .with_only_columns(memories.c.memory_id)
        .where(memories.c.memory_id.startswith(prefix, autoescape=True))
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def ids_ending_with(connection: Connection, access: Access, tail: str, limit: int) -> list[str]:
    """Ids of visible memories with a suffix, for those who were shown only the end of one."""
    query = (
        visible_memories(access)
        .with_only_columns(memories.c.memory_id)
        .where(memories.c.memory_id.endswith(tail, autoescape=True))
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def ids_of_session(connection: Connection, access: Access, session_id: str) -> list[str]:
    """Ids of visible memories that a session contributed to, oldest first."""
    linked = select(memory_sessions.c.memory_id).where(
        memory_sessions.c.space_id == access.space_id, memory_sessions.c.session_id == session_id
    )
    query = (
        visible_memories(access)
        .with_only_columns(memories.c.memory_id)
        .where(memories.c.memory_id.in_(linked))
        .order_by(memories.c.memory_id)
    )
    return list(connection.execute(query).scalars())


def is_taught_in(connection: Connection, access: Access, event_id: str) -> bool:
    """Whether a visible memory, archived or not, was taught by a person in this event."""
    linked = select(memory_events.c.memory_id).where(
        memory_events.c.space_id == access.space_id, memory_events.c.event_id == event_id
    )
    query = (
        visible_memories(access)
        .with_only_columns(memories.c.memory_id)
        .where(memories.c.memory_id.in_(linked), memories.c.source == Source.USER_TAUGHT.value)
        .limit(1)
    )
    return connection.execute(query).scalar() is not None


def list_memories(
    connection: Connection,
    access: Access,
    filters: Filters,
    *,
    now: int,
    before: str | None,
    limit: int,
    order: ListOrder = ListOrder.NEWEST,
) -> list[Memory]:
    """Visible memories that match the filters, ordered, after the memory of a cursor."""
    key = _ORDERS[order]
    query = narrow(visible_memories(access), filters, now).order_by(
        *([] if key is None else [key]), memories.c.memory_id.desc()
    )
    if before and key is None:
        query = query.where(memories.c.memory_id < before)
    elif before and key is not None:
        last = connection.execute(
            visible_memories(access).with_only_columns(key).where(memories.c.memory_id == before)
        ).scalar()
        query = query.where(
            or_(key > last, and_(key == last, memories.c.memory_id < before))
            if last is not None
            else false()
        )
    return completed(connection, access.space_id, connection.execute(query.limit(limit)).all())


def slots_let_through(
    connection: Connection, access: Access, filters: Filters, now: int
) -> list[int]:
    """The slots of the memories that match the filters."""
    query = narrow(visible_memories(access), filters, now).with_only_columns(memories.c.slot)
    return list(connection.execute(query.where(memories.c.slot.is_not(None))).scalars())


def count_memories(connection: Connection, access: Access) -> dict[str, int]:
    """Number of visible memories by type, without archived ones."""
    query = (
        visible_memories(access)
        .with_only_columns(memories.c.type, memories.c.archived_at.is_(None), func.count())
        .group_by(memories.c.type, memories.c.archived_at.is_(None))
    )
    counts: dict[str, int] = {}
    for kind, live, count in connection.execute(query):
        name = kind if live else "archived"
        counts[name] = counts.get(name, 0) + count
    return counts


def pointing_at(connection: Connection, access: Access, event_id: str) -> list[Memory]:
    """The visible memories that cite an event."""
    ids = connection.execute(
        select(memory_events.c.memory_id).where(
            memory_events.c.space_id == access.space_id, memory_events.c.event_id == event_id
        )
    ).scalars()
    found = get_memories(connection, access, list(ids))
    return [found[identifier] for identifier in sorted(found)]


def history_of(connection: Connection, memory: Memory) -> list[HistoryEntry]:
    """Every change of a memory, oldest first."""
    return histories_of(connection, memory.space_id, [memory.id])[memory.id]


def histories_of(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> dict[str, list[HistoryEntry]]:
    """Every change of several memories, oldest first."""
    rows = connection.execute(
        select(memory_history)
        .where(memory_history.c.space_id == space_id, memory_history.c.memory_id.in_(ids))
        .order_by(memory_history.c.memory_id, memory_history.c.revision)
    )
    found: dict[str, list[HistoryEntry]] = {one: [] for one in ids}
    for row in rows:
        entry = HistoryEntry(
            memory_id=row.memory_id,
            revision=row.revision,
            action=Action(row.action),
            actor=row.actor,
            at=row.at,
            changes={name: (old, new) for name, (old, new) in row.changes.items()},
        )
        found[row.memory_id].append(entry)
    return found


def cited_by_archived(connection: Connection, access: Access, events: Sequence[str]) -> set[str]:
    """Which of these events a visible archived memory cites."""
    rows = connection.execute(
        select(memory_events.c.event_id)
        .join(
            memories,
            and_(
                memories.c.space_id == memory_events.c.space_id,
                memories.c.memory_id == memory_events.c.memory_id,
            ),
        )
        .where(
            memory_events.c.space_id == access.space_id,
            memory_events.c.event_id.in_(events),
            memories.c.archived_at.is_not(None),
            memories.c.audience_id.in_(visible_to(access)),
        )
    )
    return {row.event_id for row in rows}


def memories_for_jobs(connection: Connection, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """Memories for a system job; never shown to anyone."""
    rows = connection.execute(
        joined().where(memories.c.space_id == space_id, memories.c.memory_id.in_(ids))
    ).all()
    return completed(connection, space_id, rows)


def contents_for_jobs(
    connection: Connection, space_id: str, limit: int
) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """The newest inferred memories of a space with files and tags, for a job avoiding repeats."""
    rows = connection.execute(
        select(memories.c.memory_id, memories.c.content)
        .where(memories.c.space_id == space_id, memories.c.source == Source.OBSERVER_INFERRED)
        .order_by(memories.c.memory_id.desc())
        .limit(limit)
    ).all()
    ids = [row.memory_id for row in rows]
    files = _links(connection, memory_files.c.path, space_id, ids)
    tags = _links(connection, memory_tags.c.tag, space_id, ids)
    return [
        (row.content, frozenset(files[row.memory_id]), frozenset(tags[row.memory_id]))
        for row in rows
    ]


def tags_of(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """The tags of memories whose visibility was checked already."""
    found = _links(connection, memory_tags.c.tag, space_id, ids) if ids else {}
    return {memory_id: frozenset(tags) for memory_id, tags in found.items()}


def _links(
    connection: Connection, column: Any, space_id: str, ids: Sequence[str]
) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {memory_id: set() for memory_id in ids}
    table = column.table
    for memory_id, value in connection.execute(
        select(table.c.memory_id, column).where(
            table.c.space_id == space_id, table.c.memory_id.in_(ids)
        )
    ):
        found[memory_id].add(value)
    return found


def memories_to_index(
    connection: Connection, space_id: str, after: str, limit: int
) -> list[tuple[Memory, int, int]]:
    """Memories to index, with audience and slot, for rebuilding the index."""
    rows = connection.execute(
        joined()
        .where(
            memories.c.space_id == space_id,
            memories.c.memory_id > after,
            memories.c.slot.is_not(None),
        )
        .order_by(memories.c.memory_id)
        .limit(limit)
    ).all()
    complete = completed(connection, space_id, rows)
    return [(memory, row.audience_id, row.slot) for memory, row in zip(complete, rows, strict=True)]


def visible_memories(access: Access) -> Select[Any]:
    """Query for the memories that an access may see, with their audiences."""
    return joined().where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )


def completed(connection: Connection, space_id: str, rows: Sequence[Row[Any]]) -> list[Memory]:
    """Memories from rows, with their links, in the same order."""
    if not rows:
        return []
    ids = [row.memory_id for row in rows]
    linked: dict[str, dict[str, list[str]]] = {name: {} for name in LINKS}
    links = sorted(_LINKED_VALUES.raw(connection, space=space_id, ids=ids))
    for name, memory_id, _, value in links:
        linked[name].setdefault(memory_id, []).append(value)
    return [
        _memory_from(
            row, {name: tuple(values.get(row.memory_id, ())) for name, values in linked.items()}
        )
        for row in rows
    ]


def _memory_from(row: Row[Any], linked: Mapping[str, tuple[str, ...]]) -> Memory:
    """The memory of a row that was joined with its audience."""
    return Memory(
        id=row.memory_id,
        space_id=row.space_id,
        type=MemoryType(row.type),
        content=row.content,
        confidence=row.confidence,
        importance=row.importance,
        audience=shared_audience(
            row.owner, Visibility(row.visibility), row.team, row.organisation, row.stream_id
        ),
        provenance=Provenance(
            source=Source(row.source),
            created_by=row.created_by,
            session_id=row.session_id,
            sessions=linked["sessions"],
            events=linked["events"],
            commit=row.commit_sha,
            outside=linked["outside"],
            phase=None if row.phase is None else Phase(row.phase),
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        scope=Scope(row.scope),
        tags=linked["tags"],
        files=linked["files"],
        modules=linked["modules"],
        levels=_levels(row),
        work_unit=_work_unit(row),
        extras=row.extras,
        citation=row.citation,
        half_life_days=row.half_life_days,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
        pinned=row.pinned,
        manually_saved=row.manually_saved,
        needs_review=row.needs_review,
        user_verified=row.user_verified,
        disputed=row.disputed,
        archived_at=row.archived_at,
        stale_at=row.stale_at,
        last_accessed_at=row.last_accessed_at,
        counts=Counts(row.access_count, row.retrieval_count, row.citation_count, row.ignore_count),
        revision=row.revision,
        times_told=row.times_told,
    )


def _levels(row: Row[Any]) -> Levels:
    return Levels(
        summary=row.summary,
        compressed=row.compressed,
        index=row.index_line,
        full_tokens=row.full_tokens,
        summary_tokens=row.summary_tokens,
        compressed_tokens=row.compressed_tokens,
        index_tokens=row.index_tokens,
    )


def _work_unit(row: Row[Any]) -> WorkUnit | None:
    if row.methodology is None:
        return None
    return WorkUnit(row.methodology, tuple(json.loads(row.work_unit)), row.work_unit_label)
