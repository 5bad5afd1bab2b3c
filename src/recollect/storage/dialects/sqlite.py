"""SQLite dialect: one file in WAL mode, many processes, full text by FTS5.

A write takes its lock at its first statement (BEGIN IMMEDIATE), so no transaction can fail half-way
for want of a lock. A commit reaches the disk before it is acknowledged. FTS5 row ids are the
space's number in the high bits and the slot in the low bits, so a space is one range of the index.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Engine,
    true,
)
from sqlalchemy.exc import DBAPIError

from recollect.storage.dialects import sqlite_engine
from recollect.storage.dialects import sqlite_traces as traces
from recollect.storage.dialects.protocol import (
    MAX_COUNTED,
    TOKEN_CHARACTERS,
    WRITES,
    Erased,
    Part,
    Postings,
    SpaceKey,
)
from recollect.storage.dialects.sqlite_traces import FILES
from recollect.storage.prepared import cursor_of, insert_in_order, run_many
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from recollect.vocabulary.vectors import VectorModel

#: Seconds the driver waits for a lock before we check whether to go on; it cannot be interrupted.
SLICE_SECONDS: Final = 0.25
_SLOT_BITS: Final = 40

#: Key under which a connection stores the triggers that its transaction dropped temporarily.
_TRIGGERS: Final = "recollect_triggers"


class SqliteDialect:
    """The embedded file."""

    name = "sqlite"
    one_writer = True
    indexes_vectors = False

    def open_engine(self, address: str, *, busy_seconds: float, reading: bool = False) -> Engine:
        """An engine on the file; a missing folder is created unless it is for reading alone."""
        return sqlite_engine.open_engine(address, busy_seconds=busy_seconds, reading=reading)

    def read_only(self, address: str) -> bool:
        """Whether the file, or a journal beside it, is not writable for this process."""
        return sqlite_engine.is_read_only(address)

    def writer(self, engine: Engine) -> Engine:
        """The engine whose transactions begin with the write lock."""
        return engine.execution_options(**{WRITES: True})

    def begin(self, connection: Connection) -> None:
        """Begin on the driver: SQLAlchemy begins once and is not told of the end, which saves a
        tenth of a short write. A failed transaction is closed, and so rolled back as usual.
        """
        driver: Any = connection.connection.dbapi_connection
        writes = connection.get_execution_options().get(WRITES)
        if connection.in_transaction():
            driver.execute(sqlite_engine.BEGIN_WRITING if writes else sqlite_engine.BEGIN_READING)
        else:
            connection.begin()
        if not writes:
            driver.execute("PRAGMA schema_version")  # any wait for a lock happens here

    def commit(self, connection: Connection) -> None:
        """Commit on the driver."""
        driver: Any = connection.connection.dbapi_connection
        driver.commit()

    def enter(
        self, connection: Connection, space_id: str, viewer: Viewer, *, exclusive: bool
    ) -> None:
        """No-op: a file has no row-level security; whoever can read the file reads all of it."""

    def bypass_row_security(self, connection: Connection) -> None:
        """No-op: a file has no row-level security."""

    def read_shared_rows(self, connection: Connection, whole: bool) -> None:
        """No-op: every transaction on a file sees all of it."""

    def acquire_locks(self, connection: Connection, space_ids: Iterable[str]) -> None:
        """No-op: a write locks the whole file."""

    def lock_condition(self, space: BindParameter[str]) -> ColumnElement[bool]:
        """Always true: a writer has locked the whole store."""
        return true()

    def run_parts(self, connection: Connection, inserts: Sequence[Part]) -> None:
        """One after the other: there is no network round trip to save."""
        cursor = connection.connection.cursor()
        try:
            for statement, parameters in inserts:
                cursor.execute(statement, parameters)
        finally:
            cursor.close()

    def mark(self, connection: Connection) -> object:
        """Nothing: a commit to a file always answers."""
        return None

    def was_committed(self, engine: Engine, mark: object) -> bool:
        """False: a commit that failed was not kept."""
        return False

    def is_transient(self, error: BaseException) -> bool:
        """Only when another writer held the lock."""
        return isinstance(self.translate(error), StoreBusy)

    def shared_clock(self, engine: Engine, clock: Clock) -> Clock:
        """The local clock: all processes of a file share one machine."""
        return clock

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """No-op: files have no notifications; workers poll."""
        return lambda: None

    def notify(self, engine: Engine) -> None:
        """No-op: files have no notifications."""

    def has_tables(self, connection: Connection, *names: str) -> bool:
        """Ask the list of everything in the file."""
        found = connection.exec_driver_sql(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
            f" AND name IN ({', '.join('?' * len(names))})",
            names,
        )
        return bool(found.scalar() == len(names))

    def rights_lost(self, connection: Connection) -> bool:
        """False: a file has only the rights of the operating system."""
        return False

    def restore_rights(self, connection: Connection) -> None:
        """Never called."""

    def lock_schema(self, connection: Connection) -> None:
        """No-op: the write lock is enough."""

    def begin_schema(self, connection: Connection) -> None:
        """No-op."""

    def table_options(self, connection: Connection) -> dict[str, Any]:
        """No options."""
        return {}

    def finish_schema(self, connection: Connection) -> None:
        """The triggers that note changes for sync, once the table for them exists."""
        there = connection.exec_driver_sql(
            "SELECT 1 FROM sqlite_master WHERE name = 'sync_changes'"
        ).first()
        if there is None:
            return
        from recollect.storage.schema import TRACKED_TABLES

        for table, (kind, column, actions) in TRACKED_TABLES.items():
            for action in actions:
                row = "OLD" if action == "DELETE" else "NEW"
                connection.exec_driver_sql(
                    f"CREATE TRIGGER IF NOT EXISTS {table}_{action.lower()}_is_noted "
                    f"AFTER {action} ON {table} WHEN EXISTS (SELECT 1 FROM sync_spaces s "
                    f"JOIN spaces p ON p.space_id = s.space_id WHERE s.space_id = {row}.space_id) "
                    f"BEGIN INSERT OR IGNORE INTO sync_changes VALUES "
                    f"({row}.space_id, '{kind}', {row}.{column}, 1); END"
                )

    def vector_value(self, data: bytes) -> bytes:
        """The bytes themselves."""
        return data

    def has_vector_index(self, connection: Connection, model_id: str) -> bool:
        """False: vectors of a file are always scanned in memory."""
        return False

    def nearest(
        self,
        connection: Connection,
        collection: tuple[str, str],
        model: "VectorModel",
        query: Any,
        limit: int,
    ) -> list[int]:
        """Never called."""
        raise NotImplementedError

    def build_vector_index(self, engine: Engine, model_id: str, dims: int) -> bool:
        """False: there is no vector index."""
        return False

    def create_keyword_tables(self, connection: Connection, collections: Iterable[str]) -> None:
        """One FTS5 table and its vocabulary view per collection."""
        for collection in collections:
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE {collection}_keywords USING fts5"
                f"(tokens, columnsize=0, tokenize=\"ascii tokenchars '{TOKEN_CHARACTERS}'\")"
            )
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE {collection}_terms "
                f"USING fts5vocab({collection}_keywords, instance)"
            )

    def protect_columns(self, connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
        """One trigger per table that refuses changes of the columns."""
        for table, names in columns.items():
            changed = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in names)
            connection.exec_driver_sql(
                f"CREATE TRIGGER {table}_scope_is_fixed BEFORE UPDATE OF {', '.join(names)} "
                f"ON {table} WHEN {changed} "
                f"BEGIN SELECT RAISE(ABORT, 'scope columns of {table} cannot change'); END"
            )

    def allow_scope_changes(self, connection: Connection, allowed: bool) -> None:
        """Drop the triggers; they are recreated before anybody else can write."""
        if not allowed:
            for statement in connection.info.pop(_TRIGGERS, ()):
                connection.exec_driver_sql(statement)
            return
        rows = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            " AND name LIKE '%\\_scope\\_is\\_fixed' ESCAPE '\\'"
        ).all()
        connection.info[_TRIGGERS] = [sql for _, sql in rows]
        for name, _ in rows:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")

    def put_keywords(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        documents: Sequence[tuple[int, str]],
    ) -> None:
        """Insert the tokens under the slots' row ids."""
        if not documents:
            return
        base = space[1] << _SLOT_BITS
        insert_in_order(
            connection,
            f"INSERT INTO {collection}_keywords(rowid, tokens) VALUES (?, ?)",
            2,
            [(base | slot, tokens) for slot, tokens in documents],
        )

    def drop_keywords(
        self, connection: Connection, collection: str, space: SpaceKey, slots: Sequence[int]
    ) -> None:
        """Delete the slots' rows."""
        base = space[1] << _SLOT_BITS
        run_many(
            connection,
            f"DELETE FROM {collection}_keywords WHERE rowid = ?",
            [(base | slot,) for slot in slots],
        )

    def keyword_documents(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        after: int,
        limit: int | None = None,
    ) -> Iterable[tuple[int, str]]:
        """The end of the space's range."""
        number = space[1]
        base = number << _SLOT_BITS
        cursor = cursor_of(connection)
        try:
            rows = cursor.execute(
                f"SELECT rowid, tokens FROM {collection}_keywords "
                "WHERE rowid > ? AND rowid < ? ORDER BY rowid LIMIT ?",
                (base + after, (number + 1) << _SLOT_BITS, -1 if limit is None else limit),
            ).fetchall()
        finally:
            cursor.close()
        return [(row - base, tokens) for row, tokens in rows]

    def postings(
        self, connection: Connection, collection: str, space: SpaceKey, terms: Sequence[str]
    ) -> Postings:
        """Read through the view of term instances, a term as one string: the fastest way out of
        FTS5, which returns an instance after the other in order of the rows.
        """
        cursor = cursor_of(connection)
        statement = f"SELECT group_concat(doc) FROM {collection}_terms WHERE term = ?"
        try:
            joined = [cursor.execute(statement, (term,)).fetchone()[0] or "" for term in terms]
        finally:
            cursor.close()
        rows = np.fromstring(",".join(filter(None, joined)), np.int64, sep=",")
        instances = [one.count(",") + 1 if one else 0 for one in joined]
        of_term = np.arange(len(terms)).repeat(instances)
        base, end = space[1] << _SLOT_BITS, (space[1] + 1) << _SLOT_BITS
        here = ((rows >= base) & (rows < end)).nonzero()[0]
        rows, of_term = rows.take(here), of_term.take(here)
        is_first = np.ones(len(rows), np.bool_)
        is_first[1:] = (rows[1:] != rows[:-1]) | (of_term[1:] != of_term[:-1])
        begins = is_first.nonzero()[0]
        counts = np.diff(begins, append=len(rows))
        sizes: list[int] = np.bincount(of_term.take(begins), minlength=len(terms)).tolist()
        # as PostgreSQL counts them
        return rows.take(begins) - base, np.minimum(counts, MAX_COUNTED), sizes

    def keyword_problems(self, connection: Connection, collection: str) -> list[str]:
        """FTS5's own check of its structure against its content."""
        try:
            connection.exec_driver_sql(
                f"INSERT INTO {collection}_keywords({collection}_keywords) "
                "VALUES ('integrity-check')"
            )
        except DBAPIError as error:
            return [f"The keyword index of {collection} is damaged: {error.orig}."]
        return []

    def reset_keywords(self, connection: Connection, collection: str) -> None:
        """Drop and recreate."""
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {collection}_terms")
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {collection}_keywords")
        self.create_keyword_tables(connection, [collection])

    def store_problems(self, connection: Connection) -> list[str]:
        """SQLite's quick check and its foreign key check."""
        rows = connection.exec_driver_sql("PRAGMA quick_check(20)").scalars().all()
        problems = [f"SQLite: {row}" for row in rows if row != "ok"]
        for table, _, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(
            20
        ):
            problems.append(f"A row of {table} points at a row of {parent} that is gone.")
        return problems

    def absent_terms(
        self,
        connection: Connection,
        collections: Iterable[str],
        space: SpaceKey,
        terms: Iterable[str],
    ) -> set[str]:
        """Look each term up in the vocabulary view; all spaces share one full text."""
        cursor = cursor_of(connection)
        try:
            return traces.absent_terms(cursor, collections, terms)
        finally:
            cursor.close()

    def scrub(
        self,
        engine: Engine,
        collections: Iterable[str],
        words: Sequence[str] | None,
        *,
        whole: bool,
    ) -> str:
        """Merge the full text, checkpoint the journal, and search the unused bytes of pages; a file
        that contains a word there is rewritten.
        """
        with traces.long_timeout_cursor(engine) as cursor:
            return traces.scrub(cursor, collections, words, whole=whole)

    def release(self, address: str) -> None:
        """The file may be closed for good when nobody in this process uses it any more."""
        FILES.closed(sqlite_engine.real_path(address))

    def erase_traces(self, engine: Engine, collections: Iterable[str]) -> Erased:
        """Merge the full text, rewrite the file, and truncate the journal."""
        with traces.long_timeout_cursor(engine) as cursor:
            return traces.rewrite_file(cursor, collections)

    def describe(self, connection: Connection) -> dict[str, str | int]:
        """SQLite's version, the file, and its size with its journal."""
        path = connection.exec_driver_sql("PRAGMA database_list").all()[0][2]
        wal = Path(f"{path}-wal")
        return {
            "store": "sqlite",
            "version": sqlite3.sqlite_version,
            "file": path,
            "bytes": Path(path).stat().st_size,
            "journal_bytes": wal.stat().st_size if wal.exists() else 0,
        }

    def translate(self, error: BaseException) -> StoreError:
        """By SQLite's error name."""
        name = getattr(error, "sqlite_errorname", "") or ""
        for prefix, kind, words, hint in _COMPLAINTS:
            if name.startswith(prefix):
                return kind(words, hint=hint)
        return StoreError(f"The database refused: {error}.")


_FULL: Final = (
    StoreFull,
    "The disk is full. Nothing of this call was written; what was there before is intact.",
    "Free some room and try again.",
)
_COMPLAINTS: Final[tuple[tuple[str, type[StoreError], str, str | None], ...]] = (
    (
        "SQLITE_BUSY",
        StoreBusy,
        "Other writers held the database for too long. Nothing of this call was written.",
        "Try again.",
    ),
    (
        "SQLITE_LOCKED",
        StoreBusy,
        "Other writers held the database for too long. Nothing of this call was written.",
        "Try again.",
    ),
    ("SQLITE_FULL", *_FULL),
    ("SQLITE_IOERR_SHMSIZE", *_FULL),  # no room for the index of the journal
    (
        "SQLITE_READONLY",
        StoreReadOnly,
        "The database is read-only. Nothing was changed.",
        "Check the rights of the file and of its folder.",
    ),
    (
        "SQLITE_PERM",
        StoreReadOnly,
        "The database may not be opened for writing. Nothing was changed.",
        "Check the rights of the file and of its folder.",
    ),
    (
        "SQLITE_CANTOPEN",
        StoreUnavailable,
        "The database file cannot be opened.",
        "Check that its folder exists and that you may write in it.",
    ),
    (
        "SQLITE_NOTADB",
        StoreDamaged,
        "The file is not a SQLite database.",
        "Name another file with --db, or move this one away.",
    ),
    (
        "SQLITE_CORRUPT",
        StoreDamaged,
        "The database file is damaged.",
        "'recollect doctor' says what can be saved.",
    ),
    (
        "SQLITE_IOERR",
        StoreUnavailable,
        "The disk could not be read or written.",
        "Check the disk; what was acknowledged before is kept.",
    ),
)
