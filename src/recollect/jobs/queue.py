"""Enqueues jobs in the same transaction as the write that needs them.

If that transaction is rolled back, so is the job; if it is committed, no crash can lose the job.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from recollect.storage.database import Transaction
from recollect.storage.jobs.queue import add_jobs
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import JOB, new_id
from recollect.vocabulary.jobs import Job, JobState

MAX_ATTEMPTS: Final = 8
_AT_ONCE: Final = timedelta(0)


def enqueue(
    transaction: Transaction,
    space_id: str,
    kind: str,
    payload: Mapping[str, Any],
    *,
    now: datetime,
    delay: timedelta = _AT_ONCE,
    max_attempts: int = MAX_ATTEMPTS,
) -> Job:
    """Enqueue one job; it is due after the delay."""
    return enqueue_many(
        transaction, space_id, kind, [payload], now=now, delay=delay, max_attempts=max_attempts
    )[0]


def enqueue_many(
    transaction: Transaction,
    space_id: str,
    kind: str,
    payloads: Iterable[Mapping[str, Any]],
    *,
    now: datetime,
    delay: timedelta = _AT_ONCE,
    max_attempts: int = MAX_ATTEMPTS,
) -> list[Job]:
    """Enqueue one job per payload, in their order."""
    if max_attempts < 1:
        raise InvalidInput(f"A job needs at least one attempt, not {max_attempts}.")
    moment = aware(now)
    jobs = [
        Job(
            id=new_id(JOB, moment),
            space_id=space_id,
            kind=kind,
            payload=payload,
            state=JobState.WAITING,
            attempts=0,
            max_attempts=max_attempts,
            run_at=moment + delay,
            created_at=moment,
        )
        for payload in payloads
    ]
    add_jobs(transaction, jobs)
    return jobs
