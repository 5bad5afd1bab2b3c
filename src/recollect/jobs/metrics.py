"""Metrics of the job queue; and dead jobs, which can be retried.

All figures are read from the rows in one snapshot, so they are consistent with each other, whatever
process did the work.
"""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Final

from recollect.storage.database import Database
from recollect.storage.jobs.queue import list_jobs, queue_counts, recent_durations, requeue_dead
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.errors import JobNotFound
from recollect.vocabulary.ids import JOB, is_id
from recollect.vocabulary.jobs import Job, JobState, QueueMetrics

RECENT: Final = 1_000


def queue_metrics(database: Database, now: datetime) -> QueueMetrics:
    """Metrics of the whole queue now; done jobs count until they are deleted."""
    with database.reading(all_spaces=True) as transaction:
        rows = queue_counts(transaction)
        durations = recent_durations(transaction, RECENT)
    of_state = dict.fromkeys(JobState, 0)
    by_kind: dict[str, int] = {}
    oldest = now
    failures = 0
    for kind, state, count, created_at, failed in rows:
        of_state[JobState(state)] += count
        failures += failed
        if state == JobState.WAITING:
            by_kind[kind] = count
            oldest = min(oldest, created_at)
    return QueueMetrics(
        backlog=of_state[JobState.WAITING],
        oldest_seconds=(now - oldest).total_seconds(),
        running=of_state[JobState.RUNNING],
        dead=of_state[JobState.DEAD],
        done=of_state[JobState.DONE],
        failures=failures,
        p95_seconds=_percentile_95(durations),
        by_kind=by_kind,
    )


def list_dead(database: Database, space_ids: Sequence[str], limit: int = 100) -> list[Job]:
    """The jobs of these spaces that will not be tried again, newest first."""
    with database.reading(all_spaces=True) as transaction:
        return list_jobs(transaction, space_ids, JobState.DEAD.value, limit)


def retry_dead(
    database: Database, space_ids: Sequence[str], job_id: str | None, now: datetime
) -> int:
    """Requeue one dead job, or all of these spaces, with fresh attempts; how many."""
    known = job_id is None or is_id(job_id, JOB)
    revived = (
        database.write(lambda one: requeue_dead(one, space_ids, job_id, now), all_spaces=True)
        if known
        else 0
    )
    if job_id is not None and not revived:
        raise JobNotFound(
            f"There is no dead job {shown(job_id)} here.",
            hint="List the dead jobs to see their ids.",
        )
    return revived


def _percentile_95(seconds: Sequence[float]) -> float | None:
    """The smallest value that 95 of 100 do not exceed."""
    if not seconds:
        return None
    return sorted(seconds)[ceil(0.95 * len(seconds)) - 1]
