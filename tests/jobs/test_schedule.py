"""A schedule is taken once each time it is due, keeps its rhythm, and makes up for nothing."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from recollect.jobs.metrics import queue_metrics
from recollect.jobs.schedule import enqueue_due, ensure_schedule
from recollect.storage.database import Database, Transaction
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.jobs import Job
from tests.jobs.helpers import KIND, START, FakeClock, worker_of
from tests.stores import Keeper

HOUR = timedelta(hours=1)


class Noting:
    """Scheduled jobs carry no payload, so their runs are counted here."""

    def __init__(self) -> None:
        self.runs = 0

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        self.runs += len(jobs)
        return lambda transaction: None


def every_hour(database: Database, space_id: str, name: str = "hourly", kind: str = KIND) -> None:
    database.write(
        lambda t: ensure_schedule(t, space_id, name, kind, every=HOUR, first=START + HOUR)
    )


def test_schedule_runs_when_it_is_due_and_again(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    every_hour(database, space_id)
    handler = Noting()
    worker = worker_of(database, handler, clock)
    runs = []
    for _ in range(5):
        worker.drain(60)
        runs.append(handler.runs)
        clock.move(HOUR / 2)
    assert runs == [0, 0, 1, 1, 2]


def test_due_schedule_is_taken_once_by_two_workers(
    path: str, database: Database, space_id: str, clock: FakeClock
) -> None:
    for number in range(10):
        every_hour(database, space_id, f"hourly-{number}")
    clock.move(HOUR)
    stores = [Keeper(path), Keeper(path)]
    handlers = [Noting(), Noting()]
    ready = threading.Barrier(2)

    def work(number: int) -> None:
        worker = worker_of(stores[number], handlers[number], clock, name=f"worker-{number}")
        ready.wait()
        worker.drain(600)

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert sum(handler.runs for handler in handlers) == 10
    assert queue_metrics(database, clock.now).done == 10


def test_missed_times_are_one_job_and_the_rhythm_stays(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    every_hour(database, space_id)
    handler = Noting()
    worker = worker_of(database, handler, clock)

    clock.move(100 * HOUR + HOUR / 4)
    worker.drain(60)
    assert handler.runs == 1
    clock.move(HOUR / 2)
    worker.drain(60)
    assert handler.runs == 1
    clock.move(HOUR / 4)
    worker.drain(60)
    assert handler.runs == 2


def test_schedule_that_is_there_keeps_its_next_time_and_takes_the_new_rhythm(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    every_hour(database, space_id, kind="old")
    later = START + 50 * HOUR
    database.write(
        lambda t: ensure_schedule(t, space_id, "hourly", KIND, every=2 * HOUR, first=later)
    )
    handler = Noting()
    worker = worker_of(database, handler, clock)
    clock.move(HOUR)
    worker.drain(60)
    assert handler.runs == 1
    clock.move(HOUR)
    worker.drain(60)
    assert handler.runs == 1
    clock.move(HOUR)
    worker.drain(60)
    assert handler.runs == 2


def test_schedule_of_an_unknown_kind_waits_for_who_knows_it(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    every_hour(database, space_id, kind="unknown")
    clock.move(HOUR)

    assert worker_of(database, Noting(), clock).drain(60) == 0
    assert queue_metrics(database, clock.now).backlog == 0
    assert database.write(lambda t: enqueue_due(t, ["unknown"], clock.now)) == 1


def test_taking_is_rolled_back_with_its_transaction(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    every_hour(database, space_id)
    clock.move(HOUR)

    def die(transaction: Transaction) -> None:
        enqueue_due(transaction, [KIND], clock.now)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        database.write(die)

    assert queue_metrics(database, clock.now).backlog == 0
    assert worker_of(database, Noting(), clock).drain(60) == 1


def test_schedule_without_a_pause_is_refused(database: Database, space_id: str) -> None:
    short = timedelta(milliseconds=999)
    with pytest.raises(InvalidInput):
        database.write(
            lambda t: ensure_schedule(t, space_id, "often", KIND, every=short, first=START)
        )
