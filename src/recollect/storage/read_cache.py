"""What a reader asked before it need not ask again: it sees one moment of the store.

Answers are kept with the connection until its next transaction begins. A transaction that writes
changes what it would be told, and so asks every time.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import Connection

from recollect.storage.dialects.protocol import WRITES

A = TypeVar("A")
T = TypeVar("T")

_TOLD: Final = "recollect_told"


def begin(connection: Connection) -> None:
    """A transaction begins: what an earlier one was told may no longer be so."""
    connection.info.pop(_TOLD, None)


def once(connection: Connection, what: str, ask: Callable[[Connection, A], T], about: A) -> T:
    """The answer to a question about something, asked of the store only the first time."""
    if writes(connection):
        return ask(connection, about)
    known: dict[tuple[str, Any], Any] = connection.info.setdefault(_TOLD, {})
    key = what, about
    if key not in known:
        known[key] = ask(connection, about)
    found: T = known[key]
    return found


def writes(connection: Connection) -> bool:
    """Whether a transaction may change the store."""
    return bool(connection.get_execution_options().get(WRITES))
