"""Notifications between processes: something was written, so workers can check the queue now.

A notification is never needed, only faster than polling: it may be lost, and it carries no data. It
is sent after the commit and not in it, because PostgreSQL serialises all commits of the server that
send one. Writes close together share one notification.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

CHANNEL: Final = "recollect_written"
APART: Final = 0.05
_PAUSE: Final = 1.0

_log = logging.getLogger(__name__)


class Notifications:
    """Sends and receives notifications."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self.address = ""
        self._seconds = seconds
        self._last = -APART

    def notify(self, engine: Engine) -> None:
        """Send a notification, unless one was sent a moment ago."""
        now = self._seconds()
        if now - self._last < APART:
            return
        self._last = now
        try:
            self._send(engine)
        except (DBAPIError, PoolTimeout, psycopg.Error, OSError):
            _log.debug("A hint could not be sent.", exc_info=True)

    @staticmethod
    def _send(engine: Engine) -> None:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            try:
                driver.execute(f"NOTIFY {CHANNEL}")
            except psycopg.OperationalError:
                connection.invalidate()
                raise

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` for each notification, from a thread; returns a function that stops
        listening.
        """
        stopping = threading.Event()
        thread = threading.Thread(
            target=self._listen, args=(wake, stopping), name="recollect-signals", daemon=True
        )
        thread.start()

        def stop() -> None:
            stopping.set()
            thread.join(5)

        return stop

    def _listen(self, wake: Callable[[], None], stopping: threading.Event) -> None:
        while not stopping.is_set():
            try:
                with psycopg.connect(
                    self.address, autocommit=True, connect_timeout=5, application_name="recollect"
                ) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    while not stopping.is_set():
                        if any(True for _ in connection.notifies(timeout=0.5, stop_after=1)):
                            wake()
            except (psycopg.Error, OSError):
                _log.debug("The listener lost its server.", exc_info=True)
                stopping.wait(_PAUSE)
