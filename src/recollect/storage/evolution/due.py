"""Queries for a nightly run: which memories of a space each step must process.

Nothing here writes, and no text is read: a night over a million memories is a handful of these
queries. They run with system access, and their results are shown to nobody.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, update

from recollect.storage.schema import (
    audiences,
    evolution_changes,
    memories,
    memory_uses,
    retrieval_feedback,
    retrieval_items,
    spaces,
)
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.ids import MEMORY, first_id
from recollect.vocabulary.memory_types import INFERRED, MemoryType, Source
from recollect.vocabulary.retrievals import Verdict

#: Steps that archive; what they archived is deleted when its grace period is over.
_ARCHIVED: Final = tuple(
    one.value for one in (NightStep.PRUNE, NightStep.HALF_LIFE, NightStep.FORGET)
)
_last_use = func.coalesce(memories.c.last_accessed_at, memories.c.created_at)
_NEGATIVE: Final = (Verdict.WRONG.value, Verdict.UNHELPFUL.value)


class StepCursor(NamedTuple):
    """A step's cursor through a space: the memories after one, in batches."""

    space_id: str
    after: str
    limit: int


def feedback_to_apply(
    connection: Connection, space_id: str, until: datetime, limit: int
) -> Sequence[Any]:
    """Feedback on answers that no night has applied yet, the oldest first."""
    table = retrieval_feedback
    return connection.execute(
        select(table.c.feedback_id, table.c.retrieval_id, table.c.item_id, table.c.verdict)
        .where(table.c.space_id == space_id, table.c.applied_at.is_(None), table.c.at <= until)
        .order_by(table.c.feedback_id)
        .limit(limit)
    ).all()


def served_memories(
    connection: Connection, space_id: str, retrieval_ids: Sequence[str]
) -> dict[str, list[str]]:
    """The memories of answers, by the answer's id."""
    table = retrieval_items
    rows = connection.execute(
        select(table.c.retrieval_id, table.c.item_id)
        .where(
            table.c.space_id == space_id,
            table.c.retrieval_id.in_(sorted(set(retrieval_ids))),
            table.c.kind == "memory",
        )
        .order_by(table.c.retrieval_id, table.c.position)
    )
    found: dict[str, list[str]] = {}
    for retrieval_id, item_id in rows:
        found.setdefault(retrieval_id, []).append(item_id)
    return found


def mark_applied(connection: Connection, space_id: str, ids: Sequence[str], now: datetime) -> None:
    """Mark feedback as applied, in the transaction of its effect."""
    connection.execute(
        update(retrieval_feedback)
        .where(
            retrieval_feedback.c.space_id == space_id,
            retrieval_feedback.c.feedback_id.in_(list(ids)),
        )
        .values(applied_at=now)
    )


def often_used(
    connection: Connection, space_id: str, after: str, *, step: int, limit: int
) -> Sequence[Any]:
    """Memories used at least ``step`` times more since they were last counted, past a cursor."""
    counted = func.coalesce(memory_uses.c.counted, 0)
    joined = memories.outerjoin(
        memory_uses,
        and_(
            memory_uses.c.space_id == memories.c.space_id,
            memory_uses.c.memory_id == memories.c.memory_id,
        ),
    )
    return connection.execute(
        select(memories.c.memory_id, memories.c.access_count, counted.label("counted"))
        .select_from(joined)
        .where(
            memories.c.space_id == space_id,
            memories.c.memory_id > after,
            memories.c.archived_at.is_(None),
            memories.c.access_count >= counted + step,
        )
        .order_by(memories.c.memory_id)
        .limit(limit)
    ).all()


def corrected(connection: Connection, space_id: str, ids: Sequence[str]) -> set[str]:
    """Those of the memories that somebody called wrong or unhelpful."""
    rows = connection.execute(
        select(retrieval_feedback.c.item_id).where(
            retrieval_feedback.c.space_id == space_id,
            retrieval_feedback.c.item_id.in_(list(ids)),
            retrieval_feedback.c.verdict.in_(_NEGATIVE),
        )
    )
    return {row.item_id for row in rows}


def unused_inferred(connection: Connection, past: StepCursor, before: datetime) -> list[str]:
    """Inferred memories that were not used since ``before``. After 180 days the computed confidence
    of such a memory is under 0.2, whatever it was at first.
    """
    query = _may_go(past).where(
        memories.c.source.in_(sorted(one.value for one in INFERRED)), _unused_since(before)
    )
    return _ids(connection, query, past.limit)


def unused_for_half_lives(
    connection: Connection, past: StepCursor, now: datetime, *, times: float
) -> list[str]:
    """Memories that were not used for ``times`` of their half-lives."""
    lives = connection.execute(
        select(memories.c.half_life_days)
        .where(memories.c.space_id == past.space_id, memories.c.half_life_days.is_not(None))
        .distinct()
    ).scalars()
    over = [
        and_(memories.c.half_life_days == days, _unused_since(now - timedelta(days=times * days)))
        for days in lives
    ]
    return _ids(connection, _may_go(past).where(or_(*over)), past.limit) if over else []


def superseded_unused(connection: Connection, past: StepCursor, before: datetime) -> list[str]:
    """Superseded memories that were not used since ``before``."""
    query = _may_go(past).where(
        memories.c.superseded_by.is_not(None), _last_use < before, memories.c.updated_at < before
    )
    return _ids(connection, query, past.limit)


def over_grace(connection: Connection, space_id: str, before: datetime, limit: int) -> list[str]:
    """Memories that a night archived before then and nobody verified, pinned or restored."""
    query = (
        select(memories.c.memory_id)
        .join(
            evolution_changes,
            and_(
                evolution_changes.c.space_id == memories.c.space_id,
                evolution_changes.c.memory_id == memories.c.memory_id,
                evolution_changes.c.revision == memories.c.revision,  # unchanged since
            ),
        )
        .where(
            memories.c.space_id == space_id,
            memories.c.archived_at < before,
            evolution_changes.c.step.in_(_ARCHIVED),
            evolution_changes.c.undone_at.is_(None),
            *_unprotected(),
        )
        .order_by(memories.c.memory_id)
    )
    return _ids(connection, query, limit)


def episodes_to_shorten(
    connection: Connection, past: StepCursor, step: NightStep, before: datetime
) -> list[str]:
    """Episodes from before then that this step has not processed."""
    done = select(evolution_changes.c.memory_id).where(
        evolution_changes.c.space_id == past.space_id, evolution_changes.c.step == step.value
    )
    query = (
        select(memories.c.memory_id)
        .where(
            memories.c.space_id == past.space_id,
            memories.c.memory_id > past.after,
            memories.c.type == MemoryType.EPISODE.value,
            memories.c.archived_at.is_(None),
            memories.c.created_at < before,
            memories.c.memory_id.not_in(done),
        )
        .order_by(memories.c.memory_id)
    )
    return _ids(connection, query, past.limit)


def stored_after(
    connection: Connection, space_id: str, slot: int, until: datetime, limit: int
) -> dict[str, int]:
    """Memories that were stored or changed after a slot was given and are still valid, with their
    slots, the oldest first; one that a night merged another into is not among them.
    """
    query = _uncompared(space_id, slot, until).order_by(memories.c.slot).limit(limit)
    return {row.memory_id: row.slot for row in connection.execute(query)}


def slot_until(connection: Connection, space_id: str, memory_id: str) -> int:
    """The highest slot of the memories up to an id; 0 if there are none."""
    found = connection.execute(
        select(func.max(memories.c.slot)).where(
            memories.c.space_id == space_id, memories.c.memory_id <= memory_id
        )
    ).scalar()
    return int(found or 0)


def count_stored_after(connection: Connection, space_id: str, slot: int, until: datetime) -> int:
    """How many memories were stored or changed after a slot was given."""
    found = _uncompared(space_id, slot, until).subquery()
    return int(connection.execute(select(func.count()).select_from(found)).scalar_one())


def _uncompared(space_id: str, slot: int, until: datetime) -> Select[Any]:
    merged = (
        select(evolution_changes.c.memory_id)
        .where(
            evolution_changes.c.space_id == memories.c.space_id,
            evolution_changes.c.memory_id == memories.c.memory_id,
            evolution_changes.c.revision == memories.c.revision,
            evolution_changes.c.step == NightStep.MERGE.value,
            evolution_changes.c.undone_at.is_(None),
        )
        .exists()
    )
    return select(memories.c.memory_id, memories.c.slot).where(
        memories.c.space_id == space_id,
        memories.c.slot > slot,
        memories.c.created_at <= until,
        memories.c.archived_at.is_(None),
        memories.c.superseded_by.is_(None),
        ~merged,
    )


def retention_days(connection: Connection, space_id: str) -> int | None:
    """How many days a space keeps its data; None for ever."""
    found: int | None = connection.execute(
        select(spaces.c.retention_days).where(spaces.c.space_id == space_id)
    ).scalar()
    return found


def older_than(connection: Connection, space_id: str, before: datetime, limit: int) -> list[str]:
    """Memories last changed before a time, in any state; pinned ones excluded."""
    query = (
        select(memories.c.memory_id)
        .where(
            memories.c.space_id == space_id,
            memories.c.updated_at < before,
            memories.c.pinned.is_(False),
        )
        .order_by(memories.c.memory_id)
    )
    return _ids(connection, query, limit)


def _may_go(past: StepCursor) -> Select[Any]:
    """Memories that a night may archive: not archived now, and not restored by a person after a
    night had archived them.
    """
    brought_back = select(evolution_changes.c.memory_id).where(
        evolution_changes.c.space_id == past.space_id, evolution_changes.c.step.in_(_ARCHIVED)
    )
    return (
        select(memories.c.memory_id)
        .join(
            audiences,
            and_(
                audiences.c.space_id == memories.c.space_id,
                audiences.c.audience_id == memories.c.audience_id,
            ),
        )
        .where(
            memories.c.space_id == past.space_id,
            memories.c.memory_id > past.after,
            memories.c.archived_at.is_(None),
            audiences.c.visibility != Visibility.PERSONAL.value,
            memories.c.memory_id.not_in(brought_back),
            *_unprotected(),
        )
        .order_by(memories.c.memory_id)
    )


def _unused_since(before: datetime) -> ColumnElement[bool]:
    """Not used since then, and known for as long: what was learned today from an old session could
    not have been used before. The id of a memory says when it was made.
    """
    return and_(_last_use < before, memories.c.memory_id < first_id(MEMORY, before))


def _unprotected() -> tuple[ColumnElement[bool], ...]:
    """Conditions: not pinned, verified or saved by hand, no decision, not taught by a person."""
    return (
        memories.c.pinned.is_(False),
        memories.c.user_verified.is_(False),
        memories.c.manually_saved.is_(False),
        memories.c.type != MemoryType.DECISION.value,
        memories.c.source != Source.USER_TAUGHT.value,
    )


def _ids(connection: Connection, query: Select[Any], limit: int) -> list[str]:
    return [row.memory_id for row in connection.execute(query.limit(limit))]
