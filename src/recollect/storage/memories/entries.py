"""Rows of entries: their SimHash and its bands, how often they were repeated, their cached scores.

Two hashes that differ in at most three of 64 bits agree wholly in at least one of four bands of 16.
So near-duplicates are found by four look-ups in an index, however many entries there are.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Row,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    union_all,
    update,
)

from recollect.storage.bulk_inserts import insert_rows, update_memories
from recollect.storage.prepared import Prepared
from recollect.storage.schema import entries, entry_bands, memories, places
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.personal import Noticed, Scores

#: A row of an entry, as the rooms above hold it.
EntryRow = Row[Any]

BANDS: Final = 4
_WIDTH: Final = 16
_SIGN: Final = 1 << 63
_WHOLE: Final = 1 << 64

_OF_MEMORY = (memories.c.space_id == entries.c.space_id) & (
    memories.c.memory_id == entries.c.memory_id
)
_INSERT = Prepared(insert(entries))
_DROP = Prepared(
    delete(entries).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.memory_id == bindparam("of_memory", type_=Text),
    )
)
#: One look-up a band: an OR of the four would be answered by going through all of a person's.
_NEAR = Prepared(
    union_all(
        *(
            select(entry_bands.c.memory_id, entries.c.simhash)
            .join(
                entries,
                (entries.c.space_id == entry_bands.c.space_id)
                & (entries.c.memory_id == entry_bands.c.memory_id),
            )
            .where(
                entry_bands.c.space_id == bindparam("space", type_=Text),
                entry_bands.c.user_id == bindparam("user", type_=Text),
                entry_bands.c.band == band,
                entry_bands.c.bits == bindparam(f"bits_{band}", type_=Integer),
            )
            for band in range(BANDS)
        )
    )
)
_ROWS = Prepared(
    select(entries).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.user_id == bindparam("user", type_=Text),
        entries.c.memory_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)
_OWN_TEXTS = Prepared(
    select(places.c.slot, memories.c.memory_id, memories.c.content, entries.c.metadata)
    .join(
        memories,
        (memories.c.space_id == places.c.space_id) & (memories.c.memory_id == places.c.item_id),
    )
    .join(
        entries,
        (entries.c.space_id == places.c.space_id) & (entries.c.memory_id == places.c.item_id),
    )
    .where(
        places.c.space_id == bindparam("space", type_=Text),
        places.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
        entries.c.user_id == bindparam("user", type_=Text),
    )
)
#: What is pinned or saved is no part of these, so that no trim can touch it.
_TRIMMABLE = (
    entries.c.space_id == bindparam("space", type_=Text),
    entries.c.user_id == bindparam("user", type_=Text),
    entries.c.kept.is_(False),
    memories.c.pinned.is_(False),
    memories.c.manually_saved.is_(False),
)
_LOWEST = Prepared(
    select(entries.c.memory_id)
    .join(memories, _OF_MEMORY)
    .where(*_TRIMMABLE)
    .order_by(entries.c.total, entries.c.memory_id)
    .limit(bindparam("most", type_=Integer))
)
_OLDEST_SCORES = Prepared(
    select(func.min(entries.c.scored_at, type_=entries.c.scored_at.type)).where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.user_id == bindparam("user", type_=Text),
        entries.c.kept.is_(False),
    )
)
_COUNT = Prepared(
    select(func.count())
    .select_from(entries)
    .where(
        entries.c.space_id == bindparam("space", type_=Text),
        entries.c.user_id == bindparam("user", type_=Text),
    )
)


def signed(simhash: int) -> int:
    """A SimHash as the signed number that databases keep."""
    return simhash - _WHOLE if simhash & _SIGN else simhash


def unsigned(number: int) -> int:
    """The SimHash of a signed number that was read from a database."""
    return number % _WHOLE


def bands_of(simhash: int) -> list[int]:
    """The four parts of a hash."""
    return [(simhash >> (_WIDTH * band)) & 0xFFFF for band in range(BANDS)]


def add_entry(
    connection: Connection,
    memory: tuple[str, str, str],
    simhash: int,
    *,
    noticed: Noticed,
    scores: Scores,
    kept: bool,
) -> None:
    """Write the entry of a new memory, which is named by its space, its id and its person."""
    space_id, memory_id, user = memory
    _INSERT.add(
        connection,
        space_id=space_id,
        memory_id=memory_id,
        user_id=user,
        simhash=signed(simhash),
        repeat_count=0,
        base_importance=scores.importance,
        metadata=_told(noticed),
        metadata_confidence=noticed.confidence,
        kept=kept,
        **_scored(scores),
    )
    insert_rows(
        connection,
        entry_bands,
        ("space_id", "user_id", "band", "bits", "memory_id"),
        [(space_id, user, band, bits, memory_id) for band, bits in enumerate(bands_of(simhash))],
    )


def near(connection: Connection, sight: Access, simhash: int, distance: int) -> list[str]:
    """The viewer's entries whose hashes differ in at most so many bits, the nearest first."""
    bits = {f"bits_{band}": part for band, part in enumerate(bands_of(simhash))}
    rows = _NEAR.rows(connection, space=sight.space_id, user=sight.viewer.user, **bits)
    found = {row.memory_id: (unsigned(row.simhash) ^ simhash).bit_count() for row in rows}
    return sorted((i for i, far in found.items() if far <= distance), key=lambda i: (found[i], i))


def rows_of(connection: Connection, sight: Access, ids: Sequence[str]) -> dict[str, Row[Any]]:
    """The viewer's entries of these memories."""
    if not ids:
        return {}
    rows = _ROWS.rows(connection, space=sight.space_id, user=sight.viewer.user, ids=ids)
    return {row.memory_id: row for row in rows}


def own_texts(connection: Connection, sight: Access, slots: Sequence[int]) -> dict[int, Any]:
    """The id, the words and what was noticed of the viewer's own entries at slots of the index."""
    if not slots:
        return {}
    rows = _OWN_TEXTS.rows(connection, space=sight.space_id, user=sight.viewer.user, slots=slots)
    return {row.slot: row for row in rows}


def list_entries(
    connection: Connection,
    sight: Access,
    *,
    before: str | None,
    limit: int,
    pinned: bool | None,
    manually_saved: bool | None,
) -> list[str]:
    """The ids of the viewer's entries, newest first, past a cursor."""
    query = (
        select(entries.c.memory_id)
        .join(memories, _OF_MEMORY)
        .where(
            entries.c.space_id == sight.space_id,
            entries.c.user_id == sight.viewer.user,
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
    count: int,
    importance: float,
    noticed: Noticed,
    kept: bool,
) -> None:
    """Count one more repeat of an entry, with what it brought."""
    _change(
        connection,
        row,
        repeat_count=count,
        importance=importance,
        total=row.relevance + row.recency + importance,
        metadata=_told(noticed),
        metadata_confidence=noticed.confidence,
        kept=kept,
    )


def mark_kept(connection: Connection, sight: Access, memory_id: str, kept: bool) -> None:
    """Say whether an entry may never be trimmed."""
    connection.execute(
        update(entries)
        .where(entries.c.space_id == sight.space_id, entries.c.memory_id == memory_id)
        .values(kept=kept)
    )


def put_scores(connection: Connection, row: Row[Any], scores: Scores) -> None:
    """Keep an entry's scores."""
    _change(connection, row, **_scored(scores))


def put_noticed(connection: Connection, row: Row[Any], noticed: Noticed) -> None:
    """Keep what was noticed in an entry."""
    _change(connection, row, metadata=_told(noticed), metadata_confidence=noticed.confidence)


def note_relevance(connection: Connection, served: Mapping[tuple[str, str], float]) -> None:
    """Keep how well recall found entries last, by space and memory; what is no entry is passed
    over."""
    update_memories(
        connection,
        entries,
        "relevance = given.column3, total = recency + importance + given.column3",
        [(space_id, memory_id, score) for (space_id, memory_id), score in sorted(served.items())],
    )


def drop_entry(connection: Connection, sight: Access, memory_id: str) -> None:
    """The entry goes; its memory is another matter."""
    _DROP.run(connection, space=sight.space_id, of_memory=memory_id)


def count_entries(connection: Connection, sight: Access) -> int:
    """How many entries the viewer has here."""
    return int(_COUNT.value(connection, space=sight.space_id, user=sight.viewer.user))


def trimmable(connection: Connection, sight: Access) -> list[Row[Any]]:
    """Those that a trim may take, the lowest total first."""
    query = select(entries, memories.c.created_at).join(memories, _OF_MEMORY).where(*_TRIMMABLE)
    return list(
        connection.execute(
            query.order_by(entries.c.total, entries.c.memory_id),
            {"space": sight.space_id, "user": sight.viewer.user},
        )
    )


def lowest(connection: Connection, sight: Access, count: int) -> list[str]:
    """The ids of so many that a trim may take, the lowest total first."""
    of = {"space": sight.space_id, "user": sight.viewer.user}
    return _LOWEST.column(connection, **of, most=count)


def oldest_scores(connection: Connection, sight: Access) -> datetime | None:
    """Since when the scores of some entry that may be trimmed stand."""
    of = {"space": sight.space_id, "user": sight.viewer.user}
    found: datetime | None = _OLDEST_SCORES.value(connection, **of)
    return found


def people_with_entries(connection: Connection, space_id: str) -> list[str]:
    """Whose entries a space holds, for the keepers of the house."""
    query = select(entries.c.user_id).where(entries.c.space_id == space_id).distinct()
    return sorted(connection.execute(query).scalars())


def noticed_of(row: Row[Any]) -> Noticed:
    """What was noticed in an entry."""
    told: Mapping[str, Any] = row.metadata
    return Noticed(
        tuple(told.get("entities", ())),
        tuple(told.get("phrases", ())),
        tuple(told.get("dates", ())),
        tuple(told.get("tags", ())),
        row.metadata_confidence,
        tuple(told.get("proposed", ())),
    )


def scores_of(row: Row[Any]) -> Scores:
    """The scores that are kept of an entry."""
    return Scores(row.relevance, row.recency, row.importance, row.total, row.scored_at)


def stale(row: Row[Any], before: datetime) -> bool:
    """Whether an entry's scores were worked out before a time."""
    return bool(row.scored_at < before)


def _change(connection: Connection, row: Row[Any], **values: Any) -> None:
    connection.execute(
        update(entries)
        .where(entries.c.space_id == row.space_id, entries.c.memory_id == row.memory_id)
        .values(**values)
    )


def _told(noticed: Noticed) -> dict[str, Any]:
    told = {
        "entities": list(noticed.entities),
        "phrases": list(noticed.phrases),
        "dates": list(noticed.dates),
        "tags": list(noticed.tags),
        "proposed": list(noticed.proposed),
    }
    return {name: values for name, values in told.items() if values}


def _scored(scores: Scores) -> dict[str, Any]:
    return {
        "relevance": scores.relevance,
        "recency": scores.recency,
        "importance": scores.importance,
        "total": scores.total,
        "scored_at": scores.computed_at,
    }
