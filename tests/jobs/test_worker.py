"""A worker takes what is due and its handlers know, by itself or in a thread of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from recollect.jobs.metrics import queue_metrics
from recollect.jobs.worker import Worker
from recollect.storage.database import Database, Transaction
from recollect.vocabulary.errors import InvalidInput, StoreBusy
from recollect.vocabulary.jobs import Job, JobState
from tests.jobs.helpers import (
    MINUTE,
    START,
    Counting,
    FakeClock,
    all_jobs,
    effects,
    listed,
    put_jobs,
    worker_of,
)
from tests.stores import Keeper

# --- The straight way -----------------------------------------------------------------------------


def test_batch_is_done_with_its_effect(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 5)
    handler = Counting()
    clock.move(MINUTE)

    assert worker_of(database, handler, clock).run_once() == 5

    assert effects(database) == [0, 1, 2, 3, 4]
    assert handler.prepared == [[0, 1, 2, 3, 4]]
    for job in all_jobs(database).values():
        assert job.state is JobState.DONE
        assert (job.attempts, job.started_at, job.finished_at) == (1, clock.now, clock.now)
        assert job.leased_until is None


def test_nothing_due_is_nothing_done(database: Database, clock: FakeClock) -> None:
    handler = Counting()
    worker = worker_of(database, handler, clock)
    assert worker.run_once() == 0
    assert worker.drain(60) == 0
    assert handler.prepared == []


def test_handler_is_told_of_the_lease(database: Database, clock: FakeClock) -> None:
    seen: list[Job] = []
    put_jobs(database, 1)

    worker_of(database, Counting(seen.extend), clock, lease=MINUTE).run_once()

    assert seen[0].state is JobState.RUNNING
    assert (seen[0].attempts, seen[0].started_at) == (1, START)
    assert seen[0].leased_until == START + MINUTE


def test_batch_is_of_one_kind_and_the_oldest_comes_first(
    database: Database, clock: FakeClock
) -> None:
    put_jobs(database, 2, kind="late", now=START - MINUTE)
    put_jobs(database, 2, kind="early", now=START - 2 * MINUTE)
    put_jobs(database, 1, kind="early", now=START)
    late, early = Counting(), Counting()
    worker = Worker(database, {"late": late, "early": early}, clock=clock, name="first")

    assert worker.run_once() == 3
    assert (late.prepared, early.prepared) == ([], [[0, 1, 0]])
    assert worker.run_once() == 2
    assert late.prepared == [[0, 1]]


def test_unknown_kind_is_left_alone(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 2, kind="unknown", now=START - MINUTE)
    put_jobs(database, 1)

    assert worker_of(database, Counting(), clock).drain(60) == 1

    assert queue_metrics(database, clock.now).by_kind == {"unknown": 2}


def test_worker_without_handlers_does_nothing(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 1)
    assert Worker(database, {}, clock=clock, name="idle").drain(60) == 0


def test_huge_backlog_is_drained_in_batches(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 2_000)
    handler = Counting()

    assert worker_of(database, handler, clock).drain(60) == 2_000

    assert [len(batch) for batch in handler.prepared] == [100] * 20
    assert effects(database) == list(range(2_000))
    assert queue_metrics(database, clock.now).done == 2_000


def test_drain_ends_when_the_time_is_up(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 10)
    slow = Counting(lambda jobs: clock.move(timedelta(seconds=4)))

    assert worker_of(database, slow, clock, batch=1).drain(10) == 3
    assert worker_of(database, slow, clock, batch=1).drain(0) == 0


def test_drain_does_what_the_jobs_promise(database: Database, clock: FakeClock) -> None:
    def more(jobs: Sequence[Job]) -> None:
        if jobs[0].payload["n"] == 0 and len(handler.prepared) < 4:
            put_jobs(database, 1, now=clock.now)

    handler = Counting(more)
    put_jobs(database, 1)

    assert worker_of(database, handler, clock).drain(60) == 4


@pytest.mark.parametrize(
    "options", [{"batch": 0}, {"lease": timedelta(0)}, {"pause": timedelta(0)}]
)
def test_worker_that_could_not_work_is_refused(
    database: Database, clock: FakeClock, options: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        worker_of(database, Counting(), clock, **options)


def test_two_workers_in_threads_never_run_one_job_twice(path: str, database: Database) -> None:
    put_jobs(database, 300)
    stores = [Keeper(path), Keeper(path)]
    ready = threading.Barrier(2)

    def work(store: Database, name: str) -> None:
        worker = worker_of(store, Counting(), FakeClock(), name=name, batch=7)
        ready.wait()
        worker.drain(600)

    threads = [
        threading.Thread(target=work, args=(store, f"worker-{number}"))
        for number, store in enumerate(stores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert effects(database) == list(range(300))
    assert {job.attempts for job in all_jobs(database).values()} == {1}


def test_two_workers_with_one_job_run_it_once_round_after_round(
    path: str, database: Database
) -> None:
    """Both have seen that it is due before either takes it."""
    rounds = 30
    stores = [Keeper(path), Keeper(path)]
    together = threading.Barrier(2, timeout=60)
    done: list[list[int]] = [[], []]

    def work(place: int) -> None:
        look, store = stores[place].write, stores[place]

        def at_once(work: Callable[[Transaction], Any], *, all_spaces: bool = True) -> Any:
            if work.__name__ == "take":
                together.wait()
            return look(work, all_spaces=all_spaces)

        store.write = at_once  # type: ignore[method-assign]
        worker = worker_of(store, Counting(), FakeClock(), name=f"worker-{place}")
        for number in range(rounds):
            if place == 0:
                put_jobs(database, 1)
            together.wait()
            done[place].append(worker.run_once())
            together.wait()
            assert effects(database) == [0] * (number + 1)
            together.wait()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    for store in stores:
        store.close()

    assert [sum(pair) for pair in zip(*done, strict=True)] == [1] * rounds
    assert {job.attempts for job in listed(database)} == {1}


# --- The thread -----------------------------------------------------------------------------------

LONG = timedelta(hours=1)


def test_thread_wakes_when_it_is_told(database: Database, clock: FakeClock) -> None:
    done = threading.Event()
    worker = worker_of(
        database, Counting(lambda jobs: done.set()), clock, pause=LONG, longest_pause=LONG
    )
    worker.start()
    worker.start()
    put_jobs(database, 3)
    worker.wake()
    assert done.wait(60)
    assert worker.stop(60)
    assert effects(database) == [0, 1, 2]


def test_thread_finds_what_others_promised(database: Database, clock: FakeClock) -> None:
    done = threading.Event()
    short = timedelta(milliseconds=10)
    worker = worker_of(
        database, Counting(lambda jobs: done.set()), clock, pause=short, longest_pause=2 * short
    )
    worker.start()
    put_jobs(database, 1)
    assert done.wait(60)
    assert worker.stop(60)


def test_stop_finishes_the_batch_and_the_worker_can_start_again(
    database: Database, clock: FakeClock
) -> None:
    begun, do_step = threading.Event(), threading.Event()

    def wait(jobs: Sequence[Job]) -> None:
        begun.set()
        assert do_step.wait(60)

    put_jobs(database, 4)
    worker = worker_of(database, Counting(wait), clock, batch=2)
    worker.start()
    assert begun.wait(60)
    assert not worker.stop(0)
    do_step.set()
    assert worker.stop(60)
    assert effects(database) == [0, 1]

    begun.clear()
    worker.start()
    assert begun.wait(60)
    assert worker.stop(60)
    assert effects(database) == [0, 1, 2, 3]


def test_worker_that_has_not_quite_stopped_can_start_again(
    database: Database, clock: FakeClock
) -> None:
    begun, do_step, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(jobs: Sequence[Job]) -> None:
        begun.set()
        assert do_step.wait(60)
        if jobs[0].payload["n"] == 1:
            ended.set()

    put_jobs(database, 2)
    worker = worker_of(database, Counting(wait), clock, batch=1)
    worker.start()
    assert begun.wait(60)
    assert not worker.stop(0)
    worker.start()
    do_step.set()
    assert ended.wait(60)
    assert worker.stop(60)
    assert effects(database) == [0, 1]


def test_drain_waits_for_the_batch_of_the_thread(database: Database, clock: FakeClock) -> None:
    begun, do_step = threading.Event(), threading.Event()

    def wait(jobs: Sequence[Job]) -> None:
        begun.set()
        assert do_step.wait(60)

    put_jobs(database, 2)
    worker = worker_of(database, Counting(wait), clock)
    worker.start()
    assert begun.wait(60)
    assert worker.drain(0.01) == 0
    do_step.set()
    worker.drain(60)
    assert effects(database) == [0, 1]
    assert worker.stop(60)


def test_stop_before_start_is_nothing(database: Database, clock: FakeClock) -> None:
    assert worker_of(database, Counting(), clock).stop()


def test_thread_outlives_an_error_nobody_expected(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    done = threading.Event()
    errors = iter([ZeroDivisionError("out of the blue"), StoreBusy("Others held it.")])

    def moody() -> datetime:
        for error in errors:
            raise error
        return clock.now

    put_jobs(database, 1)
    worker = worker_of(
        database,
        Counting(lambda jobs: done.set()),
        moody,
        pause=timedelta(milliseconds=1),
    )
    worker.start()
    assert done.wait(60)
    assert worker.stop(60)
    assert "met an error and goes on. ZeroDivisionError: out of the blue" in caplog.text
    assert "met an error and goes on. StoreBusy: Others held it." in caplog.text


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_thread_does_not_end_unheard(
    database: Database, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    def leave(jobs: Sequence[Job]) -> None:
        raise SystemExit

    put_jobs(database, 1)
    worker = worker_of(database, Counting(leave), clock)
    worker.start()
    assert worker._thread is not None
    worker._thread.join(60)
    assert "ended although nobody stopped it" in caplog.text
