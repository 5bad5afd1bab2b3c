"""The worker: leases queued jobs and runs their handlers, one batch at a time.

Any number of workers in any number of processes share one queue. A worker may die at any moment:
its jobs are leased again when their lease expires, and what it had written is complete.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import random as any_chance

from recollect.jobs.backoff import backoff
from recollect.jobs.batch import BatchOutcome, BatchRunner
from recollect.jobs.handler import Handler, Write
from recollect.jobs.schedule import enqueue_due
from recollect.jobs.trouble import exception_of, hide_secrets, safe_message
from recollect.storage.database import Database, Transaction
from recollect.storage.jobs.queue import due_kind, lease_jobs, mark_lost_as_dead, schedule_due
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.jobs import Job

__all__ = ["Handler", "Worker", "Write"]

_log = logging.getLogger(__name__)

#: Registers a callback for writes of other processes; returns a function that unregisters it.
Listen = Callable[[Callable[[], None]], Callable[[], None]]


@dataclass(frozen=True, slots=True)
class _Pause:
    """Pause of a kind of job, after some outages in a row."""

    outages: int
    until: datetime


class Worker:
    """Runs the jobs of the kinds it has handlers for; other kinds are left alone."""

    def __init__(
        self,
        database: Database,
        handlers: Mapping[str, Handler],
        *,
        clock: Clock,
        name: str,
        lease: timedelta = timedelta(seconds=60),
        batch: int = 100,
        random: Callable[[], float] = any_chance,
        pause: timedelta = timedelta(seconds=0.5),
        longest_pause: timedelta = timedelta(seconds=2),
        gather: timedelta = timedelta(seconds=0.1),
        redact: Callable[[str], str] = hide_secrets,
        listen: Listen | None = None,
    ) -> None:
        if batch < 1 or lease <= timedelta(0) or pause <= timedelta(0):
            raise InvalidInput("A worker needs a batch, a lease and a pause greater than zero.")
        self.name = name
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._lease = lease
        self._batch = batch
        self._random = random
        self._pause = pause.total_seconds()
        self._longest_pause = longest_pause.total_seconds()
        self._gather = gather.total_seconds()
        self._redact = redact
        self._runner = BatchRunner(database, name, clock, lease, random, redact)
        self._rests: dict[str, _Pause] = {}
        self._turn = threading.Lock()
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._listen = listen

    def run_once(self) -> int:
        """Lease and run one batch; how many jobs were done or failed."""
        with self._turn:
            return self._step()[1].settled

    def drain(self, seconds: float) -> int:
        """Run batches until nothing is due or the time is up; how many jobs were finished.

        A started batch is completed, also one that this worker's thread has started.
        """
        end = self._clock() + timedelta(seconds=seconds)
        settled = 0
        self._database.erasure.complete()
        while (left := (end - self._clock()).total_seconds()) > 0:
            if not self._turn.acquire(timeout=left):
                break
            try:
                taken, outcome = self._step()
            finally:
                self._turn.release()
            settled += outcome.settled
            if not taken:
                break
        return settled

    def start(self) -> None:
        """Work in a background thread until stopped; a second call does nothing."""
        if self._thread and self._thread.is_alive() and not self._stopping.is_set():
            return
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=self._work, args=(self._stopping,), name=f"recollect-{self.name}", daemon=True
        )
        self._thread.start()

    def wake(self) -> None:
        """Check the queue now: a writer of this process calls it after its commit."""
        self._awake.set()

    def stop(self, timeout: float = 10.0) -> bool:
        """Finish the current batch and end the thread; whether it ended in time."""
        self._stopping.set()
        self._awake.set()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self, stopping: threading.Event) -> None:
        """Main loop of the thread. No error ends it, and none goes unreported."""
        deaf = self._listen(self.wake) if self._listen else lambda: None
        try:
            pause = self._pause
            while True:
                self._awake.clear()
                if stopping.is_set():
                    return
                taken = self._run_step()
                if 0 < taken < self._batch:  # under load, later jobs are batched
                    stopping.wait(self._gather)
                if taken or self._awake.wait(pause):
                    pause = self._pause
                else:
                    pause = min(pause * 2, self._longest_pause)
        finally:
            deaf()
            if not stopping.is_set():
                _log.critical("The worker %s ended although nobody stopped it.", self.name)

    def _run_step(self) -> int:
        """One iteration of the thread: how many jobs it took. An error counts as no jobs, so a
        pause follows.
        """
        taken = 0

        def step() -> None:
            nonlocal taken
            self._database.erasure.complete(rests=True)
            with self._turn:
                taken = self._step()[0]

        trouble = exception_of(step)
        if trouble is not None:
            _log.error(
                "The worker %s met an error and goes on. %s",
                self.name,
                safe_message(trouble, self._redact),
                exc_info=None if isinstance(trouble, RecollectError) else trouble,
            )
        return taken if trouble is None else 0

    def _step(self) -> tuple[int, BatchOutcome]:
        """Run one batch: how many jobs were taken, and the result."""
        jobs = self._take()
        if not jobs:
            return 0, BatchOutcome()
        kind = jobs[0].kind
        outcome = self._runner.run(self._handlers[kind], jobs)
        if outcome.outage:
            outages = self._rests[kind].outages + 1 if kind in self._rests else 1
            until = self._clock() + backoff(outages, self._random())
            self._rests[kind] = _Pause(outages, until)
        elif outcome.done:
            self._rests.pop(kind, None)
        return len(jobs), outcome

    def _take(self) -> list[Job]:
        """Lease a batch of one kind. The write lock is taken only if something is due."""
        now = self._clock()
        kinds = [
            kind
            for kind in self._handlers
            if kind not in self._rests or self._rests[kind].until <= now
        ]
        with self._database.reading(all_spaces=True) as transaction:
            if not due_kind(transaction, kinds, now) and not schedule_due(transaction, kinds, now):
                return []

        def take(transaction: Transaction) -> tuple[int, list[Job]]:
            enqueue_due(transaction, kinds, now)
            buried = mark_lost_as_dead(transaction, kinds, now)
            kind = due_kind(transaction, kinds, now)
            if kind is None:
                return buried, []
            return buried, lease_jobs(
                transaction,
                worker=self.name,
                kinds=[kind],
                now=now,
                lease=self._lease,
                limit=self._batch,
            )

        buried, jobs = self._database.write(take, all_spaces=True)
        if buried:
            _log.warning("%d jobs are dead: their workers ended on the last attempt.", buried)
        return jobs
