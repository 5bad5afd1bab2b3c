"""Stores for tests, of every backend there is. A new one is a class and an entry in BACKENDS.

The contract suite, the leak test and whoever asks for the fixture ``stores`` then run on it too.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import psycopg
from sqlalchemy import Connection, make_url

import recollect
from recollect.engine import Recollect
from recollect.storage.database import Database
from tests.clocks import TickingClock
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer

T = TypeVar("T")


class Keeper(Database):
    """The door as a keeper of the house uses it: tests look at every row of every space."""

    @contextmanager
    def reading(self, *, house: bool = True) -> Iterator[Connection]:
        with super().reading(house=house) as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], *, house: bool = True) -> T:
        return super().write(work, house=house)


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
    columns = [
        part  # a column that was added stands on the line of the one before it
        for line in lines
        if line and line not in rules
        for part in (line.split(", ") if "(" not in line else [line])
    ]
    return " | ".join(columns + sorted(rules))


class PostgresBackend:
    """Databases of one server: ours, or the one that ``RECOLLECT_TEST_POSTGRES`` names.

    One database is migrated; the others are copies of it.
    """

    name = "postgresql"

    def __init__(self, folder: Path) -> None:
        given = os.environ.get("RECOLLECT_TEST_POSTGRES")
        self._server = None if given else PostgresServer()
        self._root = given or cast("PostgresServer", self._server).address()
        self._numbers = count()
        self._made: list[str] = []
        self._migrated: str | None = None

    def empty(self) -> str:
        return self._address(self._create(None))

    def ready(self) -> str:
        if self._migrated is None:
            self._migrated = self._create(None)
            Database(self._address(self._migrated)).close()
        return self._address(self._create(self._migrated))

    def anatomy(self, connection: Connection) -> list[str]:
        """Columns, rules, indexes, triggers, policies and functions, as the catalogue has them."""
        return sorted(
            " ".join(str(part) for part in row)
            for query in _CATALOGUE
            for row in connection.exec_driver_sql(query)
        )

    def close(self) -> None:
        """Drop what was made, or stop the server that holds it."""
        if self._server is not None:
            self._server.stop()
            return
        for name in self._made:
            self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _create(self, template: str | None) -> str:
        name = f"recollect_test_{os.getpid()}_{next(self._numbers)}"
        copied = f' TEMPLATE "{template}"' if template else ""
        self._run(f'CREATE DATABASE "{name}"{copied}')
        self._made.append(name)
        return name

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._root, autocommit=True) as connection:
            connection.execute(statement)

    def _address(self, name: str) -> str:
        return make_url(self._root).set(database=name).render_as_string(hide_password=False)


_HERE = "current_schema()::regnamespace"
_CATALOGUE = (
    "SELECT 'column', table_name, column_name, data_type, udt_name, collation_name, is_nullable"
    " FROM information_schema.columns WHERE table_schema = current_schema()",
    "SELECT 'rule', conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
    f" WHERE connamespace = {_HERE}",
    "SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "SELECT 'trigger', pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c"
    f" ON c.oid = t.tgrelid WHERE NOT tgisinternal AND c.relnamespace = {_HERE}",
    "SELECT 'policy', tablename, policyname, cmd, qual, with_check FROM pg_policies"
    " WHERE schemaname = current_schema()",
    "SELECT 'function', pg_get_functiondef(p.oid) FROM pg_proc p"
    f" WHERE p.pronamespace = {_HERE} AND p.proname LIKE 'recollect%%'",
    "SELECT 'rights', p.proname, p.proacl FROM pg_proc p"
    f" WHERE p.pronamespace = {_HERE} AND p.proname LIKE 'recollect%%'",
)


BACKENDS: dict[str, Callable[[Path], Backend]] = {
    "postgresql": PostgresBackend,
    "sqlite": SqliteBackend,
}


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

    def database(self, address: str | None = None) -> Keeper:
        """A database on the address, or on a new store."""
        database = Keeper(address or self.ready())
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
