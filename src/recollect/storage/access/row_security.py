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

_WHOLE: Final = "recollect_whole"


def begin(connection: Connection) -> None:
    """Start a transaction that sees only what its viewer may see."""
    connection.info.pop(_WHOLE, None)


def see_whole(connection: Connection) -> None:
    """Allow the next reads to see what all viewers share (the index, names in use); see below."""
    if not connection.info.get(_WHOLE):
        dialect_of(connection).see_whole(connection, True)
        connection.info[_WHOLE] = True


@contextmanager
def shared_reads(connection: Connection) -> Iterator[None]:
    """Context in which ``see_whole`` may be called; the extra access ends with it.

    A failed transaction ends, and its extra access with it.
    """
    yield
    if connection.info.pop(_WHOLE, None):
        dialect_of(connection).see_whole(connection, False)


def dialect_of(connection: Connection) -> StoreDialect:
    """The dialect of the database that a connection belongs to."""
    dialect: StoreDialect = connection.get_execution_options()[DIALECT]
    return dialect


def enter(connection: Connection, space_id: str, viewer: Viewer, *, alone: bool = True) -> None:
    """Enter a space as the viewer; ``alone`` locks out other writers of the space."""
    begin(connection)
    dialect_of(connection).enter(connection, space_id, viewer, alone=alone)


def hold(connection: Connection, space_ids: Iterable[str]) -> None:
    """Lock out other writers of spaces until the transaction ends; the lowest id first."""
    dialect_of(connection).hold(connection, sorted(set(space_ids)))
