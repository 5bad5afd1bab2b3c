"""Deletes sealed texts when the time for undoing a forgetting is over.

This happens at the next opening of the store, in the worker when the time comes, and after the next
write of a process that knows of a seal. An expired seal cannot be read in the meantime.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from recollect.jobs.handler import Write
from recollect.storage.database import Database, Transaction
from recollect.storage.erasure import pieces
from recollect.storage.memories import tombstones
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import Job

CHAT_UNSEAL: Final = "chat.unseal"


class Seals:
    """Tracks when the first seal expires."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._erasure = database.erasure

    def expect(self, ends: datetime) -> None:
        """Note that a seal was made, and when it expires."""
        with self._lock:
            known = self._erasure.next_expiry
            self._erasure.next_expiry = ends if known is None else min(known, ends)

    def keep_up(self) -> None:
        """Delete expired seals when the store is opened, and look up when the next one expires."""
        with self._database.reading(all_spaces=True) as transaction:
            inner = tombstones.has_inner_seals(transaction)
            self._erasure.next_expiry = tombstones.first_seal_expiry(transaction)
        if inner:
            _drop(self._database, self._clock(), tombstones.drop_inner_seals)
        self.sweep()

    def sweep(self) -> None:
        """Delete expired seals, if there may be any."""
        with self._lock:
            known = self._erasure.next_expiry
            if known is None or self._clock() < known:
                return
            self._erasure.next_expiry = None
        drop_due(self._database, self._clock())
        with self._database.reading(all_spaces=True) as transaction:
            ends = tombstones.first_seal_expiry(transaction)
        if ends is not None:
            self.expect(ends)


class UnsealHandler:
    """The handler of ``chat.unseal``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Delete the seals here, which is idempotent; the job has nothing left to write."""
        drop_due(self._database, self._clock())
        return _nothing


def drop_due(database: Database, now: datetime) -> None:
    """Delete expired seals, and remove their bytes from the file."""
    _drop(database, now, lambda transaction: tombstones.drop_seals(transaction, now))


def _drop(database: Database, now: datetime, drop: Callable[[Transaction], list[str]]) -> None:
    def work(transaction: Transaction) -> list[str]:
        gone = drop(transaction)
        if gone:
            database.erasure.mark(transaction, now)
        return gone

    gone = database.write(work, all_spaces=True)
    if gone:
        database.erasure.erased([next(iter(pieces([one])), "") for one in gone])


def _nothing(transaction: Transaction) -> None:
    """The empty write of the job."""
