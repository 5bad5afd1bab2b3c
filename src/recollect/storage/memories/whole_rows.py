"""Copies all database rows of a memory to JSON and restores them: memory, history, relations.

Plain JSON, so that it can be sealed. Rows that refer to something deleted meanwhile are skipped
when restored.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, Text, bindparam, or_, select

from recollect.storage.memories.rows import LINKS
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    agent_reviews,
    entries,
    event_reactions,
    event_revisions,
    memories,
    memory_history,
    memory_relations,
    memory_simhashes,
    open_questions,
)

Rows = dict[str, list[list[Any]]]

_SPACE = bindparam("space", type_=Text)
_ITEM = bindparam("item", type_=Text)


def _reading(table: Table, *columns: str) -> tuple[Table, Prepared]:
    of: ColumnElement[bool] = or_(*(table.c[column] == _ITEM for column in columns))
    return table, Prepared(lambda: select(*table.c).where(table.c.space_id == _SPACE, of))


#: Each table of a memory, after those that it refers to.
_OF_MEMORY: Final = (
    _reading(memories, "memory_id"),
    *(_reading(table, "memory_id") for table, _, _ in LINKS.values()),
    _reading(memory_history, "memory_id"),
    _reading(entries, "memory_id"),
    _reading(memory_simhashes, "memory_id"),
    _reading(agent_reviews, "memory_id"),
)
#: Tables with two ends, either of which may be the memory.
_BETWEEN: Final = (
    (*_reading(memory_relations, "source_id", "target"), ("source_id", "target")),
    (*_reading(open_questions, "old_id", "new_id"), ("old_id", "new_id")),
)
_OF_EVENT: Final = (
    _reading(event_revisions, "event_id"),
    _reading(event_reactions, "event_id"),
)
_KNOWN = Prepared(
    lambda: select(memories.c.memory_id).where(
        memories.c.space_id == _SPACE,
        memories.c.memory_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)


def memory_rows(connection: Connection, space_id: str, memory_id: str) -> Rows:
    """Every row of a memory, by table."""
    tables = (*_OF_MEMORY, *((table, statement) for table, statement, _ in _BETWEEN))
    return _rows(connection, tables, space_id, memory_id)


def event_rows(connection: Connection, space_id: str, event_id: str) -> Rows:
    """The rows that are deleted when an event is erased, by table."""
    return _rows(connection, _OF_EVENT, space_id, event_id)


def restore_event_rows(connection: Connection, kept: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Restore the rows of an event."""
    _put(connection, [table for table, _ in _OF_EVENT], kept)


def restore_revisions(connection: Connection, kept: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Restore the earlier texts of an event, whose other rows are still there."""
    _put(connection, [event_revisions], kept)


def restore_memory_rows(
    connection: Connection,
    kept: Mapping[str, Sequence[Sequence[Any]]],
    slot: int,
) -> int | None:
    """Restore a memory's own rows, in this slot unless it was archived; the id of its audience if
    it took the slot.
    """
    names = [column.name for column in memories.c]
    row = list(kept["memories"][0])
    archived = row[names.index("archived_at")] is not None
    row[names.index("slot")] = None if archived else slot
    _put(connection, [table for table, _ in _OF_MEMORY], {**kept, "memories": [row]})
    return None if archived else int(row[names.index("audience_id")])


def restore_relations(
    connection: Connection, space_id: str, kept: Sequence[Mapping[str, Any]]
) -> None:
    """Restore relations whose two memories both exist, and relations to files, each once."""
    for table, _, ends in _BETWEEN:
        names = [column.name for column in table.c]
        key = [names.index(column.name) for column in table.primary_key]
        rows = {tuple(row[i] for i in key): row for one in kept for row in one.get(table.name, ())}
        wanted = {row[names.index(end)] for row in rows.values() for end in ends}
        known = {row[0] for row in _KNOWN.raw(connection, space=space_id, ids=sorted(wanted))}
        fit = [
            tuple(row)
            for row in rows.values()
            if all(row[names.index(end)] in known for end in ends) or _to_file(names, row, known)
        ]
        insert_rows(connection, table, tuple(names), fit)


def _to_file(names: Sequence[str], row: Sequence[Any], known: set[str]) -> bool:
    """Whether the row is a relation from a memory to a file."""
    if "target_kind" not in names:
        return False
    return row[names.index("target_kind")] == "file" and row[names.index("source_id")] in known


def _rows(
    connection: Connection,
    tables: Sequence[tuple[Table, Prepared]],
    space_id: str,
    item: str,
) -> Rows:
    found = {
        table.name: [list(row) for row in statement.raw(connection, space=space_id, item=item)]
        for table, statement in tables
    }
    return {name: rows for name, rows in found.items() if rows}


def _put(
    connection: Connection, tables: Sequence[Table], kept: Mapping[str, Sequence[Sequence[Any]]]
) -> None:
    for table in tables:
        rows = kept.get(table.name, ())
        insert_rows(
            connection,
            table,
            tuple(column.name for column in table.c),
            [tuple(row) for row in rows],
        )
