"""Reads memories by importance: pinned, then verified, then by importance and confidence.

Those of files and modules, which every context asks for, are prepared statements.
"""

from dataclasses import replace

from sqlalchemy import Connection, Integer, Table, Text, bindparam, desc, or_, select

from recollect.storage.access.visibility_filter import is_visible_joined, seen_by
from recollect.storage.memories.filters import narrow
from recollect.storage.memories.reads import completed, get_memories, joined, visible_memories
from recollect.storage.prepared import Prepared
from recollect.storage.schema import audiences, memories, memory_files, memory_modules
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import from_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters

#: Primary sort keys of the most important memories; then the newest first.
_IMPORTANCE = (
    desc(memories.c.pinned),
    desc(memories.c.user_verified),
    desc(memories.c.importance * memories.c.confidence),
    desc(memories.c.memory_id),
)


def _most_important_linked(table: Table, column: str) -> Prepared:
    """Query for the most important memories that are linked to any of some values: it starts from
    the few that are linked instead of scanning all."""
    values = bindparam("values", type_=Text, expanding=True)
    return Prepared(
        lambda: (
            joined()
            .where(
                memories.c.space_id == bindparam("seen_space", type_=Text),
                memories.c.memory_id.in_(
                    select(table.c.memory_id).where(
                        table.c.space_id == bindparam("seen_space", type_=Text),
                        table.c[column].in_(values),
                    )
                ),
                is_visible_joined(audiences),
                memories.c.archived_at.is_(None),
                or_(
                    memories.c.valid_to.is_(None),
                    memories.c.valid_to > bindparam("now", type_=memories.c.valid_to.type),
                ),
            )
            .order_by(*_IMPORTANCE)
            .limit(bindparam("most", type_=Integer))
        )
    )


_OF_FILES = _most_important_linked(memory_files, "path")
#: The memories of some files, one more than are wanted.
_IDS_OF_FILES = Prepared(
    lambda: (
        select(memory_files.c.memory_id)
        .where(
            memory_files.c.space_id == bindparam("space", type_=Text),
            memory_files.c.path.in_(bindparam("values", type_=Text, expanding=True)),
        )
        .distinct()
        .limit(bindparam("most", type_=Integer))
    )
)
_OF_MODULES = _most_important_linked(memory_modules, "module")


def most_important_memories(
    connection: Connection, access: Access, filters: Filters, *, now: int, limit: int
) -> list[Memory]:
    """Visible memories that match the filters, the most important first."""
    if filters.files and filters == Filters(files=filters.files):
        few = _of_few(connection, access, filters.files, now=now, limit=limit)
        if few is not None:
            return few
    for linked, values, only in (
        (_OF_FILES, filters.files, Filters(files=filters.files)),
        (_OF_MODULES, filters.modules, Filters(modules=filters.modules)),
    ):
        if values and filters == only:
            moment = from_microseconds(now)
            rows = linked.rows(
                connection, values=sorted(values), now=moment, most=limit, **seen_by(access)
            )
            return completed(connection, access.space_id, rows)
    query = visible_memories(access).with_only_columns(memories.c.memory_id)
    if filters.files:
        tied = select(memory_files.c.memory_id).where(
            memory_files.c.space_id == access.space_id, memory_files.c.path.in_(filters.files)
        )
        query = query.where(memories.c.memory_id.in_(tied))
        filters = replace(filters, files=frozenset())
    if filters.modules:
        tied = select(memory_modules.c.memory_id).where(
            memory_modules.c.space_id == access.space_id,
            memory_modules.c.module.in_(filters.modules),
        )
        query = query.where(memories.c.memory_id.in_(tied))
        filters = replace(filters, modules=frozenset())
    query = narrow(query, filters, now).order_by(*_IMPORTANCE).limit(limit)
    ids = list(connection.execute(query).scalars())  # whole rows of the few, not of all
    found = get_memories(connection, access, ids)
    return [found[one] for one in ids if one in found]


def _of_few(
    connection: Connection, access: Access, files: frozenset[str], *, now: int, limit: int
) -> list[Memory] | None:
    """Every visible memory of files that have few, the most important first; None for others.

    Most files have few, and reading those by their ids is much less work for a server than choosing
    the best of many.
    """
    ids = _IDS_OF_FILES.column(
        connection, space=access.space_id, values=sorted(files), most=limit + 1
    )
    if len(ids) > limit:
        return None
    moment = from_microseconds(now)
    found = [
        one
        for one in get_memories(connection, access, ids).values()
        if not one.archived and (one.valid_to is None or one.valid_to > moment)
    ]
    return sorted(found, key=_importance, reverse=True)


def _importance(memory: Memory) -> tuple[bool, bool, float, str]:
    return (
        memory.pinned,
        memory.user_verified,
        memory.importance * memory.confidence,
        memory.id,
    )
