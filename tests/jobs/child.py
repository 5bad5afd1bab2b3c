"""A worker in a process of its own, for tests that need a real one to race with or to kill.

python -m tests.jobs.child FILE NAME drain     waits for a line, then drains the queue
python -m tests.jobs.child FILE NAME race      takes one batch a line, and says how many it did
python -m tests.jobs.child FILE NAME prepare   says so when prepared, and waits to be killed
python -m tests.jobs.child FILE NAME write     the same, in the midst of its transaction
"""

import sys
from collections.abc import Callable, Sequence

from recollect.storage.database import Transaction
from recollect.vocabulary.jobs import Job
from tests.jobs.helpers import Counting, FakeClock, leave_rows, worker_of
from tests.stores import Keeper


def say_and_wait(word: str) -> None:
    print(word, flush=True)
    sys.stdin.readline()


class Stalling:
    """Stops at the named point until it is killed."""

    def __init__(self, point: str) -> None:
        self._point = point

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        if self._point == "prepare":
            say_and_wait("prepared")

        def write(transaction: Transaction) -> None:
            leave_rows(transaction, jobs)
            if self._point == "write":
                say_and_wait("written")

        return write


def race(database: Keeper, name: str) -> None:
    """Each round at the word of the one who starts both."""
    worker = worker_of(database, Counting(), FakeClock(), name=name)
    print("ready", flush=True)
    while sys.stdin.readline().strip() == "go":
        print(worker.run_once(), flush=True)


def main(path: str, name: str, task: str) -> None:
    database = Keeper(path)
    if task == "drain":
        say_and_wait("ready")
        worker_of(database, Counting(), FakeClock(), name=name, batch=5).drain(600)
    elif task == "race":
        race(database, name)
    else:
        worker_of(database, Stalling(task), FakeClock(), name=name).run_once()
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
