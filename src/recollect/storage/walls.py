"""What a transaction has entered: one space with somebody's eyes, or the whole house.

Behind the filter of ``audiences`` stands a second wall, where the database has one: a transaction
that entered nothing sees nothing, whatever it asks. Keepers of the house (the queue, the doctor,
whoever finds a space by its name) enter the house and say so.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection

from recollect.storage.dialects.protocol import DIALECT, StoreDialect
from recollect.vocabulary.audiences import Viewer

#: What is held while the list of spaces changes.
EVERY_SPACE: Final = "*"


def dialect_of(connection: Connection) -> StoreDialect:
    """The dialect of the database that a connection belongs to."""
    dialect: StoreDialect = connection.get_execution_options()[DIALECT]
    return dialect


def enter(connection: Connection, space_id: str, viewer: Viewer, *, alone: bool = True) -> None:
    """See a space as the viewer does; ``alone`` keeps other writers out of it."""
    dialect_of(connection).enter(connection, space_id, viewer, alone=alone)


def hold(connection: Connection, space_ids: Iterable[str]) -> None:
    """Keep other writers out of spaces until the transaction ends; the lowest id first."""
    dialect_of(connection).hold(connection, sorted(set(space_ids)))
