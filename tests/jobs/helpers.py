"""Handlers whose effects are rows to be counted, and a clock that stands until it is moved."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text

from recollect.jobs.queue import enqueue_many
from recollect.jobs.worker import Handler, Worker
from recollect.storage.database import Database, Transaction
from recollect.storage.dialects.postgres.roles import ROLE
from recollect.storage.jobs.queue import list_jobs
from recollect.storage.pages.spaces import add_space, all_space_ids
from recollect.storage.prepared import dialect_of
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.ids import SPACE, new_id
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.spaces import Space, SpaceKind
from tests.stores import Keeper

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
KIND = "count"


class FakeClock:
    """Time stands still until a test moves it."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, by: timedelta) -> None:
        self.now += by


class Counting:
    """Leaves one row a job; a job run twice would leave two."""

    def __init__(self, before: Callable[[Sequence[Job]], None] | None = None) -> None:
        self.prepared: list[list[int]] = []
        self._before = before

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        self.prepared.append([job.payload["n"] for job in jobs])
        if self._before is not None:
            self._before(jobs)
        return lambda transaction: leave_rows(transaction, jobs)


class Poisoned(Counting):
    """Fails whenever one of the jobs it is given holds one of these numbers."""

    def __init__(self, numbers: set[int], error: Exception | None = None) -> None:
        super().__init__(self._look)
        self.numbers = numbers
        self.error = error or ValueError("poisoned")

    def _look(self, jobs: Sequence[Job]) -> None:
        if any(job.payload["n"] in self.numbers for job in jobs):
            raise self.error


def open_store(path: str) -> Database:
    """A store with one space, and a table for effects that takes the same row twice."""
    database = Keeper(path)

    def prepare(transaction: Transaction) -> None:
        space = Space(new_id(SPACE, START), "house", SpaceKind.PROJECT, None, None, START)
        add_space(transaction, space, "ada")
        dialect_of(transaction).lock_schema(transaction)
        transaction.exec_driver_sql("CREATE TABLE effects (n INTEGER NOT NULL)")
        if transaction.dialect.name == "postgresql":
            transaction.exec_driver_sql(f"GRANT ALL ON effects TO {ROLE}")

    database.write(prepare)
    return database


def close_store(database: Database) -> None:
    """Take the table away again: a database of PostgreSQL whose schema is as it was serves the next
    test too."""

    def leave(transaction: Transaction) -> None:
        dialect_of(transaction).lock_schema(transaction)
        transaction.exec_driver_sql("DROP TABLE effects")

    database.write(leave)
    database.close()


def space_of(database: Database) -> str:
    with database.reading() as transaction:
        return all_space_ids(transaction)[0]


def put_jobs(database: Database, count: int, *, kind: str = KIND, **options: Any) -> list[Job]:
    """Jobs numbered from 0, due at once."""
    space_id = space_of(database)
    payloads = [{"n": n} for n in range(count)]
    options.setdefault("now", START)
    return database.write(lambda t: enqueue_many(t, space_id, kind, payloads, **options))


def leave_rows(transaction: Transaction, jobs: Sequence[Job]) -> None:
    transaction.execute(
        text("INSERT INTO effects (n) VALUES (:n)"), [{"n": job.payload["n"]} for job in jobs]
    )


def effects(database: Database) -> list[int]:
    with database.reading() as transaction:
        rows = transaction.exec_driver_sql("SELECT n FROM effects ORDER BY n")
        return [n for (n,) in rows]


def listed(database: Database) -> list[Job]:
    """Every job of the space."""
    space_id = space_of(database)
    with database.reading() as transaction:
        return list_jobs(transaction, [space_id], None, 100_000)


def all_jobs(database: Database) -> dict[int, Job]:
    """Every job of the space by its number."""
    return {job.payload["n"]: job for job in listed(database)}


def worker_of(database: Database, handler: Handler, clock: Clock, **options: Any) -> Worker:
    options.setdefault("name", "first")
    options.setdefault("random", lambda: 0.5)
    return Worker(database, {KIND: handler}, clock=clock, **options)
