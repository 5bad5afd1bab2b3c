"""Deletes old rows: done jobs after a week, queries after 90 days, daily counts after a year.

Each run deletes a limited number in its transaction and enqueues the next one if there is more, so
that it never holds the write lock for long.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from recollect.jobs.handler import Write
from recollect.jobs.queue import enqueue
from recollect.storage.database import Transaction
from recollect.storage.jobs.queue import drop_finished
from recollect.storage.metrics.daily_counts import drop_counts
from recollect.storage.search.usage_log import drop_retrievals
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import TIDY, Job

KEPT: Final = timedelta(days=7)
LOG_KEPT: Final = timedelta(days=90)
COUNTS_KEPT: Final = timedelta(days=366)
AT_ONCE: Final = 10_000


class Tidy:
    """The handler of ``jobs.tidy``."""

    def __init__(self, clock: Clock, *, kept: timedelta = KEPT, limit: int = AT_ONCE) -> None:
        self._clock = clock
        self._kept = kept
        self._limit = limit

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Nothing to prepare: all the work is in the write."""
        now = self._clock()
        spaces = sorted({job.space_id for job in jobs})

        def write(transaction: Transaction) -> None:
            for space_id in spaces:
                jobs_gone = drop_finished(transaction, space_id, now - self._kept, self._limit)
                asked_gone = drop_retrievals(transaction, space_id, now - LOG_KEPT, self._limit)
                drop_counts(transaction, space_id, int((now - COUNTS_KEPT).timestamp()) // 86_400)
                if self._limit in {jobs_gone, asked_gone}:
                    enqueue(transaction, space_id, TIDY, {}, now=now)

        return write
