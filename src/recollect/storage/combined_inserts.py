"""Inserts that belong together: what several tables get of one thing, sent to the store as one.

A server is asked and answers once instead of once for each table, which costs it and us more than
the inserts themselves. How they go out is the dialect's business.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from recollect.storage.access.row_security import dialect_of
from recollect.storage.dialects.protocol import Parameters, Part

_GATHERED: Final = "recollect_gathered"


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Let the inserts inside go out as one, at the end. Nothing may be asked inside."""
    if _GATHERED in connection.info:
        yield
        return
    parts: list[Part] = []
    connection.info[_GATHERED] = parts
    try:
        yield
    finally:
        del connection.info[_GATHERED]
    if parts:
        dialect_of(connection).run_parts(connection, parts)


def gathered(connection: Connection, statement: str, rows: Sequence[Parameters]) -> bool:
    """Whether the statement goes out later, together with others, once for each of the rows."""
    parts = connection.info.get(_GATHERED)
    if parts is None:
        return False
    parts += [(statement, row) for row in rows]
    return True
