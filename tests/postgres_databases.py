"""Databases of the tests' PostgreSQL, lent to one test after the other instead of made for each.

To make a database, to drop it and to start a backend for each connection costs more than most tests
do themselves. So a test gets a database that another test gave back, with every row taken out of
it, and connections that were closed are used again. Nothing of the test before is left:

- every table holds exactly the rows of a new store; deleted are those of the tables that have any;
- a database whose schema or settings were changed is dropped, and so is one that somebody is still
  connected to;
- a connection is reset before it is used again, and one that does not answer is thrown away.

Most of the server's time went into planning: row security makes a plan of a plain question of ours
take ten times as long as its answer. So a connection that is used again plans a statement once and
keeps the plan, as a server's connections do after the first hundred requests.

Bytes of deleted rows may still be in the files: a test that searches the files has its own server.
"""

import os
import threading
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any, ClassVar, cast

import psycopg
from psycopg._preparing import Prepare, PrepareManager
from psycopg._queries import PostgresQuery
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event, make_url

import recollect
from tests.clocks import START, TickingClock
from tests.embedders import WordEmbedder
from tests.postgres_server import PostgresServer

#: How many tests a database serves before its dead rows are got rid of with it.
_TESTS = 100
#: How many connections of one kind wait to be used again, and how many of all kinds: a server gives
#: a hundred.
_WAITING = 6
_WAITING_IN_ALL = 24
#: A plan that serves whatever values are asked with, and how many plans a connection keeps.
_PLAN_ONCE = "-c plan_cache_mode=force_generic_plan"
_PLANS = 2_000
#: Rows go and come back without triggers. It holds for a whole connection: a change of it makes a
#: server forget every plan.
_NO_TRIGGERS = "-c session_replication_role=replica"
_IN_TRANSACTION = (TransactionStatus.INTRANS, TransactionStatus.INERROR)

#: Of a store's own objects, which have numbers beyond those of the server's.
_CATALOGUES = {
    "pg_class": "oid", "pg_attribute": "attrelid", "pg_constraint": "oid", "pg_policy": "oid",
    "pg_trigger": "oid", "pg_proc": "oid", "pg_namespace": "oid", "pg_rewrite": "oid",
    "pg_extension": "oid", "pg_default_acl": "oid", "pg_type": "oid",
}  # fmt: skip
#: Changes with every change of the schema: which transactions wrote the catalogue's rows.
_SCHEMA = (
    "SELECT "
    + ", ".join(
        f"(SELECT (count(*), sum(xmin::text::bigint)) FROM {table} WHERE {number} >= 16384)"
        for table, number in _CATALOGUES.items()
    )
    + ", (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase"
    " WHERE d.datname = current_database())"
)
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND pid <> ALL(%s)"
)
_TABLES = (
    "SELECT c.oid::regclass::text FROM pg_class c"
    " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
    " AND c.relnamespace = 'public'::regnamespace"
)
_RESET = (
    "RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; UNLISTEN *; DISCARD TEMP;"
    " SELECT pg_advisory_unlock_all()"
)

Kind = tuple[Any, ...]


def open_first(address: str) -> None:
    """Make a store and note in it what its first opening notes of the analyser, the model and the
    daily jobs, so that not every test does. There is no space in it yet."""
    recollect.open(
        address, anywhere=True, user="ada", embedder=WordEmbedder(), worker=False
    ).close()


def make_the_space(address: str) -> None:
    """Make ada's space in such a store, just before the clocks of tests begin."""
    clock = TickingClock(START - timedelta(seconds=1))
    recollect.open(address, user="ada", embedder=WordEmbedder(), worker=False, clock=clock).close()


class KeptPlans(PrepareManager):
    """Statements stay prepared when a transaction is rolled back, which the driver takes for a sign
    that tables may be gone: whoever changes the tables of a lent database is the last to use it."""

    def clear(self) -> bool:
        return False

    def get(self, query: PostgresQuery, prepare: bool | None = None) -> tuple[Prepare, bytes]:
        several = b";" in query.query  # several statements at once cannot be prepared
        return super().get(query, prepare=False if several else prepare)


class WaitingConnection(psycopg.Connection[Any]):
    """A connection that waits to be used again when it is closed, if its database is lent out."""

    waiting: ClassVar[dict[Kind, list["WaitingConnection"]]] = {}
    lent: ClassVar[set[str]] = set()
    _lock: ClassVar = threading.Lock()
    kind: Kind | None = None

    @classmethod
    def used_again(cls, arguments: Any, options: dict[str, Any]) -> "WaitingConnection":
        """One that waits, or a new one. How values are read is an object of each engine's own, and
        the same in all."""
        told = {name: value for name, value in options.items() if name != "context"}
        kind = (os.getpid(), tuple(arguments), *sorted(told.items()))
        while True:
            with cls._lock:
                free = cls.waiting.get(kind)
                found = free.pop() if free else None
            if found is None:
                made = cls._made(arguments, options)
                made.kind = kind
                return made
            try:
                found.execute(_RESET.encode(), prepare=False)
            except psycopg.Error:
                found.end()
            else:
                return found

    @classmethod
    def _made(cls, arguments: Any, options: dict[str, Any]) -> "WaitingConnection":
        """A new one; those that wait give way where the server has none left."""
        options = {**options, "options": f"{options.get('options', '')} {_PLAN_ONCE}"}
        try:
            return cls._connected(arguments, options)
        except psycopg.OperationalError:
            with cls._lock:
                waiting = [one for free in cls.waiting.values() for one in free]
                cls.waiting.clear()
            if not waiting:
                raise
            for one in waiting:
                one.end()
            return cls._connected(arguments, options)

    @classmethod
    def _connected(cls, arguments: Any, options: dict[str, Any]) -> "WaitingConnection":
        made = cls.connect(*arguments, **options)
        made._prepared = KeptPlans()
        made.prepare_threshold, made.prepared_max = 0, _PLANS
        return made

    def close(self) -> None:
        """Wait, unless something is amiss."""
        if self.closed or self.kind is None or self.info.dbname not in self.lent:
            self.end()
            return
        with suppress(psycopg.Error):
            if self.info.transaction_status in (
                TransactionStatus.INTRANS,
                TransactionStatus.INERROR,
            ):
                self.rollback()
        with self._lock:
            free = self.waiting.setdefault(self.kind, [])
            waits = (
                self.info.transaction_status == TransactionStatus.IDLE
                and len(free) < _WAITING
                and sum(map(len, self.waiting.values())) < _WAITING_IN_ALL
                and self not in free
            )
            if waits:
                free.append(self)
        if not waits:
            self.end()

    def end(self) -> None:
        """Close it."""
        super().close()

    @classmethod
    def of_database(cls, name: str) -> list["WaitingConnection"]:
        """Those that wait for a database."""
        with cls._lock:
            return [one for free in cls.waiting.values() for one in free if one.info.dbname == name]

    @classmethod
    def end_all(cls, name: str) -> None:
        """Close those that wait for a database."""
        cls.lent.discard(name)
        for one in cls.of_database(name):
            one.end()
        with cls._lock:
            for kind in [kind for kind, free in cls.waiting.items() if any(c.closed for c in free)]:
                del cls.waiting[kind]


def _connect(_dialect: Any, _record: Any, arguments: Any, options: Any) -> WaitingConnection | None:
    if options.get("dbname") in WaitingConnection.lent:
        return WaitingConnection.used_again(arguments, options)
    return None


def keep_plans(name: str) -> None:
    """For a process that a test starts and that asks much: its connections to a database plan a
    statement once, as those of the tests do."""
    WaitingConnection.lent.add(name)
    event.listen(Engine, "do_connect", _connect)


class Lent:
    """One database that tests use in turn, with a connection of its own to put it in order."""

    def __init__(self, name: str, address: str, *, inhabited: bool) -> None:
        self.name = name
        self.inhabited = inhabited
        self._left = _TESTS
        self._connection = psycopg.connect(
            address, autocommit=True, prepare_threshold=0, options=f"{_PLAN_ONCE} {_NO_TRIGGERS}"
        )
        self._schema = self._one(_SCHEMA)
        tables = [row[0] for row in self._connection.execute(_TABLES.encode())]
        self._filled = " UNION ALL ".join(
            f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in sorted(tables)
        ).encode()
        self._first = {table: self._copied(table) for table in self._tables_with_rows()}
        WaitingConnection.lent.add(name)

    def emptied(self) -> bool:
        """Make it as it was when it was new; False if that is not worth while or cannot be sure."""
        self._left -= 1
        waiting = [one.info.backend_pid for one in WaitingConnection.of_database(self.name)]
        if self._left <= 0 or self._one(_OTHERS, (waiting,)) != (0,):
            return False
        if self._one(_SCHEMA) != self._schema:
            return False
        with self._connection.transaction():
            for table in {*self._tables_with_rows(), *self._first}:
                if table in self._first and self._copied(table) == self._first[table]:
                    continue
                self._connection.execute(f"DELETE FROM {table}".encode())
                if table in self._first:
                    self._put_back(table)
        return True

    def close(self) -> None:
        """Let its connections go."""
        WaitingConnection.end_all(self.name)
        self._connection.close()

    def _tables_with_rows(self) -> list[str]:
        return [row[0] for row in self._connection.execute(self._filled)]

    def _one(self, query: str, values: Any = None) -> Any:
        return self._connection.execute(query.encode(), values).fetchone()

    def _copied(self, table: str) -> bytes:
        with self._connection.cursor().copy(f"COPY {table} TO STDOUT".encode()) as rows:
            return b"".join(bytes(part) for part in rows)

    def _put_back(self, table: str) -> None:
        with self._connection.cursor().copy(f"COPY {table} FROM STDIN".encode()) as rows:
            rows.write(self._first[table])


class Databases:
    """Databases of one server: ours, or the one that ``RECOLLECT_TEST_POSTGRES`` names."""

    def __init__(self) -> None:
        given = os.environ.get("RECOLLECT_TEST_POSTGRES")
        # Dead rows go with their database; whoever looked for them would have plans made anew. The
        # processes that tests start make few plans too.
        settings = {"autovacuum": "off", "plan_cache_mode": "force_generic_plan"}
        self._server = None if given else PostgresServer(settings=settings)
        self._root = given or cast("PostgresServer", self._server).address()
        self._numbers = count()
        #: Without a space and with one: what is copied, and which copies are free.
        self._templates: dict[bool, str] = {}
        self._free: dict[bool, list[str]] = {False: [], True: []}
        self._lent: dict[str, Lent] = {}
        self._connection = psycopg.connect(self._root, autocommit=True)
        event.listen(Engine, "do_connect", _connect)

    def new(self, template: str | None = None) -> str:
        """The name of a database where nothing is yet, or of a copy."""
        name = f"recollect_test_{os.getpid()}_{next(self._numbers)}"
        copied = f' TEMPLATE "{template}" STRATEGY FILE_COPY' if template else ""
        self._connection.execute(f'CREATE DATABASE "{name}"{copied}'.encode())
        return name

    def lend(self, *, inhabited: bool = False) -> str:
        """The name of a database with today's schema, opened before and without a space, or with
        ada's."""
        if self._free[inhabited]:
            return self._free[inhabited].pop()
        name = self.new(self._template(inhabited))
        self._lent[name] = Lent(name, self.address(name), inhabited=inhabited)
        return name

    def _template(self, inhabited: bool) -> str:
        if inhabited not in self._templates:
            made = self.new(self._template(False) if inhabited else None)
            (make_the_space if inhabited else open_first)(self.address(made))
            self._templates[inhabited] = made
        return self._templates[inhabited]

    def give_back(self, name: str) -> None:
        """Take a database back, whoever may still be connected to it."""
        lent = self._lent.get(name)
        if lent is not None:
            with suppress(psycopg.Error):
                if lent.emptied():
                    self._free[lent.inhabited].append(name)
                    return
            del self._lent[name]
            lent.close()
        self.drop(name)

    def address(self, name: str) -> str:
        """Where a database is reached."""
        return make_url(self._root).set(database=name).render_as_string(hide_password=False)

    def drop(self, name: str) -> None:
        """Take a database away, whoever may still be connected to it."""
        self._connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())

    def close(self) -> None:
        """Drop what is left, and stop the server if it is ours."""
        event.remove(Engine, "do_connect", _connect)
        for name, lent in self._lent.items():
            lent.close()
            if self._server is None:
                self.drop(name)
        if self._server is None:
            for template in self._templates.values():
                self.drop(template)
        self._connection.close()
        if self._server is not None:
            self._server.stop()
