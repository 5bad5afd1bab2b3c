"""Counts of a space's memories, limited to those that an access may see."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, case, cast, func, or_, select

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.memories.reads import get_memories
from recollect.storage.schema import (
    audiences,
    memories,
    memory_history,
    memory_modules,
    memory_staleness,
)
from recollect.vocabulary.audiences import Access, Visibility
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Action, HistoryEntry, Memory
from recollect.vocabulary.overview import Activity, MemoryCounts, ModuleCount

DAY: Final = 86_400_000_000  # microseconds
_SHARED: Final = (Visibility.PROJECT, Visibility.TEAM, Visibility.ORGANISATION)
#: Types about one piece of work, or meant for programs.
_TRANSIENT_TYPES: Final = ("work_state", "prefetch_pattern", "context_cost", "task_calibration")
_STANDING: Final = memories.c.archived_at.is_(None) & memories.c.superseded_by.is_(None)


class SeenCounts(NamedTuple):
    """Counts of visible memories: by state, by type, and by the day they were written, as days
    since 1970.
    """

    states: MemoryCounts
    types: dict[str, int]
    written: dict[int, int]


def count_memories_seen(
    connection: Connection, access: Access, *, active: datetime, written: datetime
) -> SeenCounts:
    """Number of memories by state, by type, and by day written since ``written``; *active* means
    used or written since ``active``. One pass over the rows.
    """
    conditions = {
        "active": or_(memories.c.last_accessed_at >= active, memories.c.updated_at >= active),
        "needs_review": memories.c.needs_review.is_(True),
        "stale": or_(memories.c.stale_at.is_not(None), _overtaken(access)),
        "disputed": memories.c.disputed.is_(True),
        "verified": memories.c.user_verified.is_(True),
        "pinned": memories.c.pinned.is_(True),
        "used": memories.c.access_count + memories.c.retrieval_count > 0,
        "unsure": memories.c.confidence < 0.5,
    }
    sums = [
        func.sum(case((condition, 1), else_=0)).label(name)
        for name, condition in conditions.items()
    ]
    state = case(
        (_STANDING, "total"), (memories.c.archived_at.is_(None), "superseded"), else_="archived"
    ).label("state")
    at = cast(memories.c.created_at, BigInteger)
    day = case((at >= to_microseconds(written), at // DAY), else_=-1).label("day")
    query = _seen(access, state, memories.c.type, day, func.count().label("all_of_it"), *sums)
    states: Counter[str] = Counter()
    types: Counter[str] = Counter()
    days: Counter[int] = Counter()
    for row in connection.execute(query.group_by("state", memories.c.type, "day")):
        states[row.state] += row.all_of_it
        days[int(row.day)] += row.all_of_it
        if row.state == "total":
            states.update({name: int(getattr(row, name) or 0) for name in conditions})
            types[row.type] += row.all_of_it
    del days[-1]
    return SeenCounts(
        MemoryCounts(**states), {kind: count for kind, count in types.items() if count}, dict(days)
    )


def count_modules(connection: Connection, access: Access, limit: int) -> list[ModuleCount]:
    """The modules with the most memories about them.

    The memories are scanned first, in the order in which their modules are stored: the offset stops
    SQLite from starting with an index of the modules and looking up each memory at random.
    """
    seen = (
        _seen(access, memories.c.memory_id, memories.c.user_verified)
        .where(_STANDING)
        .offset(0)
        .subquery()
    )
    verified = func.sum(case((seen.c.user_verified.is_(True), 1), else_=0))
    query = (
        select(memory_modules.c.module, func.count(), verified)
        .select_from(seen)
        .join(
            memory_modules,
            (memory_modules.c.space_id == access.space_id)
            & (memory_modules.c.memory_id == seen.c.memory_id),
        )
        .group_by(memory_modules.c.module)
        .order_by(func.count().desc(), memory_modules.c.module)
        .limit(limit)
    )
    return [
        ModuleCount(module, count, int(sure)) for module, count, sure in connection.execute(query)
    ]


def latest_activity(connection: Connection, access: Access, limit: int) -> Sequence[Activity]:
    """The latest changes of memories, newest first."""
    newest = (
        _seen(access, memories.c.memory_id, memories.c.revision)
        .order_by(memories.c.updated_at.desc(), memories.c.memory_id.desc())
        .limit(limit)
        .subquery()
    )
    rows = connection.execute(
        select(memory_history)
        .join(
            newest,
            (newest.c.memory_id == memory_history.c.memory_id)
            & (newest.c.revision == memory_history.c.revision),
        )
        .where(memory_history.c.space_id == access.space_id)
        .order_by(memory_history.c.at.desc(), memory_history.c.memory_id.desc())
    ).all()
    found = get_memories(connection, access, [row.memory_id for row in rows])
    return [
        Activity(
            found[row.memory_id],
            HistoryEntry(
                row.memory_id, row.revision, Action(row.action), row.actor, row.at, row.changes
            ),
        )
        for row in rows
        if row.memory_id in found
    ]


def _overtaken(access: Access) -> ColumnElement[bool]:
    """Whether files of a memory had changed, or were gone, when the code was last indexed."""
    return memories.c.memory_id.in_(
        select(memory_staleness.c.memory_id).where(
            memory_staleness.c.space_id == access.space_id, memory_staleness.c.changed > 0
        )
    )


def _seen(access: Access, *columns: Any) -> Select[Any]:
    return select(*columns).where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )


def most_important(
    connection: Connection, access: Access, *, pinned: float, disputed: float, limit: int
) -> list[Memory]:
    """Memories that others share in a space, ranked by confidence times pinned weight times use."""
    shared = select(audiences.c.audience_id).where(
        audiences.c.space_id == access.space_id,
        audiences.c.visibility.in_([one.value for one in _SHARED]),
    )
    weight = (
        memories.c.confidence
        * case((memories.c.pinned.is_(True), pinned), else_=1.0)
        * case((memories.c.disputed.is_(True), disputed), else_=1.0)
        * (1 + memories.c.access_count)
    )
    query = (
        _seen(access, memories.c.memory_id)
        .where(
            _STANDING,
            memories.c.audience_id.in_(shared),
            memories.c.created_by != access.viewer.user,
            memories.c.needs_review.is_(False),
            memories.c.valid_to.is_(None),
            memories.c.type.not_in(_TRANSIENT_TYPES),
        )
        .order_by(weight.desc(), memories.c.memory_id.desc())
        .limit(limit)
    )
    ids = list(connection.execute(query).scalars())
    found = get_memories(connection, access, ids)
    return [found[one] for one in ids if one in found]
