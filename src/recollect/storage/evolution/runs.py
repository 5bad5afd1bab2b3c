"""Rows of nightly runs: their progress, their changes, and counted uses of memories."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.prepared import insert_rows
from recollect.storage.schema import evolution_changes, evolution_runs, memories, memory_uses
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.evolution import NightChange, NightReport, NightStep

#: Name of the other memory, in a change that ties two.
OTHER: Final = "other"
#: Mark of a run that only consolidates, among its counts.
CONSOLIDATES: Final = "only_consolidating"


def open_run(connection: Connection, space_id: str, *, consolidates: bool) -> Row[Any] | None:
    """The unfinished night, or the unfinished consolidation, if there is one."""
    rows = connection.execute(
        select(evolution_runs)
        .where(evolution_runs.c.space_id == space_id, evolution_runs.c.finished_at.is_(None))
        .order_by(evolution_runs.c.run_id)
    )
    found = (row for row in rows.all() if only_consolidates(row) == consolidates)
    return next(found, None)


def only_consolidates(row: Row[Any]) -> bool:
    """Whether a run was started as a consolidation and not as a whole night."""
    return bool((row.counts or {}).get(CONSOLIDATES))


def last_finished(connection: Connection, space_id: str) -> Row[Any] | None:
    """The last finished run."""
    return connection.execute(_finished(space_id).limit(1)).first()


def last_nights(connection: Connection, space_id: str, number: int) -> list[Row[Any]]:
    """The last finished whole nights, the latest first."""
    rows = connection.execute(_finished(space_id)).all()
    return [row for row in rows if not only_consolidates(row)][:number]


def _finished(space_id: str) -> Select[Any]:
    return (
        select(evolution_runs)
        .where(evolution_runs.c.space_id == space_id, evolution_runs.c.finished_at.is_not(None))
        .order_by(evolution_runs.c.run_id.desc())
    )


def begin(connection: Connection, space_id: str, run_id: str, step: str, now: datetime) -> None:
    """Begin a night."""
    connection.execute(
        insert(evolution_runs).values(
            space_id=space_id, run_id=run_id, started_at=now, step=step, position=None, counts={}
        )
    )


def get_run(connection: Connection, space_id: str, run_id: str) -> Row[Any] | None:
    """One night."""
    return connection.execute(
        select(evolution_runs).where(
            evolution_runs.c.space_id == space_id, evolution_runs.c.run_id == run_id
        )
    ).first()


def store_progress(
    connection: Connection,
    space_id: str,
    run_id: str,
    *,
    step: str,
    position: str | None,
    counts: Mapping[str, int],
    finished_at: datetime | None = None,
) -> None:
    """Store the progress of a night, in the transaction of its changes."""
    connection.execute(
        update(evolution_runs)
        .where(evolution_runs.c.space_id == space_id, evolution_runs.c.run_id == run_id)
        .values(step=step, position=position, counts=dict(counts), finished_at=finished_at)
    )


def reports(
    connection: Connection, space_id: str, *, before: str | None, limit: int
) -> list[NightReport]:
    """Reports of the nights, the last one first."""
    query = select(evolution_runs).where(evolution_runs.c.space_id == space_id)
    if before is not None:
        query = query.where(evolution_runs.c.run_id < before)
    rows = connection.execute(query.order_by(evolution_runs.c.run_id.desc()).limit(limit))
    return [report_of(row) for row in rows]


def report_of(row: Row[Any]) -> NightReport:
    """A night's row as a report."""
    kept = (row.counts or {}).items()
    counts = {
        name: count for name, count in kept if type(count) is int
    }  # without its internal marks
    return NightReport(row.run_id, row.started_at, row.finished_at, counts)


def drop_old(connection: Connection, space_id: str, before: datetime) -> int:
    """Delete nights whose changes can no longer be undone; how many."""
    done = connection.execute(
        delete(evolution_runs).where(
            evolution_runs.c.space_id == space_id,
            evolution_runs.c.finished_at.is_not(None),
            evolution_runs.c.started_at < before,
        )
    )
    connection.execute(
        delete(evolution_changes).where(
            evolution_changes.c.space_id == space_id, evolution_changes.c.at < before
        )
    )
    return done.rowcount


# --- changes --------------------------------------------------------------------------------------


def add_change(
    connection: Connection,
    run: tuple[str, str],
    memory: tuple[str, int],
    step: NightStep,
    *,
    before: Mapping[str, Any],
    at: datetime,
) -> None:
    """Record one change: the memory and its revision after it, and the values before it.

    A step may change a memory several times in a night; each change has its revision. What ties two
    memories is told apart by the other one.
    """
    told_apart = before.get(OTHER, memory[1])
    connection.execute(
        insert(evolution_changes).values(
            space_id=run[0],
            run_id=run[1],
            change_id=f"{step.value}-{memory[0]}-{told_apart}",
            memory_id=memory[0],
            step=step.value,
            before=dict(before),
            revision=memory[1],
            at=at,
        )
    )


def changes_of(connection: Connection, space_id: str, run_id: str) -> Sequence[Row[Any]]:
    """The changes of a night that nobody undid, the last change first."""
    return connection.execute(
        select(evolution_changes)
        .where(
            evolution_changes.c.space_id == space_id,
            evolution_changes.c.run_id == run_id,
            evolution_changes.c.undone_at.is_(None),
        )
        .order_by(evolution_changes.c.revision.desc(), evolution_changes.c.change_id)
    ).all()


def undone_merges(connection: Connection, space_id: str) -> set[str]:
    """Memories whose merge somebody undid."""
    query = select(evolution_changes.c.memory_id).where(
        evolution_changes.c.space_id == space_id,
        evolution_changes.c.step == NightStep.MERGE.value,
        evolution_changes.c.undone_at.is_not(None),
    )
    return set(connection.execute(query).scalars())


def visible_changes(
    connection: Connection, access: Access, run_id: str, limit: int
) -> list[NightChange]:
    """The changes of a night that the access may see."""
    seen = select(memories.c.memory_id).where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )
    rows = connection.execute(
        select(evolution_changes)
        .where(
            evolution_changes.c.space_id == access.space_id,
            evolution_changes.c.run_id == run_id,
            evolution_changes.c.memory_id.in_(seen),
        )
        .order_by(evolution_changes.c.change_id)
        .limit(limit)
    )
    return [
        NightChange(row.memory_id, NightStep(row.step), row.at, row.before or {}, row.undone_at)
        for row in rows
    ]


def mark_undone(
    connection: Connection, space_id: str, run_id: str, change_id: str, now: datetime
) -> None:
    """Mark a change as undone."""
    connection.execute(
        update(evolution_changes)
        .where(
            evolution_changes.c.space_id == space_id,
            evolution_changes.c.run_id == run_id,
            evolution_changes.c.change_id == change_id,
        )
        .values(undone_at=now)
    )


# --- uses -----------------------------------------------------------------------------------------


def put_counted(connection: Connection, space_id: str, counted: Mapping[str, int]) -> None:
    """Store the number of uses up to which memories were rewarded."""
    if not counted:
        return
    connection.execute(
        delete(memory_uses).where(
            memory_uses.c.space_id == space_id, memory_uses.c.memory_id.in_(sorted(counted))
        )
    )
    insert_rows(
        connection,
        memory_uses,
        ("space_id", "memory_id", "counted"),
        [(space_id, memory_id, count) for memory_id, count in sorted(counted.items())],
    )
