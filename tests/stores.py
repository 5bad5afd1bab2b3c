"""Stores for tests, of every backend there is. A new one is a class and an entry in BACKENDS.

The contract suite, the leak test and whoever asks for the fixture ``stores`` then run on it too.
"""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection

import recollect
from recollect.engine import Recollect
from recollect.storage.database import Database
from tests.clocks import TickingClock
from tests.embedders import WordEmbedder


class Backend(Protocol):
    """A kind of store, and how tests come by fresh ones."""

    name: str

    def empty(self) -> str:
        """The address of a store where nothing is yet, not even tables."""
        ...

    def ready(self) -> str:
        """The address of a new store with today's schema and no rows."""
        ...

    def anatomy(self, connection: Connection) -> list[str]:
        """The whole schema as the database itself tells it, with what no inspector shows."""
        ...

    def close(self) -> None:
        """Let go of whatever the backend holds."""
        ...


class SqliteBackend:
    """Files in a folder. One is migrated; the others are copies of it."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._migrated: Path | None = None

    def empty(self) -> str:
        return str(self._folder / f"store-{next(self._numbers)}.db")

    def ready(self) -> str:
        if self._migrated is None:
            self._migrated = Path(self.empty())
            Database(str(self._migrated)).close()
        return str(shutil.copy(self._migrated, self.empty()))

    def anatomy(self, connection: Connection) -> list[str]:
        """Statements of ``sqlite_master``, spelled alike; the order of a table's rules is none."""
        rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master")
        return sorted(
            f"{kind} {name} on {table}: {_spelled(sql)}" for kind, name, table, sql in rows
        )

    def close(self) -> None:
        """There is nothing but files, and pytest takes those away."""


def _spelled(statement: str | None) -> str:
    lines = [
        " ".join(line.replace('"', "").split()).strip(" ,")
        for line in (statement or "").splitlines()
    ]
    rules = [line for line in lines if line.startswith(("PRIMARY KEY", "UNIQUE", "FOREIGN KEY"))]
    return " | ".join([line for line in lines if line and line not in rules] + sorted(rules))


BACKENDS: dict[str, Callable[[Path], Backend]] = {"sqlite": SqliteBackend}


class StoreMaker:
    """Makes stores and opens them; whatever it opened is closed when the test ends."""

    def __init__(self, backend: Backend, clock: TickingClock) -> None:
        self.backend = backend
        self.clock = clock
        self._opened: list[Recollect | Database] = []

    def empty(self) -> str:
        """The address of a store where nothing is yet."""
        return self.backend.empty()

    def ready(self) -> str:
        """The address of a new store with its schema."""
        return self.backend.ready()

    def database(self, address: str | None = None) -> Database:
        """A database on the address, or on a new store."""
        database = Database(address or self.ready())
        self._opened.append(database)
        return database

    def open(self, address: str | None = None, **options: Any) -> Recollect:
        """An engine on the address, or on a new store: ada's, by words and vectors, no worker."""
        given: dict[str, Any] = {
            "user": "ada",
            "embedder": WordEmbedder(),
            "worker": False,
            "clock": self.clock,
        }
        memory = recollect.open(address or self.ready(), **(given | options))
        self._opened.append(memory)
        return memory

    def close(self) -> None:
        """Close everything that was opened."""
        while self._opened:
            self._opened.pop().close()
