"""Runs one batch of leased jobs to its end: done with its effect, retried later, or dead.

The effect and the status "done" are written in one transaction, which is rolled back if the lease
of any of the jobs was lost. So no effect is written twice, and none without its status.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from recollect.jobs.backoff import backoff
from recollect.jobs.handler import Handler
from recollect.jobs.trouble import exception_of, hide_secrets, safe_message
from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.jobs.queue import fail_job, finish_jobs, release_jobs, renew_leases
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import Conflict, StoreError
from recollect.vocabulary.jobs import Job

#: After this many consecutive jobs that failed alone, an outside cause is assumed.
FAILURES_BEFORE_DOUBT: Final = 3

_log = logging.getLogger(__name__)


class LeaseLost(Conflict):
    """Another worker holds the job now. Nothing was written."""


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """Result of a batch."""

    done: int = 0
    failed: int = 0
    #: Every job failed alike, so the cause is in what they all need.
    outage: bool = False

    @property
    def settled(self) -> int:
        """How many jobs were finished, done or failed."""
        return self.done + self.failed


@dataclass(frozen=True, slots=True)
class BatchRunner:
    """Runs the batches that one worker has leased."""

    database: Database
    worker: str
    clock: Clock
    lease: timedelta
    random: Callable[[], float]
    redact: Callable[[str], str]

    def run(self, handler: Handler, jobs: Sequence[Job]) -> BatchOutcome:
        """Run the jobs together; if that fails, one at a time, so that none blocks the rest."""
        with _renewing(lambda: self._renew(jobs), self.lease / 3):
            trouble = self._try(handler, jobs)
            if trouble is None:
                return BatchOutcome(done=len(jobs))
            if _is_of_the_store(trouble):
                self._leave(jobs, trouble)
                return BatchOutcome()
            if len(jobs) == 1:
                return self._retry_or_mark_dead(jobs[0], trouble)
            _log.info("A batch is retried job by job. %s", self._sentence(trouble))
            return self._run_each(handler, jobs)

    def _run_each(self, handler: Handler, jobs: Sequence[Job]) -> BatchOutcome:
        done = failed = 0
        for place, job in enumerate(jobs):
            if failed == FAILURES_BEFORE_DOUBT and not done:
                self._release(jobs[place:])
                return BatchOutcome(done, failed, outage=True)
            trouble = self._try(handler, [job], again=True)
            if trouble is None:
                done += 1
            elif _is_of_the_store(trouble):
                self._leave(jobs[place:], trouble)
                break
            else:
                failed += self._retry_or_mark_dead(job, trouble).failed
        return BatchOutcome(done, failed)

    def _try(
        self, handler: Handler, jobs: Sequence[Job], *, again: bool = False
    ) -> Exception | None:
        """Prepare outside any transaction, then write the effect and the status in one."""

        def act() -> None:
            if again and self._renew(jobs) != len(jobs):
                raise LeaseLost("Another worker took the job over.")
            write = handler.prepare(jobs)
            at = self.clock()

            def settle(transaction: Transaction) -> None:
                acquire_locks(transaction, (job.space_id for job in jobs))
                if finish_jobs(transaction, jobs, self.worker, at) != len(jobs):
                    raise LeaseLost("Another worker took the job over.")
                write(transaction)

            self.database.write(settle, all_spaces=True)

        return exception_of(act)

    def _retry_or_mark_dead(self, job: Job, trouble: Exception) -> BatchOutcome:
        """Schedule a retry of the job, or mark it as dead."""
        sentence = self._sentence(trouble)
        if isinstance(trouble, LeaseLost):
            _log.info("Job %s (%s) was not ours any more. %s", job.id, job.kind, sentence)
            return BatchOutcome()
        spent = job.attempts >= job.max_attempts
        again_at = None if spent else self.clock() + backoff(job.attempts, self.random())
        _log.warning(
            "Job %s (%s) failed on attempt %d of %d%s. %s",
            job.id,
            job.kind,
            job.attempts,
            job.max_attempts,
            " and is dead" if spent else "",
            sentence,
        )
        _log.debug("Where job %s failed:", job.id, exc_info=trouble)
        try:
            held = self.database.write(
                lambda transaction: fail_job(
                    transaction, job, self.worker, error=sentence, again_at=again_at
                ),
                all_spaces=True,
            )
        except StoreError as error:
            self._leave([job], error)
            return BatchOutcome()
        return BatchOutcome(failed=int(held))

    def _release(self, jobs: Sequence[Job]) -> None:
        _log.warning(
            "%d jobs of %s are requeued: what they depend on fails.", len(jobs), jobs[0].kind
        )
        try:
            self.database.write(
                lambda transaction: release_jobs(transaction, jobs, self.worker), all_spaces=True
            )
        except StoreError as error:
            self._leave(jobs, error)

    def _renew(self, jobs: Sequence[Job]) -> int:
        until = self.clock() + self.lease
        return self.database.write(
            lambda transaction: renew_leases(transaction, jobs, self.worker, until), all_spaces=True
        )

    def _leave(self, jobs: Sequence[Job], trouble: Exception) -> None:
        """Leave the jobs unchanged: they are leased again when their lease expires."""
        _log.warning(
            "%d jobs of %s wait for their lease to run out. %s",
            len(jobs),
            jobs[0].kind,
            self._sentence(trouble),
        )

    def _sentence(self, trouble: Exception) -> str:
        return safe_message(trouble, self.redact)


def _is_of_the_store(trouble: Exception) -> bool:
    """Whether the database as a whole has a problem; a plain refusal is about the job's rows."""
    return isinstance(trouble, StoreError) and type(trouble) is not StoreError


@contextmanager
def _renewing(renew: Callable[[], object], every: timedelta) -> Iterator[None]:
    """Renew leases periodically while the block runs, in a thread that ends with it.

    Nothing depends on it: a lost lease is detected when the work is written.
    """
    ended = threading.Event()

    def keep() -> None:
        while not ended.wait(every.total_seconds()):
            trouble = exception_of(renew)
            if trouble is not None:
                _log.warning("A lease was not renewed. %s", safe_message(trouble, hide_secrets))

    keeper = threading.Thread(target=keep, name="recollect-lease", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
