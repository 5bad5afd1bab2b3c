"""Recurring schedules: each due time enqueues one job, once across all processes.

Claiming a schedule, advancing it and enqueuing its job are one transaction. Times that passed while
no process was running are skipped: there is one job, not a backlog.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from recollect.jobs.queue import enqueue
from recollect.storage.database import Transaction
from recollect.storage.jobs.queue import add_schedules, put_schedule, take_due_schedules
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput

SHORTEST: Final = timedelta(seconds=1)


def ensure_schedule(
    transaction: Transaction,
    space_id: str,
    name: str,
    kind: str,
    *,
    every: timedelta,
    first: datetime,
) -> None:
    """Ensure that the space has this schedule; an existing one keeps its next time."""
    if every < SHORTEST:
        raise InvalidInput(f"The schedule {name!r} must leave at least a second between its jobs.")
    put_schedule(transaction, space_id, name, kind=kind, every=every, first=aware(first))


def begin_schedules(
    transaction: Transaction,
    space_id: str,
    kinds: Sequence[str],
    *,
    every: timedelta,
    first: datetime,
) -> None:
    """Give a new space a schedule for each kind, named after it."""
    if kinds:
        add_schedules(transaction, space_id, kinds, every=every, first=aware(first))


def enqueue_due(transaction: Transaction, kinds: Sequence[str], now: datetime) -> int:
    """Enqueue the job of every due schedule of these kinds; how many."""
    due = take_due_schedules(transaction, kinds, now)
    for space_id, kind in due:
        enqueue(transaction, space_id, kind, {}, now=now)
    return len(due)
