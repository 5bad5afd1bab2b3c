"""Connections that were cut: one that is found dead tells of all that were made before it.

A server that went away and came back leaves a pool full of dead connections. Without this each of
them would fail somebody once. One that was cut is thrown away and not given back, because there is
nobody to answer its last rollback.
"""

import time
from typing import Any, Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError

_MADE: Final = "recollect_made"


class LostConnections:
    """Watches the connections of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._dialect = engine.dialect
        self._found_at = 0.0
        event.listen(engine, "connect", self._note)
        event.listen(engine, "checkout", self._look)

    def let_go(self, connection: Connection, error: BaseException) -> None:
        """Close a connection on which something failed."""
        if connection.invalidated or self._was_cut(connection, error):
            self._found_at = time.monotonic()
            connection.invalidate()
        connection.close()

    def _was_cut(self, connection: Connection, error: BaseException) -> bool:
        cause = error.orig if isinstance(error, DBAPIError) else error
        driver: Any = connection.connection.dbapi_connection
        return bool(self._dialect.is_disconnect(cause, driver, None))  # type: ignore[arg-type]

    def _note(self, _driver: Any, record: Any) -> None:
        record.info[_MADE] = time.monotonic()

    def _look(self, _driver: Any, record: Any, _proxy: Any) -> None:
        """Have the pool make a new one in place of one that is as old as one found dead."""
        if record.info[_MADE] <= self._found_at:
            raise DisconnectionError
