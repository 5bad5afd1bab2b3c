"""Files that must be changed together, as memories say: relations of type ``required_with``."""

from collections.abc import Sequence

from sqlalchemy import Connection, Float, and_, func, literal, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.schema import memories, memory_files, memory_relations
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory_types import MemoryType, RelationType


def linked_files(
    connection: Connection, access: Access, files: Sequence[str], least: float
) -> dict[str, float]:
    """Files related to any of these, each with its confidence; both directions count."""
    if not files:
        return {}
    relations, ties = memory_relations, memory_files
    to_file = and_(
        relations.c.space_id == access.space_id,
        relations.c.type == RelationType.REQUIRED_WITH.value,
        relations.c.target_kind == "file",
        relations.c.confidence > least,
    )
    same_memory = and_(
        ties.c.space_id == relations.c.space_id, ties.c.memory_id == relations.c.source_id
    )
    onward = (
        select(relations.c.target.label("path"), relations.c.confidence.label("sure"))
        .join(ties, same_memory)
        .where(to_file, ties.c.path.in_(files), _seen(access, relations.c.source_id))
    )
    back = (
        select(ties.c.path.label("path"), relations.c.confidence.label("sure"))
        .select_from(relations.join(ties, same_memory))
        .where(to_file, relations.c.target.in_(files), _seen(access, relations.c.source_id))
    )
    other = ties.alias("other_files")
    named = (
        select(other.c.path.label("path"), literal(1.0, Float).label("sure"))
        .select_from(
            ties.join(
                other,
                and_(other.c.space_id == ties.c.space_id, other.c.memory_id == ties.c.memory_id),
            )
        )
        .where(
            ties.c.space_id == access.space_id,
            ties.c.path.in_(files),
            _seen(access, ties.c.memory_id, MemoryType.CAUSAL_DEPENDENCY),
        )
    )
    every = union_all(onward, back, named).subquery()
    rows = connection.execute(
        select(every.c.path, func.max(every.c.sure))
        .where(every.c.path.not_in(files))
        .group_by(every.c.path)
    )
    return {path: float(sure) for path, sure in rows}


def required_memories(
    connection: Connection, access: Access, ids: Sequence[str], least: float
) -> dict[str, float]:
    """Memories related to any of these, in either direction."""
    if not ids:
        return {}
    relations = memory_relations
    rows = connection.execute(
        select(relations.c.source_id, relations.c.target, relations.c.confidence).where(
            relations.c.space_id == access.space_id,
            relations.c.type == RelationType.REQUIRED_WITH.value,
            relations.c.target_kind == "memory",
            relations.c.confidence > least,
            or_(relations.c.source_id.in_(ids), relations.c.target.in_(ids)),
        )
    )
    found: dict[str, float] = {}
    for source, target, sure in rows:
        other = target if source in ids else source
        if other not in ids:
            found[other] = max(found.get(other, 0.0), float(sure))
    return found


def _seen(
    access: Access, memory_id: ColumnElement[str], kind: MemoryType | None = None
) -> ColumnElement[bool]:
    """Whether the memory that states the relation is visible and still valid."""
    query = select(memories.c.memory_id).where(
        memories.c.space_id == access.space_id,
        memories.c.memory_id == memory_id,
        memories.c.audience_id.in_(visible_to(access)),
        memories.c.archived_at.is_(None),
        memories.c.superseded_by.is_(None),
    )
    if kind is not None:
        query = query.where(memories.c.type == kind.value)
    return query.exists()
