"""Permanent erasure: removes erased texts from logs, notes and the database files.

The erasing transaction leaves a mark in the store, so that the next process finishes the work if
this one dies. Then the query log and other notes that contain the words are masked, and the words
are scrubbed from the files (``dialects/sqlite_traces.py``). What would make a caller wait too long
is done by the worker, after a later write, or when the store is closed; the mark is removed last.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from recollect.storage.space_clock import number_and_clock
from recollect.storage.store_facts import ERASING, drop_fact, fact, put_fact
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.errors import StoreError

if TYPE_CHECKING:
    from recollect.storage import masked_notes
    from recollect.storage.database import Database

#: Collections whose texts people can erase.
SEARCHED: Final = ("memories", "events")
#: Message to a caller while the files still have to be scrubbed.
ERASURE_PENDING: Final = "the file, from which it is being erased"
#: An older mark was left by a process that died.
STALE: Final = timedelta(minutes=1)
#: After a background scrub, wait this many times its duration before the next.
_REST: Final = 10.0
_PIECE: Final = 24
_LEAST_PIECE: Final = 12
_MAX_WORDS: Final = 2_000


class Erasure:
    """What this process erased from tables and not yet from the files."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._lock = threading.Lock()
        self._running = threading.Lock()
        self._words: set[str] = set()
        self.pending = False
        #: When the next sealed text has to be erased; None if this process knows of none.
        self.next_expiry: datetime | None = None
        self._unknown = False  # another process erased something and died
        self._rest_until = 0.0
        self._before: Callable[[], object] = _nothing

    def before_erasure(self, do: Callable[[], object]) -> None:
        """Register a callback that writes this process's buffered notes before an erasure."""
        self._before = do

    def write_notes(self) -> None:
        """Write buffered notes of this process to the store, so that the erasure finds them."""
        self._before()

    def mark(self, connection: Connection, now: datetime) -> None:
        """Leave a mark in the erasing transaction; files need one, servers do not."""
        if self._database.dialect.one_writer:
            put_fact(connection, ERASING, str(to_microseconds(now)))

    def finish(
        self,
        space_id: str,
        texts: Sequence[str],
        ids: Sequence[str],
        *,
        analyse: "masked_notes.Analyse",
        waits: bool,
    ) -> str:
        """Finish after the transaction: mask notes that contain the words, then scrub the files.

        ``ids`` name the erased items. Without ``waits``, files that were scrubbed a moment ago are
        left for later. Returns in words where traces remain for now; empty if nowhere.
        """
        self._before()
        needles = self._mask(space_id, texts, ids, analyse)
        self._add(needles)
        if not waits and time.monotonic() < self._rest_until:
            return ERASURE_PENDING
        return self._scrub(whole=False)

    def erased(self, words: Iterable[str]) -> None:
        """Scrub these pieces of an item without plain text of its own (a sealed text) from the
        files.

        No failure is raised; the mark then stays.
        """
        self._add(words)
        if self.pending:
            with contextlib.suppress(StoreError):
                self._scrub(whole=False)

    def scrub_whole_files(self) -> str:
        """Scrub whole files after a transaction that erased too much to search for word by word.
        Returns in words where traces remain for now; empty if nowhere.
        """
        self._before()
        if self._database.dialect.one_writer:
            self._unknown = self.pending = True
        return self._scrub(whole=True)

    def resume(self, clock: Clock) -> None:
        """Check whether a process that died left an erasure to finish."""
        if self._database.dialect.one_writer:
            with self._database.reading(all_spaces=True) as connection:
                mark = fact(connection, ERASING)
            if mark is not None and from_microseconds(int(mark)) < clock() - STALE:
                self._unknown = self.pending = True

    def do_step(self) -> None:
        """Do one step of the remaining work, for callers with time to spare. Raises no failure."""
        if self.pending and time.monotonic() >= self._rest_until:
            with contextlib.suppress(StoreError):
                self._scrub(whole=False)

    def complete(self, *, rests: bool = False) -> None:
        """Finish all remaining work, for a worker and before the store is closed. With ``rests``,
        only after the pause since the last scrub. No failure is raised.
        """
        if self.pending and not (rests and time.monotonic() < self._rest_until):
            with contextlib.suppress(StoreError):
                self._scrub(whole=True)

    def _add(self, words: Iterable[str]) -> None:
        if self._database.dialect.one_writer:
            with self._lock:
                self._words.update(words)
                self.pending = True

    def _mask(
        self,
        space_id: str,
        texts: Sequence[str],
        ids: Sequence[str],
        analyse: "masked_notes.Analyse",
    ) -> set[str]:
        """Mask notes with words that the store contains nowhere else; the words to look for in
        files.
        """
        from recollect.storage import masked_notes

        terms = {term: None for text in texts for term in analyse(text)}
        with self._database.reading(all_spaces=True) as connection:
            number, _ = number_and_clock(connection, space_id)
            absent = self._database.dialect.absent_terms(
                connection, SEARCHED, (space_id, number), list(terms)[:_MAX_WORDS]
            )
            words = masked_notes.lost_words(texts, absent, analyse)
            found = masked_notes.notes_containing(connection, space_id, words, ids)
        if found:
            self._database.write(
                lambda transaction: masked_notes.mask(transaction, found), all_spaces=True
            )
        return words | set(pieces(texts))

    def _scrub(self, *, whole: bool) -> str:
        """Scrub the files, one thread at a time; removes the mark unless it changed meanwhile."""
        if not self._running.acquire(blocking=whole):
            return ERASURE_PENDING  # another thread of this process is scrubbing
        began = time.monotonic()
        try:
            with self._lock:
                words, unknown = set(self._words), self._unknown
            mark = self._mark_in_store()
            wanted = None if unknown and whole else sorted(words)
            left = self._database.scrub(wanted, whole=whole)
            if unknown and not whole:
                return left or ERASURE_PENDING
            if left == "" and self._database.dialect.one_writer:
                with self._lock:
                    self._words -= words
                    self.pending, self._unknown = bool(self._words), False
                if mark is not None:
                    self._database.write(lambda c: drop_fact(c, ERASING, mark), all_spaces=True)
            return left
        finally:
            self._rest_until = time.monotonic() + _REST * (time.monotonic() - began)
            self._running.release()

    def _mark_in_store(self) -> str | None:
        if not self._database.dialect.one_writer:
            return None
        with self._database.reading(all_spaces=True) as connection:
            return fact(connection, ERASING)


def pieces(texts: Iterable[str]) -> Iterable[str]:
    """Longer pieces of texts, as they would be stored in a file."""
    for text in texts:
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            if len(piece.encode("utf-8", "replace")) >= _LEAST_PIECE:
                yield piece


def _nothing() -> None:
    """Default callback: there are no buffered notes."""
