"""What a transaction has entered: one space with somebody's eyes, or the whole house.

Behind the filter of ``audiences`` stands a second wall, where the database has one: a transaction
that entered nothing sees nothing, whatever it asks. Keepers of the house (the queue, the doctor,
whoever finds a space by its name) enter the house and say so.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from recollect.storage.dialects.protocol import DIALECT, StoreDialect
from recollect.vocabulary.audiences import Viewer

#: What is held while the list of spaces changes.
EVERY_SPACE: Final = "*"

_WHOLE: Final = "recollect_whole"


def begin(connection: Connection) -> None:
    """A transaction begins, which sees what its viewer sees and no more."""
    connection.info.pop(_WHOLE, None)


def see_whole(connection: Connection) -> None:
    """Before a read of what all viewers share (the index, names that are taken); see below."""
    if not connection.info.get(_WHOLE):
        dialect_of(connection).see_whole(connection, True)
        connection.info[_WHOLE] = True


@contextmanager
def shared_reads(connection: Connection) -> Iterator[None]:
    """In here ``see_whole`` may be called; what was opened is closed again at the end.

    A transaction that fails ends, and with it what was opened.
    """
    yield
    if connection.info.pop(_WHOLE, None):
        dialect_of(connection).see_whole(connection, False)


def dialect_of(connection: Connection) -> StoreDialect:
    """The dialect of the database that a connection belongs to."""
    dialect: StoreDialect = connection.get_execution_options()[DIALECT]
    return dialect


def enter(connection: Connection, space_id: str, viewer: Viewer, *, alone: bool = True) -> None:
    """See a space as the viewer does; ``alone`` keeps other writers out of it."""
    begin(connection)
    dialect_of(connection).enter(connection, space_id, viewer, alone=alone)


def hold(connection: Connection, space_ids: Iterable[str]) -> None:
    """Keep other writers out of spaces until the transaction ends; the lowest id first."""
    dialect_of(connection).hold(connection, sorted(set(space_ids)))
