"""One open database: short reads, and writes that are done wholly or not at all.

A write is a function of a connection. It may be run again when another writer was in the way, so it
must do nothing but database work. When ``write`` returns, the disk has it.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.dialects.sqlite import SqliteDialect
from recollect.storage.migrate import ensure_schema
from recollect.vocabulary.errors import InvalidSetting, StoreBusy

T = TypeVar("T")

#: What rooms above call the thing that they hand back to storage.
Transaction = Connection

BUSY_SECONDS: Final = 15.0
ATTEMPTS: Final = 6


class Database:
    """The door to the tables."""

    def __init__(self, address: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.address = address.removeprefix("sqlite:///")
        self.dialect = _dialect_of(self.address)
        self._engine: Engine = self.dialect.open_engine(self.address, busy_seconds=busy_seconds)
        self._writer = self.dialect.writer(self._engine)
        self._driver_error: type[Exception] = self._engine.dialect.dbapi.Error  # type: ignore[union-attr]
        self._turn = threading.Lock()
        self._kept: Connection | None = None
        self._patiently(lambda: ensure_schema(self._engine, self._writer, self.dialect))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one moment of the store."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except (DBAPIError, self._driver_error) as error:
            raise self.dialect.translate(_cause(error)) from error
        except PoolTimeout as error:
            raise StoreBusy("Too many reads at once in this process.", hint="Try again.") from error

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run the work in a transaction of its own; the disk has it when this returns."""

        def attempt() -> T:
            with self._turn, self._writing() as connection:
                return work(connection)

        return self._patiently(attempt)

    def close(self) -> None:
        """Let every connection go."""
        with self._turn:
            if self._kept is not None:
                self._kept.close()
                self._kept = None
        self._engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction on the connection of the last write, which is kept unless it failed."""
        connection = self._kept or self._writer.connect()
        self._kept = None
        try:
            with connection.begin():
                yield connection
        except BaseException:
            connection.close()
            raise
        self._kept = connection

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Try again, a few times and with growing pauses, while others hold the lock."""
        for tries in range(1, ATTEMPTS + 1):
            try:
                return attempt()
            except (DBAPIError, self._driver_error) as error:
                complaint = self.dialect.translate(_cause(error))
                if not isinstance(complaint, StoreBusy) or tries == ATTEMPTS:
                    raise complaint from error
                time.sleep(random.uniform(0.01, 0.05) * 2**tries)
        raise AssertionError("unreachable")


def _cause(error: Exception) -> BaseException:
    """The driver's own error, whoever raised it."""
    return error.orig if isinstance(error, DBAPIError) and error.orig else error


def _dialect_of(address: str) -> StoreDialect:
    if "://" in address:
        scheme = address.split("://", maxsplit=1)[0]
        raise InvalidSetting(
            f"This version cannot open {scheme}:// addresses.", hint="Give the path of a file."
        )
    return SqliteDialect()
