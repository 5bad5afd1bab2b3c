"""Done jobs go after a week; what waits, runs or is dead stays."""

from collections import Counter
from datetime import timedelta

from recollect.jobs.queue import enqueue
from recollect.jobs.schedule import ensure_schedule
from recollect.jobs.tidy import Tidy
from recollect.jobs.worker import Worker
from recollect.storage.database import Database
from recollect.storage.pages.spaces import add_space
from recollect.vocabulary.ids import SPACE, new_id
from recollect.vocabulary.jobs import TIDY, JobState
from recollect.vocabulary.spaces import Space, SpaceKind
from tests.jobs.helpers import (
    KIND,
    START,
    Counting,
    FakeClock,
    Poisoned,
    all_jobs,
    listed,
    put_jobs,
    worker_of,
)

DAY = timedelta(days=1)


def tidying(database: Database, clock: FakeClock, limit: int = 10_000) -> Worker:
    return Worker(database, {TIDY: Tidy(clock, limit=limit)}, clock=clock, name="tidy")


def test_only_old_done_jobs_go(database: Database, clock: FakeClock, space_id: str) -> None:
    put_jobs(database, 3)
    worker_of(database, Counting(), clock).drain(60)
    put_jobs(database, 1, kind="dead", max_attempts=1)
    Worker(database, {"dead": Poisoned({0})}, clock=clock, name="first").drain(60)
    put_jobs(database, 5, kind="waiting")
    database.write(lambda t: enqueue(t, space_id, TIDY, {}, now=clock.now))

    clock.move(7 * DAY)
    assert tidying(database, clock).drain(60) == 1
    assert sum(job.state is JobState.DONE for job in listed(database)) == 4

    database.write(lambda t: enqueue(t, space_id, TIDY, {}, now=clock.now))
    clock.move(timedelta(microseconds=1))
    tidying(database, clock).drain(60)
    assert Counter(job.kind for job in listed(database)) == {"dead": 1, "waiting": 5, TIDY: 2}


def test_many_old_jobs_go_a_part_at_a_time(
    database: Database, clock: FakeClock, space_id: str
) -> None:
    put_jobs(database, 25)
    worker_of(database, Counting(), clock).drain(60)
    clock.move(8 * DAY)
    database.write(lambda t: enqueue(t, space_id, TIDY, {}, now=clock.now))

    assert tidying(database, clock, limit=10).drain(60) == 3
    assert {job.kind for job in listed(database)} == {TIDY}


def test_space_is_tidied_every_day(database: Database, clock: FakeClock, space_id: str) -> None:
    for _ in range(2):
        database.write(
            lambda t: ensure_schedule(t, space_id, TIDY, TIDY, every=DAY, first=clock.now + DAY)
        )
    worker = tidying(database, clock)
    assert worker.drain(60) == 0
    for _ in range(3):
        clock.move(DAY)
        assert worker.drain(60) == 1


def test_space_tidies_only_itself(database: Database, clock: FakeClock) -> None:
    put_jobs(database, 3, kind=KIND)
    worker_of(database, Counting(), clock).drain(60)
    other = Space(new_id(SPACE, START), "other", SpaceKind.PROJECT, None, None, START)
    database.write(lambda t: add_space(t, other, "ada"))
    clock.move(8 * DAY)
    database.write(lambda t: enqueue(t, other.id, TIDY, {}, now=clock.now))

    assert tidying(database, clock).drain(60) == 1
    assert len(all_jobs(database)) == 3
