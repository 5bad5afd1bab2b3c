"""Rows of personal entries: extracted features, and cached scores.

An entry is a memory that an assistant keeps for one person. The scores decide which entries are
removed when a person has too many.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Connection,
    Integer,
    Row,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.prepared import Prepared, update_memories
from recollect.storage.schema import entries, memories
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds

if TYPE_CHECKING:
    from recollect.vocabulary.personal import Noticed, Scores

#: A row of an entry, as the packages above hold it.
EntryRow = Row[Any]


_OF_MEMORY = (memories.c.space_id == entries.c.space_id) & (
    memories.c.memory_id == entries.c.memory_id
)
_INSERT = Prepared(lambda: insert(entries))
_DROP = Prepared(
    lambda: delete(entries).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.memory_id == bindparam("of_memory", type_=Text),
    )
)
#: Queried with every entry that is added. The expression keeps SQLite from walking all entries of
#: the person: it goes by the ids.
_ROWS = Prepared(
    lambda: select(entries).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.user_id + "" == bindparam("user", type_=Text),
        entries.c.memory_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)
_SERVED = Prepared(
    lambda: (
        select(entries, memories.c.created_at)
        .join(memories, _OF_MEMORY)
        .where(
            entries.c.space_id == bindparam("space", type_=Text),
            entries.c.memory_id.in_(bindparam("ids", type_=Text, expanding=True)),
        )
    )
)
_NEWEST = Prepared(
    lambda: (
        select(entries.c.memory_id)
        .join(memories, _OF_MEMORY)
        .where(
            entries.c.space_id == bindparam("space", type_=Text),
            entries.c.user_id == bindparam("user", type_=Text),
            memories.c.archived_at.is_(None),
            memories.c.superseded_by.is_(None),
        )
        .order_by(entries.c.memory_id.desc())
        .limit(bindparam("most", type_=Integer))
    )
)
#: Excludes pinned and saved entries, so that no trim can touch them.
_TRIMMABLE = (
    entries.c.space_id == bindparam("space", type_=Text),
    entries.c.user_id == bindparam("user", type_=Text),
    entries.c.kept.is_(False),
    memories.c.pinned.is_(False),
    memories.c.manually_saved.is_(False),
)
_LOWEST = Prepared(
    lambda: (
        select(entries.c.memory_id)
        .join(memories, _OF_MEMORY)
        .where(*_TRIMMABLE)
        .order_by(entries.c.total, entries.c.memory_id)
        .limit(bindparam("most", type_=Integer))
    )
)
_OLDEST_SCORES = Prepared(
    lambda: select(func.min(entries.c.scored_at, type_=entries.c.scored_at.type)).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.user_id == bindparam("user", type_=Text),
        entries.c.kept.is_(False),
    )
)
_COUNT = Prepared(
    lambda: (
        select(func.count())
        .select_from(entries)
        .where(
            entries.c.space_id == bindparam("space", type_=Text),
            entries.c.user_id == bindparam("user", type_=Text),
        )
    )
)


def add_entry(
    connection: Connection,
    memory: tuple[str, str, str],
    *,
    noticed: "Noticed",
    scores: "Scores",
    kept: bool,
) -> None:
    """Insert the entry of a new memory, identified by its space, its id and its person."""
    space_id, memory_id, user = memory
    _INSERT.add(
        connection,
        space_id=space_id,
        memory_id=memory_id,
        user_id=user,
        metadata=_noticed_document(noticed),
        metadata_confidence=noticed.confidence,
        kept=kept,
        **_scores_document(scores),
    )


def rows_of(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, Row[Any]]:
    """The viewer's entries of these memories."""
    if not ids:
        return {}
    rows = _ROWS.rows(connection, space=access.space_id, user=access.viewer.user, ids=ids)
    return {row.memory_id: row for row in rows}


def list_entries(
    connection: Connection,
    access: Access,
    *,
    before: str | None,
    limit: int,
    pinned: bool | None,
    manually_saved: bool | None,
) -> list[str]:
    """The ids of the viewer's entries, newest first, past a cursor."""
    if before is None and pinned is None and manually_saved is None:
        mine = {"space": access.space_id, "user": access.viewer.user}
        return _NEWEST.column(connection, **mine, most=limit)
    query = (
        select(entries.c.memory_id)
        .join(memories, _OF_MEMORY)
        .where(
            entries.c.space_id == access.space_id,
            entries.c.user_id == access.viewer.user,
            memories.c.archived_at.is_(None),
            memories.c.superseded_by.is_(None),
        )
    )
    if before:
        query = query.where(entries.c.memory_id < before)
    for column, wanted in (
        (memories.c.pinned, pinned),
        (memories.c.manually_saved, manually_saved),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    return list(
        connection.execute(query.order_by(entries.c.memory_id.desc()).limit(limit)).scalars()
    )


def repeated(
    connection: Connection,
    row: Row[Any],
    *,
    importance: float,
    noticed: "Noticed",
    kept: bool,
) -> None:
    """Store the changes that a repeat of an entry brought."""
    _change(
        connection,
        row,
        importance=importance,
        total=row.relevance + row.recency + importance,
        metadata=_noticed_document(noticed),
        metadata_confidence=noticed.confidence,
        kept=kept,
    )


def set_protected(connection: Connection, access: Access, memory_id: str, kept: bool) -> None:
    """Set whether an entry may never be trimmed."""
    connection.execute(
        update(entries)
        .where(entries.c.space_id == access.space_id, entries.c.memory_id == memory_id)
        .values(kept=kept)
    )


def put_scores(connection: Connection, row: Row[Any], scores: "Scores") -> None:
    """Store an entry's scores."""
    _change(connection, row, **_scores_document(scores))


def store_features(connection: Connection, row: Row[Any], noticed: "Noticed") -> None:
    """Store the features extracted from an entry."""
    _change(
        connection, row, metadata=_noticed_document(noticed), metadata_confidence=noticed.confidence
    )


def served_rows(connection: Connection, served: Collection[tuple[str, str]]) -> list[Row[Any]]:
    """The rows of the entries among served memories, by space and id, with when each was created;
    ids of other memories are ignored.
    """
    found: list[Row[Any]] = []
    by_space: dict[str, list[str]] = {}
    for space_id, memory_id in sorted(served):
        by_space.setdefault(space_id, []).append(memory_id)
    for space_id, ids in by_space.items():
        found += _SERVED.rows(connection, space=space_id, ids=ids)
    return found


def note_scores(connection: Connection, fresh: Sequence[tuple[Row[Any], "Scores"]]) -> None:
    """Store the scores of many entries at once."""
    update_memories(
        connection,
        entries,
        "relevance = given.column3, recency = given.column4, total = given.column5,"
        " scored_at = given.column6",
        [
            (
                row.space_id,
                row.memory_id,
                one.relevance,
                one.recency,
                one.total,
                to_microseconds(one.computed_at),
            )
            for row, one in fresh
        ],
    )


def drop_entry(connection: Connection, access: Access, memory_id: str) -> None:
    """Delete the entry, but not its memory."""
    _DROP.run(connection, space=access.space_id, of_memory=memory_id)


def count_entries(connection: Connection, access: Access) -> int:
    """How many entries the viewer has here."""
    return int(_COUNT.value(connection, space=access.space_id, user=access.viewer.user))


def trimmable(connection: Connection, access: Access) -> list[Row[Any]]:
    """The entries that a trim may remove, the lowest total first."""
    query = select(entries, memories.c.created_at).join(memories, _OF_MEMORY).where(*_TRIMMABLE)
    return list(
        connection.execute(
            query.order_by(entries.c.total, entries.c.memory_id),
            {"space": access.space_id, "user": access.viewer.user},
        )
    )


def lowest(connection: Connection, access: Access, count: int) -> list[str]:
    """The ids of ``count`` entries that a trim may remove, the lowest total first."""
    of = {"space": access.space_id, "user": access.viewer.user}
    return _LOWEST.column(connection, **of, most=count)


def oldest_scores(connection: Connection, access: Access) -> datetime | None:
    """When the oldest scores of trimmable entries were computed."""
    of = {"space": access.space_id, "user": access.viewer.user}
    found: datetime | None = _OLDEST_SCORES.value(connection, **of)
    return found


def people_with_entries(connection: Connection, space_id: str) -> list[str]:
    """The people who have entries in a space; needs system access."""
    query = select(entries.c.user_id).where(entries.c.space_id == space_id).distinct()
    return sorted(connection.execute(query).scalars())


def noticed_of(row: Row[Any]) -> "Noticed":
    """The features extracted from an entry."""
    document: Mapping[str, Any] = row.metadata
    from recollect.vocabulary.personal import Noticed

    return Noticed(
        tuple(document.get("entities", ())),
        tuple(document.get("phrases", ())),
        tuple(document.get("dates", ())),
        tuple(document.get("tags", ())),
        row.metadata_confidence,
        tuple(document.get("proposed", ())),
    )


def scores_of(row: Row[Any]) -> "Scores":
    """The stored scores of an entry."""
    from recollect.vocabulary.personal import Scores

    return Scores(row.relevance, row.recency, row.importance, row.total, row.scored_at)


def stale(row: Row[Any], before: datetime) -> bool:
    """Whether an entry's scores were computed before a time."""
    return bool(row.scored_at < before)


def _change(connection: Connection, row: Row[Any], **values: Any) -> None:
    connection.execute(
        update(entries)
        .where(entries.c.space_id == row.space_id, entries.c.memory_id == row.memory_id)
        .values(**values)
    )


def _noticed_document(noticed: "Noticed") -> dict[str, Any]:
    document = {
        "entities": list(noticed.entities),
        "phrases": list(noticed.phrases),
        "dates": list(noticed.dates),
        "tags": list(noticed.tags),
        "proposed": list(noticed.proposed),
    }
    return {name: values for name, values in document.items() if values}


def _scores_document(scores: "Scores") -> dict[str, Any]:
    return {
        "relevance": scores.relevance,
        "recency": scores.recency,
        "importance": scores.importance,
        "total": scores.total,
        "scored_at": scores.computed_at,
    }
