"""Row-level security context of a transaction: one space as one user, or system access to all.

Behind the filter of ``audiences`` there is a second layer, where the database has row-level
security: a transaction that entered no space sees nothing, whatever it queries. Maintenance code
(the job queue, the doctor, the lookup of a space by name) asks for system access explicitly.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from recollect.storage.dialects.protocol import DIALECT, StoreDialect
from recollect.vocabulary.audiences import Viewer

#: Lock name that is held while the list of spaces changes.
EVERY_SPACE: Final = "*"

_SHARED_READS: Final = "recollect_whole"


def begin(connection: Connection) -> None:
    """Start a transaction that sees only what its viewer may see."""
    connection.info.pop(_SHARED_READS, None)


def read_shared_rows(connection: Connection) -> None:
    """Allow the next reads to see what all viewers share (the index, names in use); see below."""
    if not connection.info.get(_SHARED_READS):
        dialect_of(connection).read_shared_rows(connection, True)
        connection.info[_SHARED_READS] = True


@contextmanager
def shared_reads(connection: Connection) -> Iterator[None]:
    """Context in which ``read_shared_rows`` may be called; the extra access ends with it.

    A failed transaction ends, and its extra access with it.
    """
    yield
    if connection.info.pop(_SHARED_READS, None):
        dialect_of(connection).read_shared_rows(connection, False)


def dialect_of(connection: Connection) -> StoreDialect:
    """The dialect of the database that a connection belongs to."""
    dialect: StoreDialect = connection.get_execution_options()[DIALECT]
    return dialect


def enter(connection: Connection, space_id: str, viewer: Viewer, *, exclusive: bool = True) -> None:
    """Enter a space as the viewer; ``exclusive`` locks out other writers of the space."""
    begin(connection)
    dialect_of(connection).enter(connection, space_id, viewer, exclusive=exclusive)


def acquire_locks(connection: Connection, space_ids: Iterable[str]) -> None:
    """Lock out other writers of spaces until the transaction ends; the lowest id first."""
    dialect_of(connection).acquire_locks(connection, sorted(set(space_ids)))
