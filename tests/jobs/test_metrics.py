"""The figures of a queue that was built by hand, and the dead brought back."""

from datetime import timedelta

import pytest

from recollect.jobs.metrics import list_dead, queue_metrics, retry_dead
from recollect.jobs.worker import Worker
from recollect.storage.database import Database
from recollect.storage.jobs.queue import lease_jobs
from recollect.vocabulary.errors import JobNotFound
from recollect.vocabulary.jobs import JobState, QueueMetrics
from tests.jobs.helpers import (
    KIND,
    START,
    Counting,
    FakeClock,
    Poisoned,
    all_jobs,
    put_jobs,
    worker_of,
)

SECOND = timedelta(seconds=1)


def test_empty_queue(database: Database) -> None:
    assert queue_metrics(database, START) == QueueMetrics(0, 0.0, 0, 0, 0, 0, None, {})


def test_figures_of_a_queue_built_by_hand(database: Database, clock: FakeClock) -> None:
    handlers = {
        "done": Counting(),
        "dead": Poisoned({0, 1}),
        "failing": Poisoned({0}),
    }
    worker = Worker(database, handlers, clock=clock, name="first", random=lambda: 0.5)
    put_jobs(database, 4, kind="done")
    put_jobs(database, 2, kind="dead", max_attempts=1)
    put_jobs(database, 1, kind="failing", now=START + 2 * SECOND)
    clock.move(5 * SECOND)
    worker.drain(60)
    put_jobs(database, 3, kind="running")
    database.write(
        lambda t: lease_jobs(
            t, worker="other", kinds=["running"], now=clock.now, lease=SECOND, limit=2
        )
    )
    clock.move(5 * SECOND)
    put_jobs(database, 2, kind="fresh", now=clock.now)

    assert queue_metrics(database, clock.now) == QueueMetrics(
        backlog=4,
        oldest_seconds=10.0,
        running=2,
        dead=2,
        done=4,
        failures=3,
        p95_seconds=5.0,
        by_kind={"failing": 1, "running": 1, "fresh": 2},
    )


def test_p95_is_from_promise_to_done(database: Database, clock: FakeClock) -> None:
    """A hundred jobs that took 1 to 100 seconds: 95 of them took at most 95."""
    for second in range(1, 101):
        put_jobs(database, 1, now=START - second * SECOND)
    worker_of(database, Counting(), clock).drain(60)

    assert queue_metrics(database, clock.now).p95_seconds == 95.0


def test_p95_is_of_the_last_thousand(database: Database, clock: FakeClock) -> None:
    worker = worker_of(database, Counting(), clock)
    put_jobs(database, 100, now=START - timedelta(days=1))
    worker.drain(60)
    clock.move(SECOND)
    put_jobs(database, 1_000, now=clock.now - 2 * SECOND)
    worker.drain(60)

    assert queue_metrics(database, clock.now).p95_seconds == 2.0


def test_job_promised_by_a_clock_that_is_ahead_has_no_age(database: Database) -> None:
    put_jobs(database, 1, now=START + SECOND)
    assert queue_metrics(database, START).oldest_seconds == 0.0


def test_all_the_dead_of_some_spaces_are_retried(
    database: Database, clock: FakeClock, space_id: str
) -> None:
    put_jobs(database, 3, max_attempts=1)
    worker_of(database, Poisoned({0, 1, 2}), clock).drain(60)
    clock.move(SECOND)

    assert len(list_dead(database, [space_id], limit=2)) == 2
    assert list_dead(database, ["spc_elsewhere"]) == []
    assert retry_dead(database, ["spc_elsewhere"], None, clock.now) == 0
    assert retry_dead(database, [], None, clock.now) == 0
    assert retry_dead(database, [space_id], None, clock.now) == 3
    for job in all_jobs(database).values():
        assert (job.state, job.attempts, job.run_at) == (JobState.WAITING, 0, clock.now)
        assert job.last_error is None
    assert retry_dead(database, [space_id], None, clock.now) == 0


def test_only_a_dead_job_of_these_spaces_can_be_retried(
    database: Database, clock: FakeClock, space_id: str
) -> None:
    put_jobs(database, 1, max_attempts=1)
    worker_of(database, Poisoned({0}), clock).drain(60)
    (dead,) = list_dead(database, [space_id])
    (waiting,) = put_jobs(database, 1, kind=KIND)

    for spaces, job_id in (
        ([space_id], waiting.id),
        ([space_id], "job_nowhere"),
        ([space_id], ""),
        (["spc_elsewhere"], dead.id),
    ):
        with pytest.raises(JobNotFound):
            retry_dead(database, spaces, job_id, clock.now)
    assert list_dead(database, [space_id]) == [dead]
