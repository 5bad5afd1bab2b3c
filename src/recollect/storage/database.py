"""One open database: short reads, and writes that are done wholly or not at all.

A write is a function of a connection. It may be run again when another writer was in the way or the
connection was cut, so it must do nothing but database work. When ``write`` returns, the disk has
it; when it raises, nothing of it was kept, except that ``CommitUnknown`` means nobody can tell.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from recollect.storage.access import visibility_filter
from recollect.storage.dialects.protocol import DIALECT, WRITES, Erased, StoreDialect
from recollect.storage.dialects.sqlite import SLICE_SECONDS, SqliteDialect
from recollect.storage.erasure import SEARCHED, Erasure
from recollect.storage.jobs import queue
from recollect.storage.migrate import ensure_schema
from recollect.storage.schema import COLLECTIONS
from recollect.storage.writer_lock import (
    Wait,
    WriterLock,
    has_lock_timeout,
    holder_of,
    lock_timeout,
    waiting,
)
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    CommitUnknown,
    InvalidSetting,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

A = TypeVar("A")
T = TypeVar("T")

#: The name by which other packages type the transaction that they pass back to storage.
Transaction = Connection

#: How long a call waits for other writers before it is given up.
BUSY_SECONDS: Final = 30.0
#: How long the database itself waits, before we look whether to go on.
_SERVER_SECONDS: Final = 5.0
#: How long a call that is in a hurry waits for other writers.
MOMENT: Final = 0.01
ATTEMPTS: Final = 6
MAX_IDLE: Final = 8
#: What this transaction was told, kept with its connection.
_CACHED_ANSWERS: Final = "recollect_told"
#: When a connection of the pool was opened, kept with it.
_OPENED_AT: Final = "recollect_made"
_SERVERS: Final = ("postgresql://", "postgres://")


class Database:
    """One open database: its read and write transactions, its erasures, and its close."""

    def __init__(self, address: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.address = address.removeprefix("sqlite:///")
        self.dialect = _dialect_of(self.address)
        #: Whether nothing can be written here; then reading writes nothing either.
        self.read_only = self.dialect.read_only(self.address)
        self._no_room: StoreFull | None = None
        self._patience = busy_seconds
        self._closed = False
        self._open_engine(reading=self.read_only)
        self._kept: Connection | None = None
        #: Connections of readers that are done, for the next ones.
        self._idle: list[Connection] = []
        self._jobs_enqueued: Callable[[], None] = _no_listener
        self._after_write: Callable[[], None] = _no_listener
        try:
            try:
                self._with_retries(self._ensure_schema)
            except StoreFull as error:
                self._open_on_full_disk(error)
        except BaseException:
            self._engine.dispose()
            self.dialect.release(self.address)
            raise
        self.erasure = Erasure(self)
        takes_turns = self.dialect.one_writer and not self.read_only
        self._turnstile = WriterLock(self.address, busy_seconds / 2) if takes_turns else None
        self._turn: AbstractContextManager[None] = self._turnstile or nullcontext()

    def _open_engine(self, *, reading: bool) -> None:
        slice_seconds = SLICE_SECONDS if self.dialect.one_writer else _SERVER_SECONDS
        engine = self.dialect.open_engine(
            self.address, busy_seconds=min(slice_seconds, self._patience), reading=reading
        )
        self._lost_connections = LostConnections(engine)
        self._engine: Engine = engine.execution_options(**{DIALECT: self.dialect})
        self._writer = self.dialect.writer(self._engine)
        self._driver_error: type[Exception] = engine.dialect.dbapi.Error  # type: ignore[union-attr]

    def _open_on_full_disk(self, error: StoreFull) -> None:
        """Open a file for reading alone, as the disk has no room for the index of its journal."""
        if not self.dialect.one_writer:
            raise error
        self._engine.dispose()
        self.dialect.release(self.address)
        self.read_only, self._no_room = True, error
        self._open_engine(reading=True)
        try:
            self._with_retries(self._ensure_schema)
        except StoreError:  # a file that is yet to be made, or that another schema made
            raise error from None

    def _ensure_schema(self) -> None:
        ensure_schema(self._engine, self._writer, self.dialect, read_only=self.read_only)

    @property
    def disk_full(self) -> bool:
        """Whether the file is read-only because the disk had no room when it was opened."""
        return self._no_room is not None

    @contextmanager
    def reading(self, *, all_spaces: bool = False) -> Iterator[Connection]:
        """A read transaction on one snapshot of the store: of the space that it enters, or of all
        spaces.
        """
        try:
            with self._read(all_spaces) as connection:
                yield connection
        except (DBAPIError, self._driver_error) as error:
            raise self.dialect.translate(_cause(error)) from error

    def write(self, work: Callable[[Connection], T], *, all_spaces: bool = False) -> T:
        """Run the work in a transaction of its own; the disk has it when this returns."""
        if self._no_room:
            raise StoreFull(self._no_room.message, hint=self._no_room.hint)
        if self.read_only:
            raise StoreReadOnly(
                "The database is read-only. Nothing was changed.",
                hint="Check the rights of the file and of its folder.",
            )
        jobs_added = False

        def attempt() -> T:
            nonlocal jobs_added
            with self._turn, self._writing(all_spaces) as connection:
                done = work(connection)
                jobs_added = queue.jobs_added(connection)
                return done

        done = self._with_retries(attempt)
        self.dialect.notify(self._engine)
        if jobs_added:
            self._jobs_enqueued()
        if self.erasure.pending or self.erasure.next_expiry is not None:
            self._after_write()
        return done

    @staticmethod
    def without_waiting() -> AbstractContextManager[None]:
        """Inside it a write that would have to wait for others raises StoreBusy."""
        return lock_timeout(MOMENT)

    def on_jobs_enqueued(self, notify: Callable[[], None]) -> None:
        """Set the function to call after each write of this process that enqueued jobs."""
        self._jobs_enqueued = notify

    def after_write(self, do: Callable[[], None]) -> None:
        """Set the function to call after a write of this process while deleted data is still to be
        erased.
        """
        self._after_write = do

    def shared_clock(self, clock: Clock) -> Clock:
        """The given clock, set to the time of those who share the store."""
        return self._with_retries(lambda: self.dialect.shared_clock(self._engine, clock))

    def build_vector_index(self, model_id: str, dims: int) -> bool:
        """Have the server build its own index of a model's vectors, if it has none yet."""
        try:
            return self.dialect.build_vector_index(self._engine, model_id, dims)
        except (DBAPIError, self._driver_error) as error:
            raise self.dialect.translate(_cause(error)) from error

    def scrub(self, words: Sequence[str] | None, *, whole: bool) -> str:
        """Erase deleted data from the files too; returns in words where traces remain for now."""
        try:
            with self._turn:
                return self.dialect.scrub(self._engine, SEARCHED, words, whole=whole)
        except (DBAPIError, self._driver_error) as error:
            raise self.dialect.translate(_cause(error)) from error

    def erase_traces(self) -> Erased:
        """Write the files anew without whatever was deleted."""
        try:
            with self._turn:
                return self.dialect.erase_traces(self._engine, COLLECTIONS)
        except (DBAPIError, self._driver_error) as error:
            raise self.dialect.translate(_cause(error)) from error

    def close(self) -> None:
        """Finish what is being erased, then let every connection go. Nothing is done after it."""
        if self._closed:
            return
        self.erasure.complete()
        self._closed = True
        with self._turn:
            if self._kept is not None:
                self._kept.close()
                self._kept = None
        while self._idle:
            self._idle.pop().close()
        self._engine.dispose()
        self.dialect.release(self.address)
        if self._turnstile is not None:
            self._turnstile.close()

    @contextmanager
    def _read(self, all_spaces: bool) -> Iterator[Connection]:
        """A transaction that only reads. A connection that was cut is noticed as it begins."""
        connection = self._begun_or_waited_for(all_spaces)
        try:
            yield connection
            self.dialect.commit(connection)
        except BaseException as error:
            self._lost_connections.discard(connection, error)
            raise
        if self.dialect.one_writer and len(self._idle) < MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _begun_or_waited_for(self, all_spaces: bool) -> Connection:
        """A wait is prepared only if the read cannot begin at once, which is rare."""
        self._refuse_when_closed()
        since = time.monotonic()
        try:
            return self._begun(all_spaces)
        except (DBAPIError, self._driver_error, PoolTimeout) as error:
            return self._with_retries(lambda: self._begun(all_spaces), failed=error, since=since)

    def _begun(self, all_spaces: bool) -> Connection:
        """A file's connection is used again as it is; a server's goes by the pool, which looks
        whether it was cut."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.connect()
        try:
            self.dialect.begin(connection)
            connection.info.pop(_CACHED_ANSWERS, None)  # those of an earlier transaction
            visibility_filter.begin(connection)
            if all_spaces:
                self.dialect.bypass_row_security(connection)
            return connection
        except BaseException as error:
            self._lost_connections.discard(connection, error)
            raise

    @contextmanager
    def _writing(self, all_spaces: bool) -> Iterator[Connection]:
        """A transaction on the connection of the last write, which is kept unless it failed."""
        connection, self._kept = self._kept or self._writer.connect(), None
        mark: object = None
        committing = False
        try:
            self.dialect.begin(connection)
            visibility_filter.begin(connection)
            queue.begin(connection)
            if all_spaces:
                self.dialect.bypass_row_security(connection)
            yield connection
            mark = self.dialect.mark(connection)
            committing = True
            self.dialect.commit(connection)
        except BaseException as error:
            self._lost_connections.discard(connection, error)
            if not (committing and isinstance(error, DBAPIError | self._driver_error)):
                raise
            if not self._was_committed(mark):
                raise
            return
        if self.dialect.one_writer:
            self._kept = connection
        else:
            connection.close()

    def _was_committed(self, mark: object) -> bool:
        """What became of a transaction whose commit failed; an error if nobody can tell."""
        trouble: StoreError | None = None
        kept: bool | None = None
        try:
            kept = self._with_retries(lambda: self.dialect.was_committed(self._engine, mark))
        except StoreError as error:
            trouble = error
        if kept is None:
            raise CommitUnknown(
                "The server went away before it confirmed the write; whether it was kept is not "
                "known.",
                hint="Look for it before you write it again.",
            ) from trouble
        return kept

    def _refuse_when_closed(self) -> None:
        if self._closed:  # the pool would open a connection anew
            raise StoreClosed(
                "The memory was closed. Nothing was done.", hint="Open it again to continue."
            )

    def _with_retries(
        self,
        attempt: Callable[[], T],
        *,
        failed: Exception | None = None,
        since: float | None = None,
    ) -> T:
        """Try again with pauses while others hold the lock, until the time is over.

        ``failed`` is the error of the first attempt, where that was made at ``since`` already.
        """
        self._refuse_when_closed()
        with waiting(self._patience, self._holder, since) as wait:
            for tries in count(1):
                try:
                    if failed is not None and tries == 1:
                        raise failed
                    return attempt()
                except (DBAPIError, self._driver_error) as error:
                    cause = _cause(error)
                    if not self.dialect.is_transient(cause):
                        raise self.dialect.translate(cause) from error
                    wait.log_when_long()  # also where the first look comes late
                    if self._retries_exhausted(tries, wait):
                        raise self._timeout_error(cause, wait) from error
                    time.sleep(
                        random.uniform(0.01, 0.05)
                        * min(2**tries, 4 if self.dialect.one_writer else 64)
                    )
                except PoolTimeout as error:
                    raise StoreBusy(
                        "Too many calls at once in this process. Nothing of this call was written.",
                        hint="Try again.",
                    ) from error
        raise AssertionError("unreachable")

    def _retries_exhausted(self, tries: int, wait: Wait) -> bool:
        """A file is waited for by the clock. A server may have other reasons than a lock, and gets
        so many tries, each as long as it lets a lock be waited for."""
        if self.dialect.one_writer:
            return has_lock_timeout() or wait.over
        return tries >= ATTEMPTS

    def _holder(self) -> str:
        return holder_of(self.address) if self.dialect.one_writer else "other writers"

    def _timeout_error(self, cause: BaseException, wait: Wait) -> StoreError:
        """What is said at the end of a wait: who held it, what was kept, what to do."""
        error = self.dialect.translate(cause)
        if not (self.dialect.one_writer and isinstance(error, StoreBusy)):
            return error
        holder = wait.holder
        return StoreBusy(
            f"{holder[0].upper()}{holder[1:]} has held the database for {wait.seconds:.0f} "
            "seconds. Nothing of this call was written; what was there before is kept.",
            hint="Wait until it is done, or stop it, and try again.",
        )


class LostConnections:
    """Watches the connections of one engine: a dead one invalidates all that were opened before it.

    A server that restarted leaves a pool full of dead connections. Without this, each of them would
    fail one caller. A dead connection is discarded instead of returned to the pool, because nothing
    would answer its final rollback.
    """

    def __init__(self, engine: Engine) -> None:
        self._dialect = engine.dialect
        self._lost_at = 0.0
        event.listen(engine, "connect", self._record_creation)
        event.listen(engine, "checkout", self._replace_if_older)

    def discard(self, connection: Connection, error: BaseException) -> None:
        """Close a connection on which something failed."""
        if connection.invalidated or self._was_cut(connection, error):
            self._lost_at = time.monotonic()
            connection.invalidate()
        connection.close()

    def _was_cut(self, connection: Connection, error: BaseException) -> bool:
        cause = error.orig if isinstance(error, DBAPIError) else error
        driver: Any = connection.connection.dbapi_connection
        return bool(self._dialect.is_disconnect(cause, driver, None))  # type: ignore[arg-type]

    def _record_creation(self, _driver: Any, record: Any) -> None:
        record.info[_OPENED_AT] = time.monotonic()

    def _replace_if_older(self, _driver: Any, record: Any, _proxy: Any) -> None:
        """Have the pool replace a connection that is as old as one found dead."""
        if record.info[_OPENED_AT] <= self._lost_at:
            raise DisconnectionError


def _no_listener() -> None:
    """Do nothing: the function to call where this process has no worker."""


def _cause(error: Exception) -> BaseException:
    """The driver's own error, whoever raised it."""
    return error.orig if isinstance(error, DBAPIError) and error.orig else error


def _dialect_of(address: str) -> StoreDialect:
    if "{tenant}" in address:
        raise InvalidSetting(
            "The address is a template for many tenants, and no tenant was named.",
            hint="Set 'tenant' (RECOLLECT_TENANT) to small letters, digits and _.",
        )
    if address.startswith(_SERVERS):
        try:
            from recollect.storage.dialects.postgres import PostgresDialect
        except ImportError as error:
            from recollect.vocabulary.optional_parts import how_to_install

            raise InvalidSetting(
                "PostgreSQL needs its driver, which is not installed.",
                hint=how_to_install("postgres"),
            ) from error
        return PostgresDialect()
    if "://" in address:
        scheme = address.split("://", maxsplit=1)[0]
        raise InvalidSetting(
            f"Addresses with {scheme}:// are not supported.",
            hint="Give the path of a file, or postgresql://user@host/database.",
        )
    return SqliteDialect()


def once(connection: Connection, what: str, ask: Callable[[Connection, A], T], about: A) -> T:
    """The answer to a query about something, cached so that a transaction asks the store only once.

    A reader sees one moment of the store, so what it asked before it need not ask again; answers
    are kept until the connection's next transaction begins. A transaction that writes changes what
    it would be told, and so asks every time.
    """
    if writes(connection):
        return ask(connection, about)
    known: dict[tuple[str, Any], Any] = connection.info.setdefault(_CACHED_ANSWERS, {})
    key = what, about
    if key not in known:
        known[key] = ask(connection, about)
    found: T = known[key]
    return found


def writes(connection: Connection) -> bool:
    """Whether a transaction may change the store."""
    return bool(connection.get_execution_options().get(WRITES))
