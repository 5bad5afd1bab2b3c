"""Lost database connections: one dead connection invalidates all that were opened before it.

A server that restarted leaves a pool full of dead connections. Without this, each of them would
fail one caller. A dead connection is discarded instead of returned to the pool, because nothing
would answer its final rollback.
"""

import time
from typing import Any, Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError

_CREATED: Final = "recollect_made"


class LostConnections:
    """Watches the connections of one engine."""

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
        record.info[_CREATED] = time.monotonic()

    def _replace_if_older(self, _driver: Any, record: Any, _proxy: Any) -> None:
        """Have the pool replace a connection that is as old as one found dead."""
        if record.info[_CREATED] <= self._lost_at:
            raise DisconnectionError
