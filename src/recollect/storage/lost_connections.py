"""Lost database connections: one dead connection invalidates all that were opened before it.

A server that restarted leaves a pool full of dead connections. Without this, each of them would
fail one caller. A dead connection is discarded instead of returned to the pool, because nothing
would answer its final rollback.
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
        """Have the pool replace a connection that is as old as one found dead."""
        if record.info[_MADE] <= self._found_at:
            raise DisconnectionError
