"""A lease is renewed while the work goes on, and a renewal that fails ends nothing."""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from recollect.storage.database import Database
from recollect.vocabulary.errors import StoreBusy
from recollect.vocabulary.jobs import Job
from tests.jobs.helpers import (
    MINUTE,
    Counting,
    FakeClock,
    all_jobs,
    effects,
    put_jobs,
    worker_of,
)


def test_lease_is_renewed_while_the_work_takes_long(database: Database, clock: FakeClock) -> None:
    """The work goes on until the clock has moved and the lease with it."""
    put_jobs(database, 2)
    lease = timedelta(milliseconds=150)

    def long_work(jobs: Sequence[Job]) -> None:
        clock.move(MINUTE)
        waiting = threading.Event()
        for _ in range(6_000):
            held = all_jobs(database).values()
            if all(job.leased_until == clock.now + lease for job in held):
                return
            waiting.wait(0.02)
        raise AssertionError("the lease was not renewed")

    assert worker_of(database, Counting(long_work), clock, lease=lease).run_once() == 2
    assert effects(database) == [0, 1]


def test_renewal_that_fails_does_not_end_the_work(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    put_jobs(database, 1)
    failed = threading.Event()
    in_work = threading.Event()

    def moody() -> datetime:
        if in_work.is_set() and threading.current_thread().name == "recollect-lease":
            failed.set()
            raise StoreBusy("Others held it.")
        return clock.now

    def long_work(jobs: Sequence[Job]) -> None:
        in_work.set()
        assert failed.wait(60)

    worker = worker_of(
        database,
        Counting(long_work),
        moody,
        lease=timedelta(milliseconds=30),
    )
    assert worker.run_once() == 1
    assert "A lease was not renewed. StoreBusy: Others held it." in caplog.text
