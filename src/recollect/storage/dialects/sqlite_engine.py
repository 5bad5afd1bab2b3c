"""Opens a SQLite file for writing with its journal, or read-only where it cannot be written.

Every connection is configured here, and every transaction says as it begins whether it may write.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from recollect.storage.dialects.protocol import WRITES
from recollect.storage.dialects.sqlite_traces import FILES
from recollect.vocabulary.errors import StoreReadOnly, StoreUnavailable
from recollect.vocabulary.files import create_private, keep_private, private_folder

#: Begin a transaction that takes the write lock at once.
BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
BEGIN_READING: Final = "BEGIN"


def open_engine(address: str, *, busy_seconds: float, reading: bool = False) -> Engine:
    """An engine on the file; a missing folder is created unless it is for reading alone."""
    path = Path(address).expanduser()
    if is_read_only(address):
        return _reading_engine(path, busy_seconds, _mode_without_rights(path))
    if reading:
        # what the journal needs beside it is held in memory: there is no room to write it
        beside = Path(f"{path}-shm").exists()
        return _reading_engine(path, busy_seconds, "&readonly_shm=1" if beside else "&immutable=1")
    try:
        private_folder(path.parent)
    except OSError as error:
        raise StoreUnavailable(
            f"The folder {path.parent} cannot be made: {error.strerror}."
        ) from error
    _make_private(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_seconds, "check_same_thread": False},
        pool_size=16,
        max_overflow=48,
    )
    FILES.opened(real_path(address))
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def is_read_only(address: str) -> bool:
    """Whether the file, or a journal beside it, is not writable for this process."""
    path = Path(address).expanduser()
    if not path.is_file():
        return False
    if not os.access(path, os.W_OK):
        return True
    beside = [Path(f"{path}{end}") for end in ("-wal", "-shm")]
    return not os.access(path.parent, os.W_OK) and not all(
        os.access(one, os.W_OK) for one in beside
    )


def real_path(address: str) -> str:
    """The file itself, with symbolic links resolved."""
    return os.path.realpath(Path(address).expanduser())


def _mode_without_rights(path: Path) -> str:
    """How to open what may not be written. Without a journal, the file is complete: then nothing is
    locked and no journal is looked for, as a read-only file system requires.
    """
    journal = Path(f"{path}-wal")
    waiting = journal.exists() and journal.stat().st_size > 0
    if waiting and not (Path(f"{path}-shm").exists() or os.access(path.parent, os.W_OK | os.X_OK)):
        raise StoreReadOnly(
            f"The journal {journal.name} beside the database holds changes that cannot be read "
            "where nothing can be written. Nothing was changed.",
            hint="Copy both files to a folder that can be written, and open the copy.",
        )
    return "" if waiting or os.access(path.parent, os.W_OK) else "&immutable=1"


def _reading_engine(path: Path, busy_seconds: float, mode: str) -> Engine:
    """A read-only engine that opens the file in the given way."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro{mode}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, timeout=busy_seconds, check_same_thread=False, uri=True)

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool)
    event.listen(engine, "connect", _prepare_reading)
    event.listen(engine, "begin", _begin)
    return engine


def _make_private(path: Path) -> None:
    """Restrict the file and its journals to their owner: journals take the file's mode."""
    with suppress(OSError):  # failures are reported when the file is opened
        create_private(path)
    for journal in ("-wal", "-shm", "-journal"):
        keep_private(path.with_name(path.name + journal))


def _prepare(connection: Any, _record: Any) -> None:
    """Configure a new connection: our transactions instead of the driver's; WAL; foreign keys."""
    connection.isolation_level = None
    for statement in (
        "PRAGMA foreign_keys = ON",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA secure_delete = ON",  # deleted data is overwritten
        "PRAGMA temp_store = MEMORY",
        "PRAGMA cache_size = -16000",
        "PRAGMA wal_autocheckpoint = 4000",
    ):
        connection.execute(statement)


def _prepare_reading(connection: Any, _record: Any) -> None:
    """Configure a new connection to a read-only file."""
    connection.isolation_level = None
    for statement in ("PRAGMA query_only = ON", "PRAGMA temp_store = MEMORY"):
        connection.execute(statement)


def _begin(connection: Connection) -> None:
    """Begin the file's transaction when SQLAlchemy begins one."""
    cursor = connection.connection.cursor()
    writes = connection.get_execution_options().get(WRITES)
    cursor.execute(BEGIN_WRITING if writes else BEGIN_READING)
    cursor.close()
