"""PostgreSQL dialect: many machines on one store; a writer locks its space, not the store.

A read is one snapshot (REPEATABLE READ). A write takes an advisory lock on its space as it enters,
so what it has read there stays true until it ends; writers of other spaces run in parallel. Each
write knows its transaction id, so a commit whose answer was lost can be looked up and is never done
twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import psycopg
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Engine,
    Text,
    cast,
    create_engine,
    event,
    func,
    literal_column,
)

from recollect.storage.dialects.postgres import (
    addresses,
    combined_inserts,
    commit_status,
    erasure,
    errors,
    functions,
    keywords,
    partitions,
    roles,
    row_security,
    vector_search,
)
from recollect.storage.dialects.postgres.notifications import Notifications
from recollect.storage.dialects.postgres.vectors import HalfVector, register_vectors
from recollect.storage.dialects.protocol import WRITES, Erased, Part, Postings, SpaceKey
from recollect.storage.prepared import cursor_of
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, system_clock
from recollect.vocabulary.errors import StoreError, StoreUnavailable

if TYPE_CHECKING:
    from recollect.vocabulary.vectors import VectorModel

OLDEST: Final = 15
OLDEST_PGVECTOR: Final = (0, 8)
CONNECT_SECONDS: Final = 5
POOL: Final = 16
OVERFLOW: Final = 16
POOL_SECONDS: Final = 15.0

_SCHEMA_LOCK: Final = 7_105_110
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"
_SYSTEM: Final = "SELECT set_config('recollect.space', '*', true)"
_NUMBER: Final = "pg_current_xact_id()::text, clock_timestamp()"
_SYSTEM_WRITE: Final = f"{_SYSTEM}, {_NUMBER}"
_ENTER: Final = (
    "SELECT recollect_enter("
    "%(space)s::text, %(user)s::text, %(teams)s::text, %(organisations)s::text, %(alone)s)"
)
_LOCK: Final = "pg_advisory_xact_lock(hashtextextended(%(space)s, 0))"
_ENTER_WRITE: Final = f"{_ENTER}, {_NUMBER}"
_SEE_WHOLE: Final = "SELECT set_config('recollect.whole', %s, true)"
_MARK: Final = "recollect_transaction"
_PREPARED: Final = "recollect_prepared"
_NEARLY: Final = timedelta(milliseconds=20)


class PostgresDialect:
    """The shared server."""

    name = "postgresql"
    one_writer = False
    indexes_vectors = True

    def __init__(self) -> None:
        self._signals = Notifications()
        self._address = ""
        self._partitions = 0

    def open_engine(self, address: str, *, busy_seconds: float, reading: bool = False) -> Engine:
        """An engine on the server; checks at once that the server is usable."""
        url, options = addresses.read(address)
        self._partitions = partitions.requested_count(url)
        url = url.difference_update_query([partitions.NAME])
        self._address = address
        self._signals.address = url.set(drivername="postgresql").render_as_string(
            hide_password=False
        )
        engine = create_engine(
            url,
            connect_args={
                "connect_timeout": CONNECT_SECONDS,
                "application_name": "recollect",
                "client_encoding": addresses.ENCODING,
                "options": addresses.options(options, busy_seconds),
            },
            use_native_hstore=False,
            pool_size=POOL,
            max_overflow=OVERFLOW,
            pool_timeout=POOL_SECONDS,
        )
        event.listen(engine, "connect", self._prepare)
        event.listen(engine, "checkout", self._prepare_again)
        event.listen(engine, "begin", _begin)
        return engine

    def read_only(self, address: str) -> bool:
        """False: a server reports that itself when it is written to."""
        return False

    def writer(self, engine: Engine) -> Engine:
        """The engine whose transactions may write."""
        return engine.execution_options(**{WRITES: True})

    def enter(
        self, connection: Connection, space_id: str, viewer: Viewer, *, exclusive: bool
    ) -> None:
        """Set the space and the viewer for row-level security; a write locks the space."""
        values = {
            "space": space_id,
            "user": viewer.user,
            "teams": row_security.joined(viewer.teams),
            "organisations": row_security.joined(viewer.organisations),
        }
        if connection.get_execution_options().get(WRITES):
            self._entered(connection, _ENTER_WRITE, {**values, "alone": exclusive})
        else:
            self._entered(connection, _ENTER, {**values, "alone": False})

    def bypass_row_security(self, connection: Connection) -> None:
        """Set system access for row-level security."""
        writes = connection.get_execution_options().get(WRITES)
        self._entered(connection, _SYSTEM_WRITE if writes else _SYSTEM, {})

    def read_shared_rows(self, connection: Connection, whole: bool) -> None:
        """Allow row-level security to show what all viewers of the space share, or stop that."""
        cursor = cursor_of(connection)
        try:
            cursor.execute(_SEE_WHOLE, ("on" if whole else "",))
        finally:
            cursor.close()

    def acquire_locks(self, connection: Connection, space_ids: Iterable[str]) -> None:
        """One advisory lock per space, in the order given, until the transaction ends."""
        cursor = connection.connection.cursor()
        try:
            for space_id in space_ids:
                cursor.execute(f"SELECT {_LOCK}", {"space": space_id})
        finally:
            cursor.close()

    def lock_condition(self, space: BindParameter[str]) -> ColumnElement[bool]:
        """The same lock as an expression; its result is empty, but never null."""
        lock = func.pg_advisory_xact_lock(func.hashtextextended(space, literal_column("0")))
        return cast(lock, Text).is_not(None)

    def begin(self, connection: Connection) -> None:
        """As SQLAlchemy does."""
        connection.begin()

    def commit(self, connection: Connection) -> None:
        """As SQLAlchemy does."""
        connection.commit()

    def run_parts(self, connection: Connection, inserts: Sequence[Part]) -> None:
        """As one statement."""
        combined_inserts.run(connection, inserts)

    def mark(self, connection: Connection) -> object:
        """The id of the transaction and a time at which it had it."""
        return connection.info.pop(_MARK, None)

    def was_committed(self, engine: Engine, mark: object) -> bool | None:
        """Outcome of a transaction according to the server, also after a crash."""
        return (
            commit_status.was_committed(engine, mark)
            if isinstance(mark, commit_status.Mark)
            else False
        )

    def is_transient(self, error: BaseException) -> bool:
        """A lock, a deadlock, a serialisation conflict, or a lost connection."""
        return errors.is_transient(error)

    def shared_clock(self, engine: Engine, clock: Clock) -> Clock:
        """The machine's clock, corrected by its difference from the server's."""
        if clock is not system_clock:
            return clock
        with engine.begin() as connection:
            before = clock()
            there = connection.exec_driver_sql("SELECT clock_timestamp()").scalar_one()
            after = clock()
        apart = there - (before + (after - before) / 2)
        return clock if abs(apart) < _NEARLY else lambda: clock() + apart

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """LISTEN on a connection of its own."""
        return self._signals.listen(wake)

    def notify(self, engine: Engine) -> None:
        """NOTIFY, but not for each write: an occasional hint is enough."""
        self._signals.notify(engine)

    def has_tables(self, connection: Connection, *names: str) -> bool:
        """Ask for each by its name, as the search path finds it."""
        found = connection.exec_driver_sql(
            "SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest(%s::text[]) AS name",
            (list(names),),
        )
        return bool(found.scalar())

    def rights_lost(self, connection: Connection) -> bool:
        """Whether the role cannot reach the tables, or row security does not bind the owner."""
        return roles.rights_are_missing(connection)

    def restore_rights(self, connection: Connection) -> None:
        """Recreate row-level security and its role's rights, as the login that owns the tables."""
        roles.require_owner(connection)
        row_security.build(connection)

    def lock_schema(self, connection: Connection) -> None:
        """Take an advisory lock, and act as the login itself instead of the restricted role."""
        connection.exec_driver_sql("SET LOCAL ROLE NONE")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})")

    def begin_schema(self, connection: Connection) -> None:
        """Check the server's version, and install pgvector."""
        version = connection.exec_driver_sql("SHOW server_version_num").scalar_one()
        if int(version) // 10_000 < OLDEST:
            shown = connection.exec_driver_sql("SHOW server_version").scalar_one()
            raise StoreUnavailable(
                f"The server is PostgreSQL {shown}; Recollect needs {OLDEST} or newer. "
                "Nothing was changed."
            )
        self._ensure_pgvector(connection)

    def table_options(self, connection: Connection) -> dict[str, Any]:
        """Hash partitions by space, if the store has them or its address asks for them."""
        return partitions.options(self._partitions_of(connection))

    def finish_schema(self, connection: Connection) -> None:
        """Create the partitions, then row-level security on old and new tables."""
        partitions.create(connection, self._partitions_of(connection))
        row_security.build(connection)

    def _partitions_of(self, connection: Connection) -> int:
        return partitions.partition_count(connection) or self._partitions

    def vector_value(self, data: bytes) -> HalfVector:
        """Wrapped, so that the driver sends pgvector's binary format."""
        return HalfVector(data)

    def has_vector_index(self, connection: Connection, model_id: str) -> bool:
        """Whether the model's HNSW index is there and complete."""
        return vector_search.is_ready(connection, model_id)

    def nearest(
        self,
        connection: Connection,
        collection: tuple[str, str],
        model: "VectorModel",
        query: Any,
        limit: int,
    ) -> list[int]:
        """By HNSW, continuing past rows that the filter excludes."""
        return vector_search.slots(connection, collection, model, query, limit)

    def build_vector_index(self, engine: Engine, model_id: str, dims: int) -> bool:
        """CREATE INDEX CONCURRENTLY, which blocks no write."""
        return vector_search.build(engine, model_id, dims)

    def create_keyword_tables(self, connection: Connection, collections: Iterable[str]) -> None:
        """A table of tsvectors per collection."""
        for collection in collections:
            keywords.create(
                connection, collection, partitions.clause(self._partitions_of(connection))
            )

    def protect_columns(self, connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
        """One trigger per table that refuses changes of the columns."""
        row_security.protect_columns(connection, columns)

    def allow_scope_changes(self, connection: Connection, allowed: bool) -> None:
        """Set or clear a flag of the transaction; the triggers check it."""
        connection.exec_driver_sql(
            "SELECT set_config('recollect.erasing', %(on)s, true)", {"on": "on" if allowed else ""}
        )

    def put_keywords(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        documents: Sequence[tuple[int, str]],
    ) -> None:
        """Insert the tokens as tsvectors."""
        keywords.put(connection, collection, space, documents)

    def drop_keywords(
        self, connection: Connection, collection: str, space: SpaceKey, slots: Sequence[int]
    ) -> None:
        """Delete the slots' rows."""
        keywords.drop(connection, collection, space, slots)

    def keyword_documents(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        after: int,
        limit: int | None = None,
    ) -> Iterable[tuple[int, str]]:
        """The end of the space's rows."""
        return keywords.documents(connection, collection, space, after, limit)

    def postings(
        self, connection: Connection, collection: str, space: SpaceKey, terms: Sequence[str]
    ) -> Postings:
        """By the GIN index."""
        return keywords.postings(connection, collection, space, terms)

    def keyword_problems(self, connection: Connection, collection: str) -> list[str]:
        """Whether the index is there and valid."""
        return keywords.problems(connection, collection)

    def reset_keywords(self, connection: Connection, collection: str) -> None:
        """Empty the table row by row: the restricted role may not TRUNCATE, which row-level
        security would not check.
        """
        connection.exec_driver_sql(f"DELETE FROM {collection}_keywords")

    def store_problems(self, connection: Connection) -> list[str]:
        """Indexes that are not valid, and page checksums that failed."""
        invalid = connection.exec_driver_sql(
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace LIMIT 20"
        ).scalars()
        problems = [f"The index {name} is not valid." for name in invalid]
        failed = connection.exec_driver_sql(
            "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        if failed:
            problems.append(f"PostgreSQL found {failed:,} pages whose checksums fail.")
        return problems

    def absent_terms(
        self,
        connection: Connection,
        collections: Iterable[str],
        space: SpaceKey,
        terms: Iterable[str],
    ) -> set[str]:
        """By the postings of each term."""
        missing = list(terms)
        for name in collections:
            _, _, sizes = self.postings(connection, name, space, missing)
            missing = [term for term, size in zip(missing, sizes, strict=True) if not size]
        return set(missing)

    def release(self, address: str) -> None:
        """No-op: a server has no file of ours."""

    def scrub(
        self,
        engine: Engine,
        collections: Iterable[str],
        words: Sequence[str] | None,
        *,
        whole: bool,
    ) -> str:
        """Nothing to do now: deleted rows are invisible at once, but their bytes remain. VACUUM
        frees their space without overwriting it, and backups are out of our reach.
        """
        return (
            "the files of the server's tables and indexes until they are written anew"
            " ('recollect doctor --erase-traces'), its write-ahead log, replicas and backups"
        )

    def erase_traces(self, engine: Engine, collections: Iterable[str]) -> Erased:
        """VACUUM FULL, statistics, a checkpoint and a new segment of the write-ahead log."""
        return erasure.erase(engine)

    def describe(self, connection: Connection) -> dict[str, str | int]:
        """Versions, location, size, and replication lag."""
        row = connection.exec_driver_sql(
            "SELECT current_setting('server_version'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector'),"
            " CASE WHEN has_database_privilege(current_database(), 'CONNECT')"
            " THEN pg_database_size(current_database()) ELSE (SELECT"
            " sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relkind = 'r'"
            " AND c.relnamespace = current_schema()::regnamespace) END, pg_is_in_recovery(),"
            " coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)::bigint,"
            " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())"
        ).one()
        version, pgvector, size, replica, lag, connections = row
        return {
            "store": "postgresql",
            "version": f"{version} with pgvector {pgvector}",
            "file": addresses.shown(self._address),
            "bytes": int(size),
            "journal_bytes": 0,
            "connections": int(connections),
            "wall": roles.row_security_state(connection),
            "owner": roles.owner(connection),
            "open": " ".join(functions.problems(connection)),
            "replica": "yes" if replica else "no",
            "lag_seconds": int(lag) if replica else 0,
        }

    def translate(self, error: BaseException) -> StoreError:
        """By PostgreSQL's error code."""
        return errors.translate(error, addresses.shown(self._address))

    @staticmethod
    def _entered(connection: Connection, statement: str, values: Mapping[str, Any]) -> None:
        cursor = connection.connection.cursor()
        try:
            cursor.execute(statement, values)
            found = cursor.fetchone()
        finally:
            cursor.close()
        if found and connection.get_execution_options().get(WRITES):
            connection.info[_MARK] = commit_status.Mark(int(found[-2]), found[-1])

    @staticmethod
    def _ensure_pgvector(connection: Connection) -> None:
        found = connection.exec_driver_sql(
            "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'),"
            " (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))"
        ).scalar()
        if found is None:
            raise StoreUnavailable(
                "The server has no pgvector. Nothing was changed.",
                hint="Install the pgvector extension (0.8 or newer) on the server.",
            )
        if tuple(int(part) for part in found.split(".")[:2]) < OLDEST_PGVECTOR:
            raise StoreUnavailable(
                f"The server's pgvector is {found}; Recollect needs 0.8 or newer. "
                "Nothing was changed.",
                hint="Update the extension: ALTER EXTENSION vector UPDATE.",
            )
        connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")

    @staticmethod
    def _prepare(connection: Any, record: Any) -> None:
        """Configure a new connection: our transactions, restricted role, binary rows, vectors."""
        addresses.require_encoding(connection)
        connection.autocommit = True
        record.info[_PREPARED] = roles.take(connection)
        register_vectors(connection)

    @staticmethod
    def _prepare_again(connection: Any, record: Any, _proxy: Any) -> None:
        """Set the role on a connection opened before the store was created by another process."""
        if not record.info[_PREPARED]:
            record.info[_PREPARED] = roles.take(connection)
            register_vectors(connection)


def _begin(connection: Connection) -> None:
    """A read is one snapshot; each statement of a write sees what was committed before it."""
    writes = connection.get_execution_options().get(WRITES)
    cursor = connection.connection.cursor()
    try:
        cursor.execute(_WRITE if writes else _READ)
    except psycopg.OperationalError:
        connection.invalidate()
        raise
    finally:
        cursor.close()
