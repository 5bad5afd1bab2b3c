"""A batch ends in one way only: its effect is there once, or it is tried again, or it is dead."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from recollect.jobs.backoff import ceiling
from recollect.jobs.metrics import list_dead, queue_metrics, retry_dead
from recollect.jobs.worker import Worker
from recollect.storage.database import Database, Transaction
from recollect.storage.jobs.queue import (
    fail_job,
    finish_jobs,
    lease_jobs,
    release_jobs,
    renew_leases,
)
from recollect.vocabulary.errors import StoreBusy
from recollect.vocabulary.jobs import Job, JobState
from tests.jobs.helpers import (
    KIND,
    MINUTE,
    START,
    Counting,
    FakeClock,
    Poisoned,
    all_jobs,
    effects,
    leave_rows,
    put_jobs,
    worker_of,
)

# --- Failure --------------------------------------------------------------------------------------


def test_poisoned_job_does_not_hold_back_the_others(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 10)
    handler = Poisoned({4})

    assert worker_of(database, handler, clock).run_once() == 10

    found = all_jobs(database)
    assert effects(database) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert handler.prepared == [list(range(10)), *([n] for n in range(10))]
    assert found[4].state is JobState.WAITING
    assert found[4].attempts == 1
    assert found[4].run_at == START + ceiling(1) / 2
    assert found[4].last_error == "ValueError: poisoned"
    assert queue_metrics(database, clock.now).failures == 1


def test_failing_write_leaves_nothing_behind(database: Database, clock: FakeClock) -> None:
    class HalfWritten(Counting):
        def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
            def write(transaction: Transaction) -> None:
                leave_rows(transaction, jobs)
                if any(job.payload["n"] == 1 for job in jobs):
                    transaction.exec_driver_sql("INSERT INTO effects (n) VALUES (NULL)")

            return write

    put_jobs(database, 3)

    assert worker_of(database, HalfWritten(), clock).run_once() == 3

    job = all_jobs(database)[1]
    assert effects(database) == [0, 2]
    assert job.state is JobState.WAITING
    assert job.last_error is not None
    assert job.last_error.startswith("StoreError: The database refused: ")
    assert "not" in job.last_error.lower()
    assert "null" in job.last_error.lower()


def test_failed_job_waits_longer_each_time_and_then_is_dead(
    database: Database, clock: FakeClock
) -> None:
    put_jobs(database, 1, max_attempts=4)
    worker = worker_of(database, Poisoned({0}), clock)
    pauses = []
    for _ in range(3):
        assert worker.drain(60) == 1
        job = all_jobs(database)[0]
        assert job.state is JobState.WAITING
        pauses.append(job.run_at - clock.now)
        clock.now = job.run_at
    assert pauses == [ceiling(attempt) / 2 for attempt in (1, 2, 3)]

    assert worker.drain(60) == 1
    clock.move(timedelta(days=365))
    assert worker.drain(60) == 0

    job = all_jobs(database)[0]
    assert (job.state, job.attempts) == (JobState.DEAD, 4)
    assert effects(database) == []


def test_dead_job_can_be_given_another_life(
    database: Database, clock: FakeClock, space_id: str
) -> None:
    put_jobs(database, 3, max_attempts=1)
    handler = Poisoned({1}, RuntimeError(f"api_key=hunter2 {'long ' * 200}"))
    worker = worker_of(database, handler, clock)
    worker.drain(60)

    (dead,) = list_dead(database, [space_id])
    assert dead.payload == {"n": 1}
    assert dead.last_error is not None
    assert dead.last_error.startswith("RuntimeError: api_key=[hidden] long long")
    assert len(dead.last_error) <= len("RuntimeError: ") + 300

    handler.numbers.clear()
    assert retry_dead(database, [space_id], dead.id, clock.now) == 1
    assert worker.drain(60) == 1
    assert effects(database) == [0, 1, 2]
    assert list_dead(database, [space_id]) == []


def test_secrets_are_hidden_by_whoever_knows_them(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 1)
    worker_of(
        database, Poisoned({0}), clock, redact=lambda text: text.replace("poisoned", "***")
    ).run_once()
    assert all_jobs(database)[0].last_error == "ValueError: ***"


def test_outage_costs_a_few_attempts_and_then_the_kind_rests(
    database: Database, clock: FakeClock
) -> None:
    put_jobs(database, 50)
    handler = Poisoned(set(range(50)), ConnectionError("refused"))
    worker = worker_of(database, handler, clock)

    assert worker.drain(60) == 3

    assert [len(jobs) for jobs in handler.prepared] == [50, 1, 1, 1]
    found = all_jobs(database)
    assert all(job.state is JobState.WAITING for job in found.values())
    assert [found[n].attempts for n in range(5)] == [1, 1, 1, 0, 0]
    assert queue_metrics(database, clock.now).failures == 3

    clock.move(ceiling(1) / 2)
    assert worker.drain(60) == 3
    clock.move(ceiling(1) / 2)
    assert worker.drain(60) == 0

    handler.numbers.clear()
    clock.move(ceiling(2))
    assert worker.drain(60) == 50
    assert effects(database) == list(range(50))

    handler.numbers.update(range(50))
    put_jobs(database, 50)
    assert worker.drain(60) == 3
    clock.move(ceiling(1) / 2)
    assert worker.drain(60) == 3, "after a success the first rest is short again"


def test_resting_kind_does_not_hold_back_another(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 50, kind="broken", now=START - MINUTE)
    put_jobs(database, 2)
    broken, sound = Poisoned(set(range(50))), Counting()
    worker = Worker(database, {"broken": broken, KIND: sound}, clock=clock, name="first")

    assert worker.drain(60) == 5
    assert effects(database) == [0, 1]


def test_store_in_trouble_leaves_the_lease_to_run_out(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    put_jobs(database, 3)
    handler = Poisoned({0}, StoreBusy("Others held it."))
    worker = worker_of(database, handler, clock, lease=MINUTE)

    assert worker.drain(60) == 0
    assert "wait for their lease to run out. StoreBusy: Others held it." in caplog.text
    assert {job.state for job in all_jobs(database).values()} == {JobState.RUNNING}
    assert queue_metrics(database, clock.now).failures == 0

    handler.numbers.clear()
    clock.move(MINUTE)
    assert worker.drain(60) == 0
    clock.move(timedelta(microseconds=1))
    assert worker.drain(60) == 3
    assert effects(database) == [0, 1, 2]


def test_store_in_trouble_while_a_failure_is_noted(
    database: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_jobs(database, 1)
    handler = Poisoned({0})
    worker = worker_of(database, handler, clock, lease=MINUTE)
    with monkeypatch.context() as patch:

        def busy(*_: object, **__: object) -> bool:
            raise StoreBusy("Others held it.")

        patch.setattr("recollect.jobs.batch.fail_job", busy)
        assert worker.run_once() == 0

    handler.numbers.clear()
    clock.move(2 * MINUTE)
    assert worker.run_once() == 1
    assert effects(database) == [0]


# --- Leases ---------------------------------------------------------------------------------------


def test_job_that_was_taken_over_is_not_written_twice(database: Database, clock: FakeClock) -> None:
    """The lease runs out while the first worker thinks, and a second one does the work."""
    put_jobs(database, 3)
    second = worker_of(database, Counting(), clock, name="second", lease=MINUTE)

    def overslept(jobs: Sequence[Job]) -> None:
        clock.move(2 * MINUTE)
        assert second.run_once() == 3

    first = worker_of(database, Counting(overslept), clock, lease=MINUTE)

    assert first.run_once() == 0
    assert effects(database) == [0, 1, 2]
    assert {job.attempts for job in all_jobs(database).values()} == {2}
    assert queue_metrics(database, clock.now).failures == 0


def test_one_lost_job_rolls_the_batch_back_and_the_rest_is_done_alone(
    database: Database, clock: FakeClock
) -> None:
    put_jobs(database, 4)
    second = worker_of(database, Counting(), clock, name="second", lease=MINUTE, batch=1)

    def overslept(jobs: Sequence[Job]) -> None:
        if len(jobs) == 4:
            clock.move(2 * MINUTE)
            assert second.run_once() == 1

    handler = Counting(overslept)

    assert worker_of(database, handler, clock, lease=MINUTE).run_once() == 3
    assert handler.prepared == [[0, 1, 2, 3], [1], [2], [3]]
    assert effects(database) == [0, 1, 2, 3]


def test_lease_of_the_same_name_is_another_lease(database: Database, clock: FakeClock) -> None:
    """Two processes may carry one name; the attempt tells their leases apart."""
    put_jobs(database, 1)

    def take(transaction: Transaction) -> list[Job]:
        return lease_jobs(
            transaction, worker="twin", kinds=[KIND], now=clock.now, lease=MINUTE, limit=10
        )

    first = database.write(take)
    clock.move(2 * MINUTE)
    second = database.write(take)

    at = clock.now
    assert database.write(lambda t: renew_leases(t, first, "twin", at)) == 0
    assert database.write(lambda t: release_jobs(t, first, "twin")) == 0
    assert not database.write(lambda t: fail_job(t, first[0], "twin", error="", again_at=at))
    assert database.write(lambda t: finish_jobs(t, first, "twin", at)) == 0
    assert database.write(lambda t: finish_jobs(t, second, "other", at)) == 0
    assert database.write(lambda t: finish_jobs(t, second, "twin", at)) == 1
    assert database.write(lambda t: finish_jobs(t, second, "twin", at)) == 0


def test_space_that_goes_takes_its_jobs_along(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 2)

    def gone(jobs: Sequence[Job]) -> None:
        database.write(lambda t: t.exec_driver_sql("DELETE FROM spaces").close())

    assert worker_of(database, Counting(gone), clock).drain(60) == 0
    assert effects(database) == []


def test_job_that_kills_its_workers_is_taken_alone_and_ends_among_the_dead(
    database: Database, clock: FakeClock
) -> None:
    class Killed(BaseException):
        pass

    def kill(jobs: Sequence[Job]) -> None:
        if any(job.payload["n"] == 1 for job in jobs):
            raise Killed

    put_jobs(database, 4, max_attempts=5)
    handler = Counting(kill)
    deaths = 0
    for _ in range(40):
        try:
            worker_of(database, handler, clock, lease=MINUTE).drain(60)
        except Killed:
            deaths += 1
        clock.move(2 * MINUTE)

    found = all_jobs(database)
    assert handler.prepared[:2] == [[0, 1, 2, 3]] * 2
    assert all(len(batch) == 1 for batch in handler.prepared[2:])
    assert deaths == 5
    assert effects(database) == [0, 2, 3]
    assert found[1].state is JobState.DEAD
    assert found[1].last_error is not None
    assert "worker ended" in found[1].last_error
