"""Stores for tests, of every backend there is. A new one is a class and an entry in BACKENDS.

The contract suite, the leak test and whoever asks for the fixture ``stores`` then run on it too.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection

import recollect
from recollect.engine import Recollect
from recollect.storage.database import Database
from tests.clocks import START, TickingClock
from tests.embedders import WordEmbedder
from tests.postgres_databases import Databases, make_the_space, open_first

T = TypeVar("T")

#: Options of ``open`` that say which space it is about.
_ABOUT_SPACES = frozenset({"space", "space_if_present", "make", "anywhere"})


class Keeper(Database):
    """The door as a keeper of the house uses it: tests look at every row of every space."""

    @contextmanager
    def reading(self, *, all_spaces: bool = True) -> Iterator[Connection]:
        with super().reading(all_spaces=all_spaces) as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], *, all_spaces: bool = True) -> T:
        return super().write(work, all_spaces=all_spaces)


class Backend(Protocol):
    """A kind of store, and how tests come by fresh ones."""

    name: str

    def empty(self) -> str:
        """The address of a store where nothing is yet, not even tables."""
        ...

    def ready(self) -> str:
        """The address of a new store with today's schema and no rows."""
        ...

    def inhabited(self) -> str:
        """The address of a new store with ada's space ``default``, the same in all of them."""
        ...

    def anatomy(self, connection: Connection) -> list[str]:
        """The whole schema as the database itself tells it, with what no inspector shows."""
        ...

    def close(self) -> None:
        """Let go of whatever the backend holds."""
        ...


class SharedStores:
    """What all tests of a run share: one server, and a new store of each kind to copy."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    def new_folder(self) -> Path:
        """An empty folder."""
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        return folder

    @cached_property
    def migrated_file(self) -> Path:
        """A SQLite file with today's schema and no rows."""
        path = self._folder / "migrated.db"
        Database(str(path)).close()
        return path

    @cached_property
    def opened_file(self) -> Path:
        """One that was opened before and has no space yet."""
        path = self._folder / "opened.db"
        open_first(str(path))
        return path

    @cached_property
    def inhabited_file(self) -> Path:
        """One with ada's space."""
        path = Path(shutil.copy(self.opened_file, self._folder / "inhabited.db"))
        make_the_space(str(path))
        return path

    @cached_property
    def databases(self) -> Databases:
        """The server, which starts when a test first wants it."""
        return Databases()

    def close(self) -> None:
        """Stop the server if it was started."""
        if "databases" in self.__dict__:
            self.databases.close()


class SqliteBackend:
    """Files in a folder that goes when the backend is closed. A ready one is a copy."""

    name = "sqlite"

    def __init__(self, shared: SharedStores) -> None:
        self._shared = shared
        self._folder = shared.new_folder()
        self._numbers = count()

    def empty(self) -> str:
        return str(self._folder / f"store-{next(self._numbers)}.db")

    def ready(self) -> str:
        return str(shutil.copy(self._shared.opened_file, self.empty()))

    def inhabited(self) -> str:
        return str(shutil.copy(self._shared.inhabited_file, self.empty()))

    def anatomy(self, connection: Connection) -> list[str]:
        """Statements of ``sqlite_master``, spelled alike; the order of a table's rules is none."""
        rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master")
        return sorted(
            f"{kind} {name} on {table}: {_spelled(sql)}" for kind, name, table, sql in rows
        )

    def close(self) -> None:
        """Take the files away."""
        shutil.rmtree(self._folder, ignore_errors=True)


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
    """Databases that are given back when the backend is closed. A ready one holds no rows."""

    name = "postgresql"

    def __init__(self, shared: SharedStores) -> None:
        self._databases = shared.databases
        self._made: list[str] = []

    def empty(self) -> str:
        return self._handed_out(self._databases.new())

    def ready(self) -> str:
        return self._handed_out(self._databases.lend())

    def inhabited(self) -> str:
        return self._handed_out(self._databases.lend(inhabited=True))

    def anatomy(self, connection: Connection) -> list[str]:
        """Columns, rules, indexes, triggers, policies and functions, as the catalogue has them."""
        return sorted(
            " ".join(str(part) for part in row)
            for query in _CATALOGUE
            for row in connection.exec_driver_sql(query)
        )

    def close(self) -> None:
        """Give the databases back."""
        while self._made:
            self._databases.give_back(self._made.pop())

    def _handed_out(self, name: str) -> str:
        self._made.append(name)
        return self._databases.address(name)


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


BACKENDS: dict[str, Callable[[SharedStores], Backend]] = {
    "postgresql": PostgresBackend,
    "sqlite": SqliteBackend,
}


class StoreMaker:
    """Makes stores and opens them; whatever it opened is closed when the test ends."""

    def __init__(self, backend: Backend, clock: TickingClock) -> None:
        self.backend = backend
        self.clock = clock
        self._opened: list[Recollect | Database] = []
        self._inhabited = False

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
        """An engine on the address, or on a new store: ada's, by words and vectors, no worker.

        Agents wait for their memory as long as it takes on a busy machine.
        """
        settings = {"agent_patience": "60", **options.pop("settings", {})}
        given: dict[str, Any] = {
            "user": "ada",
            "embedder": WordEmbedder(),
            "worker": False,
            "clock": self.clock,
            "settings": settings,
        }
        memory = recollect.open(address or self._new_store(given | options), **(given | options))
        self._opened.append(memory)
        return memory

    def _new_store(self, options: dict[str, Any]) -> str:
        """One with its space, where it is the test's first, its clock begins as others do and
        nothing is asked of the space: spaces of two stores are two, and daily jobs of a space begin
        a day after it was made."""
        asked = _ABOUT_SPACES & {*options, *options["settings"]}
        begins = getattr(options["clock"], "now", None) == START
        if self._inhabited or options["user"] != "ada" or asked or not begins:
            return self.ready()
        self._inhabited = True
        return self.backend.inhabited()

    def close(self) -> None:
        """Close everything that was opened."""
        while self._opened:
            self._opened.pop().close()
