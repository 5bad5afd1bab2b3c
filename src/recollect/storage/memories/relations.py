"""Rows of relations: from a memory to a memory or a file of the same space."""

from collections.abc import Sequence

from sqlalchemy import Connection, Text, and_, bindparam, delete, insert, or_, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import memory_relations
from recollect.vocabulary.memory import Memory, Relation
from recollect.vocabulary.memory_types import RelationType


def put_relation(connection: Connection, space_id: str, relation: Relation) -> None:
    """Insert a relation, or replace an existing one."""
    drop_relation(connection, space_id, relation)
    connection.execute(
        insert(memory_relations).values(
            space_id=space_id,
            source_id=relation.source_id,
            type=relation.type.value,
            target_kind="memory" if relation.target_id else "file",
            target=relation.target_id or relation.target_path,
            confidence=relation.confidence,
            automatic=relation.automatic,
        )
    )


def drop_relation(connection: Connection, space_id: str, relation: Relation) -> bool:
    """Delete a relation; whether it was there."""
    done = connection.execute(
        delete(memory_relations).where(
            memory_relations.c.space_id == space_id,
            memory_relations.c.source_id == relation.source_id,
            memory_relations.c.type == relation.type.value,
            memory_relations.c.target_kind == ("memory" if relation.target_id else "file"),
            memory_relations.c.target == (relation.target_id or relation.target_path),
        )
    )
    return done.rowcount > 0


_REPLACED = Prepared(
    lambda: select(memory_relations.c.source_id, memory_relations.c.target).where(
        memory_relations.c.space_id == bindparam("space", type_=Text),
        memory_relations.c.source_id.in_(bindparam("ids", type_=Text, expanding=True)),
        memory_relations.c.type == RelationType.SUPERSEDES.value,
        memory_relations.c.target_kind == "memory",
    )
)


def replaced_by(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the memories that each of these superseded."""
    found: dict[str, list[str]] = {}
    for row in _REPLACED.rows(connection, space=space_id, ids=ids) if ids else ():
        found.setdefault(row.source_id, []).append(row.target)
    return found


def relations_of(connection: Connection, memory: Memory) -> list[Relation]:
    """Every relation from or to a memory."""
    query = (
        select(memory_relations)
        .where(
            memory_relations.c.space_id == memory.space_id,
            or_(
                memory_relations.c.source_id == memory.id,
                and_(
                    memory_relations.c.target_kind == "memory",
                    memory_relations.c.target == memory.id,
                ),
            ),
        )
        .order_by(memory_relations.c.source_id, memory_relations.c.type, memory_relations.c.target)
    )
    return [
        Relation(
            type=RelationType(row.type),
            source_id=row.source_id,
            target_id=row.target if row.target_kind == "memory" else None,
            target_path=row.target if row.target_kind == "file" else None,
            confidence=row.confidence,
            automatic=row.automatic,
        )
        for row in connection.execute(query)
    ]


def drop_relations_to(connection: Connection, memory: Memory) -> None:
    """Delete the relations to a memory that is being deleted."""
    connection.execute(
        delete(memory_relations).where(
            memory_relations.c.space_id == memory.space_id,
            memory_relations.c.target_kind == "memory",
            memory_relations.c.target == memory.id,
        )
    )
