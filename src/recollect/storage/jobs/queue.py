"""Rows of the job queue. A job is added in the transaction of the change that needs it.

A worker takes a job by a lease; an expired lease returns the job, because its worker died. Worker
and attempt together identify a lease: a worker that lost it can no longer change the job.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.columns import dump
from recollect.storage.prepared import insert_rows
from recollect.storage.schema import jobs, schedules
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.jobs import Job, JobState

_JOBS_ADDED: Final = "recollect.jobs_added"
_COLUMNS = (
    "space_id",
    "job_id",
    "kind",
    "payload",
    "state",
    "attempts",
    "max_attempts",
    "failures",
    "run_at",
    "created_at",
)


def begin(connection: Connection) -> None:
    """Start of a transaction: no job added yet."""
    connection.info.pop(_JOBS_ADDED, None)


def jobs_added(connection: Connection) -> bool:
    """Whether the transaction added a job."""
    return _JOBS_ADDED in connection.info


def add_jobs(connection: Connection, new: Sequence[Job]) -> None:
    """Add jobs."""
    connection.info[_JOBS_ADDED] = True
    insert_rows(
        connection,
        jobs,
        _COLUMNS,
        [
            (
                job.space_id,
                job.id,
                job.kind,
                dump(job.payload) if job.payload else None,
                job.state.value,
                job.attempts,
                job.max_attempts,
                0,
                to_microseconds(job.run_at),
                to_microseconds(job.created_at),
            )
            for job in new
        ],
    )


def due_kind(connection: Connection, kinds: Sequence[str], now: datetime) -> str | None:
    """The kind whose job has been due for longest; lost jobs come first."""
    for due in (_lost(now), _waiting(now)):
        kind: str | None = connection.execute(
            select(jobs.c.kind)
            .where(due, jobs.c.kind.in_(kinds))
            .order_by(jobs.c.run_at, jobs.c.job_id)
            .limit(1)
        ).scalar()
        if kind is not None:
            return kind
    return None


def mark_lost_as_dead(connection: Connection, kinds: Sequence[str], now: datetime) -> int:
    """Mark jobs as dead whose worker died on their last attempt; how many."""
    done = connection.execute(
        update(jobs)
        .where(_lost(now), jobs.c.kind.in_(kinds), jobs.c.attempts >= jobs.c.max_attempts)
        .values(
            state=JobState.DEAD.value,
            leased_until=None,
            failures=jobs.c.failures + 1,
            last_error="Its worker ended before it was done, on the last attempt it had.",
        )
    )
    return done.rowcount


def lease_jobs(
    connection: Connection,
    *,
    worker: str,
    kinds: Sequence[str],
    now: datetime,
    lease: timedelta,
    limit: int,
) -> list[Job]:
    """Lease due jobs, the longest waiting first; before them those whose lease expired.

    A job that was lost twice is leased alone: it may be the one that kills its workers.
    """
    rows: list[Row[Any]] = []
    for due in (_lost(now), _waiting(now)):
        rows += connection.execute(
            select(jobs)
            .where(due, jobs.c.kind.in_(kinds))
            .order_by(jobs.c.run_at, jobs.c.job_id)
            .limit(limit - len(rows))
            .with_for_update(skip_locked=True)
        ).all()
    lost_twice = [row for row in rows if row.state == JobState.RUNNING.value and row.attempts > 1]
    taken = lost_twice[:1] or rows
    of_space = defaultdict(list)
    for row in taken:
        of_space[row.space_id].append(row.job_id)
    for space_id, job_ids in of_space.items():
        connection.execute(
            update(jobs)
            .where(jobs.c.space_id == space_id, jobs.c.job_id.in_(job_ids))
            .values(
                state=JobState.RUNNING.value,
                attempts=jobs.c.attempts + 1,
                worker=worker,
                started_at=now,
                leased_until=now + lease,
            )
        )
    return [
        _job(
            row,
            state=JobState.RUNNING,
            attempts=row.attempts + 1,
            started_at=now,
            leased_until=now + lease,
        )
        for row in taken
    ]


def finish_jobs(connection: Connection, held: Sequence[Job], worker: str, at: datetime) -> int:
    """Mark jobs as done where the worker still holds the lease; how many."""
    return _settle(
        connection, held, worker, state=JobState.DONE.value, finished_at=at, leased_until=None
    )


def fail_job(
    connection: Connection, job: Job, worker: str, *, error: str, again_at: datetime | None
) -> bool:
    """Schedule a failed job for another try, or mark it as dead when no attempts are left."""
    state = JobState.DEAD if again_at is None else JobState.WAITING
    values: dict[str, Any] = {"state": state.value, "last_error": error, "leased_until": None}
    if again_at is not None:
        values["run_at"] = again_at
    return _settle(connection, [job], worker, failures=jobs.c.failures + 1, **values) == 1


def release_jobs(connection: Connection, held: Sequence[Job], worker: str) -> int:
    """Return jobs that were not to blame, without counting the attempt; how many."""
    return _settle(
        connection,
        held,
        worker,
        state=JobState.WAITING.value,
        attempts=jobs.c.attempts - 1,
        leased_until=None,
    )


def renew_leases(connection: Connection, held: Sequence[Job], worker: str, until: datetime) -> int:
    """Extend leases; how many were not lost."""
    return _settle(connection, held, worker, leased_until=until)


def list_jobs(
    connection: Connection, space_ids: Sequence[str], state: str | None, limit: int
) -> list[Job]:
    """Jobs of some spaces, newest first.

    Those of one state are found by their state: the space, written so that no index fits it, would
    lead SQLite over every job that was done in a week.
    """
    home = jobs.c.space_id.concat("") if state else jobs.c.space_id
    query = select(jobs).where(home.in_(space_ids)).order_by(jobs.c.job_id.desc())
    if state:
        query = query.where(jobs.c.state == state)
    return [_job(row) for row in connection.execute(query.limit(limit))]


def requeue_dead(
    connection: Connection, space_ids: Sequence[str], job_id: str | None, at: datetime
) -> int:
    """Requeue dead jobs: one, or all; how many."""
    query = update(jobs).where(jobs.c.space_id.in_(space_ids), jobs.c.state == JobState.DEAD.value)
    if job_id is not None:
        query = query.where(jobs.c.job_id == job_id)
    done = connection.execute(
        query.values(state=JobState.WAITING.value, attempts=0, run_at=at, last_error=None)
    )
    return done.rowcount


def drop_finished(connection: Connection, space_id: str, before: datetime, limit: int) -> int:
    """Delete up to ``limit`` jobs of a space that were done before a time; how many."""
    old = (
        select(jobs.c.job_id)
        .where(
            jobs.c.space_id == space_id,
            jobs.c.state == JobState.DONE.value,
            jobs.c.finished_at < before,
        )
        .limit(limit)
    )
    done = connection.execute(
        delete(jobs).where(jobs.c.space_id == space_id, jobs.c.job_id.in_(old))
    )
    return done.rowcount


def queue_counts(connection: Connection) -> list[tuple[str, str, int, datetime, int]]:
    """Kind, state, count, time of the oldest, failures; over the whole queue."""
    rows = connection.execute(
        select(
            jobs.c.kind,
            jobs.c.state,
            func.count(),
            func.min(jobs.c.created_at),
            func.sum(jobs.c.failures),
        ).group_by(jobs.c.kind, jobs.c.state)
    )
    return [(kind, state, count, oldest, failures) for kind, state, count, oldest, failures in rows]


def recent_durations(connection: Connection, limit: int) -> list[float]:
    """Seconds from creation to completion of the most recently done jobs."""
    rows = connection.execute(
        select(jobs.c.created_at, jobs.c.finished_at)
        .where(jobs.c.state == JobState.DONE.value)
        .order_by(jobs.c.finished_at.desc())
        .limit(limit)
    )
    return [(finished - created).total_seconds() for created, finished in rows]


def put_schedule(
    connection: Connection,
    space_id: str,
    name: str,
    *,
    kind: str,
    every: timedelta,
    first: datetime,
) -> None:
    """Schedule a recurring job; an existing schedule keeps its next time."""
    here = and_(schedules.c.space_id == space_id, schedules.c.name == name)
    values = {"kind": kind, "every_seconds": int(every.total_seconds())}
    found = connection.execute(update(schedules).where(here).values(**values))
    if found.rowcount == 0:
        connection.execute(
            insert(schedules).values(space_id=space_id, name=name, next_run_at=first, **values)
        )


def add_schedules(
    connection: Connection,
    space_id: str,
    kinds: Sequence[str],
    *,
    every: timedelta,
    first: datetime,
) -> None:
    """Schedule recurring jobs of each kind in a new space, which has no schedule yet."""
    seconds = int(every.total_seconds())
    insert_rows(
        connection,
        schedules,
        ("space_id", "name", "kind", "every_seconds", "next_run_at"),
        [(space_id, kind, kind, seconds, to_microseconds(first)) for kind in kinds],
    )


def waits(connection: Connection, space_id: str, kind: str) -> bool:
    """Whether a job of this kind is already queued for later."""
    query = select(jobs.c.job_id).where(
        jobs.c.space_id == space_id, jobs.c.kind == kind, jobs.c.state == JobState.WAITING.value
    )
    return connection.execute(query.limit(1)).first() is not None


def schedule_due(connection: Connection, kinds: Sequence[str], now: datetime) -> bool:
    """Whether a schedule of these kinds is due."""
    query = select(schedules.c.name).where(_due(kinds, now)).limit(1)
    return connection.execute(query).first() is not None


def take_due_schedules(
    connection: Connection, kinds: Sequence[str], now: datetime
) -> list[tuple[str, str]]:
    """Space and kind of each due schedule; each is advanced, so nobody takes it twice.

    It advances to its next time after now in the same rhythm; missed times are skipped.
    """
    rows = connection.execute(
        select(schedules).where(_due(kinds, now)).with_for_update(skip_locked=True)
    ).all()
    for row in rows:
        every = timedelta(seconds=row.every_seconds)
        periods = (now - row.next_run_at) // every + 1
        connection.execute(
            update(schedules)
            .where(schedules.c.space_id == row.space_id, schedules.c.name == row.name)
            .values(next_run_at=row.next_run_at + periods * every)
        )
    return [(row.space_id, row.kind) for row in rows]


def _waiting(now: datetime) -> ColumnElement[bool]:
    return and_(jobs.c.state == JobState.WAITING.value, jobs.c.run_at <= now)


def _lost(now: datetime) -> ColumnElement[bool]:
    return and_(jobs.c.state == JobState.RUNNING.value, jobs.c.leased_until < now)


def _due(kinds: Sequence[str], now: datetime) -> ColumnElement[bool]:
    return and_(schedules.c.next_run_at <= now, schedules.c.kind.in_(kinds))


def _settle(connection: Connection, held: Sequence[Job], worker: str, **values: Any) -> int:
    """Update the jobs that this worker holds by exactly this lease; how many."""
    leases = defaultdict(list)
    for job in held:
        leases[job.space_id, job.attempts].append(job.id)
    return sum(
        connection.execute(
            update(jobs)
            .where(
                jobs.c.space_id == space_id,
                jobs.c.job_id.in_(job_ids),
                jobs.c.worker == worker,
                jobs.c.state == JobState.RUNNING.value,
                jobs.c.attempts == attempts,
            )
            .values(**values)
        ).rowcount
        for (space_id, attempts), job_ids in leases.items()
    )


def _job(row: Row[Any], **instead: Any) -> Job:
    values: Mapping[str, Any] = {
        "id": row.job_id,
        "space_id": row.space_id,
        "kind": row.kind,
        "payload": row.payload,
        "state": JobState(row.state),
        "attempts": row.attempts,
        "max_attempts": row.max_attempts,
        "run_at": row.run_at,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "leased_until": row.leased_until,
        "last_error": row.last_error,
    }
    return Job(**{**values, **instead})
