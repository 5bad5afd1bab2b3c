"""Real processes: two on one file never do a job twice, and one that is killed loses nothing."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from recollect.storage.database import Database
from recollect.vocabulary.jobs import JobState
from tests.child_processes import ForkedProcess, started
from tests.jobs.helpers import (
    Counting,
    FakeClock,
    all_jobs,
    effects,
    listed,
    put_jobs,
    worker_of,
)

LEASE = timedelta(seconds=60)


@contextmanager
def child(path: str, name: str, task: str) -> Iterator[ForkedProcess]:
    """A worker process; it is gone when the block ends, however it ends."""
    process = started("tests.jobs.child", path, name, task, stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def hear(process: ForkedProcess) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: ForkedProcess, word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


def test_two_processes_never_run_one_job_twice(path: str, database: Database) -> None:
    put_jobs(database, 200)
    with child(path, "one", "drain") as one, child(path, "two", "drain") as two:
        assert hear(one) == hear(two) == "ready"
        for process in (one, two):
            tell(process, "go")
        assert (one.wait(120), two.wait(120)) == (0, 0)

    assert effects(database) == list(range(200))
    jobs = all_jobs(database).values()
    assert {(job.state, job.attempts) for job in jobs} == {(JobState.DONE, 1)}


def test_two_processes_with_one_job_run_it_once_round_after_round(
    path: str, database: Database
) -> None:
    """Both are let loose on the same single job at the same moment; exactly one has it."""
    rounds = 40
    with child(path, "one", "race") as one, child(path, "two", "race") as two:
        assert hear(one) == hear(two) == "ready"
        for number in range(1, rounds + 1):
            put_jobs(database, 1)
            for process in (one, two):
                tell(process, "go")
            assert sorted((hear(one), hear(two))) == ["0", "1"]
            assert effects(database) == [0] * number
        for process in (one, two):
            tell(process, "end")
        assert (one.wait(60), two.wait(60)) == (0, 0)

    assert {(job.state, job.attempts) for job in listed(database)} == {(JobState.DONE, 1)}


@pytest.mark.parametrize(("point", "word"), [("prepare", "prepared"), ("write", "written")])
def test_work_of_a_killed_process_is_done_once_after_its_lease(
    path: str, database: Database, clock: FakeClock, point: str, word: str
) -> None:
    put_jobs(database, 3)
    with child(path, "doomed", point) as process:
        assert hear(process) == word
        process.kill()
        assert process.wait(60) != 0

    survivor = worker_of(database, Counting(), clock, name="survivor", lease=LEASE)
    assert effects(database) == []
    assert survivor.drain(60) == 0
    clock.move(LEASE)
    assert survivor.drain(60) == 0
    clock.move(timedelta(microseconds=1))
    assert survivor.drain(60) == 3

    assert effects(database) == [0, 1, 2]
    jobs = all_jobs(database).values()
    assert {(job.state, job.attempts) for job in jobs} == {(JobState.DONE, 2)}
    clock.move(10 * LEASE)
    assert survivor.drain(60) == 0
