"""A promise stands and falls with the write that made it."""

from datetime import datetime, timedelta

import pytest

from recollect.jobs.queue import enqueue, enqueue_many
from recollect.storage.database import Database, Transaction
from recollect.vocabulary.errors import InvalidInput, InvalidTime, StoreError
from recollect.vocabulary.jobs import JobState
from tests.jobs.helpers import KIND, START, FakeClock, all_jobs, effects, worker_of
from tests.jobs.helpers import Counting as Handler
from tests.stores import Keeper


def test_promise_is_kept_with_the_write(database: Database, space_id: str) -> None:
    def write(transaction: Transaction) -> None:
        transaction.exec_driver_sql("INSERT INTO effects (n) VALUES (1)")
        enqueue(transaction, space_id, KIND, {"n": 7}, now=START, max_attempts=3)

    database.write(write)

    job = all_jobs(database)[7]
    assert effects(database) == [1]
    assert job.state is JobState.WAITING
    assert (job.attempts, job.max_attempts, job.created_at, job.run_at) == (0, 3, START, START)


def test_promise_is_rolled_back_with_the_write(database: Database, space_id: str) -> None:
    def write(transaction: Transaction) -> None:
        transaction.exec_driver_sql("INSERT INTO effects (n) VALUES (1)")
        enqueue_many(transaction, space_id, KIND, [{"n": n} for n in range(5)], now=START)
        raise RuntimeError("the writer changed its mind")

    with pytest.raises(RuntimeError):
        database.write(write)

    assert effects(database) == []
    assert all_jobs(database) == {}


def test_promise_is_not_seen_before_the_commit(
    database: Database, space_id: str, clock: FakeClock
) -> None:
    other = Keeper(database.address)
    worker = worker_of(other, Handler(), clock)

    def write(transaction: Transaction) -> int:
        enqueue(transaction, space_id, KIND, {"n": 0}, now=START)
        return worker.run_once()

    assert database.write(write) == 0
    assert worker.run_once() == 1
    other.close()


def test_delay_is_kept(database: Database, space_id: str, clock: FakeClock) -> None:
    delay = timedelta(minutes=5)
    database.write(lambda t: enqueue(t, space_id, KIND, {"n": 0}, now=START, delay=delay))
    worker = worker_of(database, Handler(), clock)

    clock.move(delay - timedelta(microseconds=1))
    assert worker.run_once() == 0
    clock.move(timedelta(microseconds=1))
    assert worker.run_once() == 1


def test_what_is_promised_is_what_is_handled(database: Database, space_id: str) -> None:
    payload = {"n": 0, "words": ["é", "日本"], "nested": {"none": None, "float": 0.25}}

    promised = database.write(lambda t: enqueue(t, space_id, KIND, payload, now=START))

    assert all_jobs(database)[0] == promised


def test_nothing_promised_is_nothing_written(database: Database, space_id: str) -> None:
    assert database.write(lambda t: enqueue_many(t, space_id, KIND, [], now=START)) == []


def test_no_promise_without_an_attempt(database: Database, space_id: str) -> None:
    with pytest.raises(InvalidInput):
        database.write(lambda t: enqueue(t, space_id, KIND, {}, now=START, max_attempts=0))


def test_no_promise_at_a_naive_time(database: Database, space_id: str) -> None:
    naive = datetime(2026, 3, 1)  # noqa: DTZ001 - that is the point
    with pytest.raises(InvalidTime):
        database.write(lambda t: enqueue(t, space_id, KIND, {}, now=naive))


def test_no_promise_in_a_space_that_is_not_there(database: Database) -> None:
    with pytest.raises(StoreError):
        database.write(lambda t: enqueue(t, "spc_nowhere", KIND, {}, now=START))
