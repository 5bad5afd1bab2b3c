"""Writes rows of memories: fields to columns, linked tables, new revisions, history, SimHashes; and
reads the texts that a new one is compared with.

A write takes the memory it changes, which only an access can read, so nothing can be changed that
could not be read.

By the rows of SimHashes near-duplicates of a text are found with four look-ups. Two hashes that
differ in at most three of 64 bits agree wholly in at least one of four bands of 16. So each memory
has a row for each band, and however many memories there are, only those that agree in a band are
compared bit by bit.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Table,
    Text,
    bindparam,
    delete,
    insert,
    select,
    union_all,
    update,
)

from recollect.storage.access.visibility_filter import is_visible_row, seen_by
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    memories,
    memory_events,
    memory_files,
    memory_history,
    memory_modules,
    memory_outside,
    memory_sessions,
    memory_simhashes,
    memory_tags,
    places,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Action, HistoryEntry, Memory

#: Columns that count how a memory is served; edits of a memory leave them alone.
COUNTED = (
    "last_accessed_at",
    "access_count",
    "retrieval_count",
    "citation_count",
    "ignore_count",
)
#: Columns for the owner of a memory and its place in the index.
_PLACED = ("space_id", "memory_id", "audience_id", "slot")
#: Columns that a new revision writes.
CHANGED = tuple(column.name for column in memories.c if column.name not in (*COUNTED, *_PLACED))

LINKS: dict[str, tuple[Table, str, Callable[[Memory], tuple[str, ...]]]] = {
    "tags": (memory_tags, "tag", lambda memory: memory.tags),
    "files": (memory_files, "path", lambda memory: memory.files),
    "modules": (memory_modules, "module", lambda memory: memory.modules),
    "sessions": (memory_sessions, "session_id", lambda memory: memory.provenance.sessions),
    "events": (memory_events, "event_id", lambda memory: memory.provenance.events),
    "outside": (memory_outside, "origin", lambda memory: memory.provenance.outside),
}


def values_of(memory: Memory) -> dict[str, Any]:
    """The columns of a memory, without those for its owner and its place in the index."""
    levels, provenance, unit, counts = (
        memory.levels,
        memory.provenance,
        memory.work_unit,
        memory.counts,
    )
    return {
        "type": memory.type.value,
        "content": memory.content,
        "summary": levels.summary,
        "compressed": levels.compressed,
        "index_line": levels.index,
        "full_tokens": levels.full_tokens,
        "summary_tokens": levels.summary_tokens,
        "compressed_tokens": levels.compressed_tokens,
        "index_tokens": levels.index_tokens,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "scope": memory.scope.value,
        "source": provenance.source.value,
        "created_by": provenance.created_by,
        "session_id": provenance.session_id,
        "commit_sha": provenance.commit,
        "methodology": unit.methodology if unit else None,
        "work_unit": json.dumps(unit.hierarchy, ensure_ascii=False) if unit else None,
        "work_unit_label": unit.label if unit else None,
        "extras": memory.extras or None,
        "citation": memory.citation,
        "half_life_days": memory.half_life_days,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
        "pinned": memory.pinned,
        "manually_saved": memory.manually_saved,
        "needs_review": memory.needs_review,
        "user_verified": memory.user_verified,
        "disputed": memory.disputed,
        "archived_at": memory.archived_at,
        "stale_at": memory.stale_at,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_accessed_at": memory.last_accessed_at,
        "access_count": counts.access,
        "retrieval_count": counts.retrieval,
        "citation_count": counts.citation,
        "ignore_count": counts.ignore,
        "revision": memory.revision,
        "times_told": memory.times_told,
        "phase": None if provenance.phase is None else provenance.phase.value,
    }


_SPACE = bindparam("space", type_=Text)
_INSERT = Prepared(lambda: insert(memories))
_ADD_HISTORY = Prepared(lambda: insert(memory_history))
_LEVELS = (
    "summary",
    "compressed",
    "index_line",
    "full_tokens",
    "summary_tokens",
    "compressed_tokens",
    "index_tokens",
)
_ONE = (memories.c.space_id == _SPACE, memories.c.memory_id == bindparam("of_memory", type_=Text))
_SLOT = Prepared(lambda: select(memories.c.slot).where(*_ONE))
_AUDIENCE = Prepared(lambda: select(memories.c.audience_id).where(*_ONE))

_BANDS: Final = 4
_WIDTH: Final = 16
_SIGN: Final = 1 << 63
_WHOLE: Final = 1 << 64
_SIMHASH_COLUMNS: Final = ("space_id", "band", "bits", "memory_id", "simhash")

#: One look-up for each band: an OR of the four would scan all rows of a space.
_NEAR = Prepared(
    lambda: union_all(
        *(
            select(memory_simhashes.c.memory_id, memory_simhashes.c.simhash).where(
                memory_simhashes.c.space_id == bindparam("space", type_=Text),
                memory_simhashes.c.band == band,
                memory_simhashes.c.bits == bindparam(f"bits_{band}", type_=Integer),
            )
            for band in range(_BANDS)
        )
    )
)
_TEXTS = Prepared(
    lambda: (
        select(places.c.slot, memories.c.memory_id, memories.c.content)
        .join(
            memories,
            (memories.c.space_id == places.c.space_id) & (memories.c.memory_id == places.c.item_id),
        )
        .where(
            places.c.space_id == bindparam("seen_space", type_=Text),
            places.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
            is_visible_row(memories.c.audience_id),
        )
    )
)
_DROP_SIMHASH = Prepared(
    lambda: delete(memory_simhashes).where(
        memory_simhashes.c.space_id == bindparam("space", type_=Text),
        memory_simhashes.c.memory_id == bindparam("of_memory", type_=Text),
    )
)


def _changing(columns: Iterable[str]) -> Prepared:
    """The statement that updates these columns of one revision."""
    return Prepared(
        lambda: (
            update(memories)
            .where(*_ONE, memories.c.revision == bindparam("at_revision", type_=Integer))
            .values({name: bindparam(name, type_=memories.c[name].type) for name in columns})
        )
    )


_CHANGE = _changing(CHANGED)
_CHANGE_AND_MOVE = _changing((*CHANGED, "slot"))
_PUT_LEVELS = Prepared(
    lambda: (
        update(memories)
        .where(
            memories.c.space_id == _SPACE,
            memories.c.memory_id == bindparam("id", type_=Text),
            memories.c.revision == bindparam("at_revision", type_=Integer),
        )
        .values({name: bindparam(name, type_=memories.c[name].type) for name in _LEVELS})
    )
)


def add_memory(connection: Connection, memory: Memory, audience: int, slot: int | None) -> None:
    """Insert a new memory with its links."""
    _INSERT.add(
        connection,
        space_id=memory.space_id,
        memory_id=memory.id,
        audience_id=audience,
        slot=slot,
        **values_of(memory),
    )
    put_links(connection, memory, LINKS)


def add_memories(connection: Connection, rows: Sequence[tuple[Memory, int, int | None]]) -> None:
    """Insert many new memories with their links, each with its audience and its slot."""
    dialect = connection.dialect
    converts = {
        column.name: convert
        for column in memories.c
        if (convert := column.type.dialect_impl(dialect).bind_processor(dialect)) is not None
    }
    names = tuple(column.name for column in memories.c)
    given = []
    for memory, audience, slot in rows:
        placed = {"space_id": memory.space_id, "memory_id": memory.id}
        values = {**placed, "audience_id": audience, "slot": slot, **values_of(memory)}
        for name, convert in converts.items():
            values[name] = convert(values[name])
        given.append(tuple(values[name] for name in names))
    insert_rows(connection, memories, names, given)
    for table, column, linked in LINKS.values():
        insert_rows(
            connection,
            table,
            ("space_id", "memory_id", "position", column),
            [
                (memory.space_id, memory.id, position, value)
                for memory, _, _ in rows
                for position, value in enumerate(linked(memory))
            ],
        )


def add_first_history(connection: Connection, made: Iterable[Memory]) -> None:
    """Record the creation of memories: by whom and when."""
    insert_rows(
        connection,
        memory_history,
        ("space_id", "memory_id", "revision", "action", "actor", "at"),
        [
            (
                memory.space_id,
                memory.id,
                memory.revision,
                Action.CREATED.value,
                memory.provenance.created_by,
                to_microseconds(memory.created_at),
            )
            for memory in made
        ],
    )


def put_links(connection: Connection, memory: Memory, names: Iterable[str]) -> None:
    """Link a memory to its tags, files and the rest, replacing earlier links."""
    for name in names:
        table, column, values = LINKS[name]
        insert_rows(
            connection,
            table,
            ("space_id", "memory_id", "position", column),
            [
                (memory.space_id, memory.id, position, value)
                for position, value in enumerate(values(memory))
            ],
        )


def drop_links(connection: Connection, memory: Memory, names: Iterable[str]) -> None:
    """Delete the links that a change replaces."""
    for name in names:
        table = LINKS[name][0]
        connection.execute(
            delete(table).where(table.c.space_id == memory.space_id, table.c.memory_id == memory.id)
        )


def change_memory(
    connection: Connection, memory: Memory, values: Mapping[str, Any], *, revision: int
) -> bool:
    """Update one revision; False if somebody else changed it first.

    Use counts are stored beside the revisions, so no revision writes them.
    """
    written = {name: value for name, value in values.items() if name not in COUNTED}
    statement = _CHANGE_AND_MOVE if "slot" in written else _CHANGE
    done = statement.run(
        connection,
        space=memory.space_id,
        of_memory=memory.id,
        at_revision=revision,
        **written,
    )
    return done == 1


def put_levels(connection: Connection, memory: Memory) -> bool:
    """Store a memory's shorter forms for one revision; False if somebody changed it first."""
    levels = asdict(memory.levels)
    levels["index_line"] = levels.pop("index")
    return (
        _PUT_LEVELS.run(
            connection, space=memory.space_id, id=memory.id, at_revision=memory.revision, **levels
        )
        == 1
    )


def erase_memory(connection: Connection, memory: Memory) -> None:
    """Delete a memory permanently, with its history and links."""
    connection.execute(
        delete(memories).where(
            memories.c.space_id == memory.space_id, memories.c.memory_id == memory.id
        )
    )


def slot_of(connection: Connection, memory: Memory) -> int | None:
    """Index slot of a memory; None for an archived one."""
    slot: int | None = _SLOT.value(connection, space=memory.space_id, of_memory=memory.id)
    return slot


def audience_of(connection: Connection, memory: Memory) -> int:
    """The audience a memory was created with."""
    return int(_AUDIENCE.value(connection, space=memory.space_id, of_memory=memory.id))


def add_history(connection: Connection, space_id: str, entry: HistoryEntry) -> None:
    """Record one change."""
    _ADD_HISTORY.add(
        connection,
        space_id=space_id,
        memory_id=entry.memory_id,
        revision=entry.revision,
        action=entry.action.value,
        actor=entry.actor,
        at=entry.at,
        changes={name: list(change) for name, change in entry.changes.items()} or None,
    )


def signed(simhash: int) -> int:
    """64 bits as databases store them: a signed integer."""
    return simhash - _WHOLE if simhash & _SIGN else simhash


def unsigned(number: int) -> int:
    """The 64 bits of a signed integer that a database stored."""
    return number % _WHOLE


def bands_of(simhash: int) -> list[int]:
    """The four parts of a hash."""
    return [(simhash >> (_WIDTH * band)) & 0xFFFF for band in range(_BANDS)]


def put_simhash(connection: Connection, space_id: str, memory_id: str, simhash: int) -> None:
    """Store the hash of a memory that has none; a text without words gets none."""
    put_simhashes(connection, space_id, {memory_id: simhash})


def put_simhashes(connection: Connection, space_id: str, hashes: Mapping[str, int]) -> None:
    """Store the hashes of memories that have none."""
    insert_rows(
        connection,
        memory_simhashes,
        _SIMHASH_COLUMNS,
        [
            (space_id, band, bits, memory_id, signed(simhash))
            for memory_id, simhash in hashes.items()
            if simhash
            for band, bits in enumerate(bands_of(simhash))
        ],
    )


def drop_simhash(connection: Connection, space_id: str, memory_id: str) -> None:
    """Remove the hash of a memory whose text changed."""
    _DROP_SIMHASH.run(connection, space=space_id, of_memory=memory_id)


def near_duplicates(
    connection: Connection, space_id: str, simhash: int, distance: int
) -> list[str]:
    """The memories of a space whose hashes differ in at most ``distance`` bits, nearest first."""
    if not simhash:
        return []
    bits = {f"bits_{band}": part for band, part in enumerate(bands_of(simhash))}
    rows = _NEAR.rows(connection, space=space_id, **bits)
    found = {row.memory_id: (unsigned(row.simhash) ^ simhash).bit_count() for row in rows}
    return sorted((i for i, far in found.items() if far <= distance), key=lambda i: (found[i], i))


def texts_at(
    connection: Connection, access: Access, slots: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Ids and contents of the memories at slots that the access may see."""
    found = _TEXTS.raw(connection, slots=slots, **seen_by(access)) if slots else []
    return {slot: (memory_id, content) for slot, memory_id, content in found}
