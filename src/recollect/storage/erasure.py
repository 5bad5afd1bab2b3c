"""What is left to do when something was erased for good: its words go from wherever else they lie.

The transaction that erases leaves a mark in the store, so that whoever comes next knows of it if
this process dies. Then the log of questions and other notes about the words are masked, and the
files are rid of them (``dialects/sqlite_traces.py``). What is too much for a caller to wait for is
done by the worker, after a later write, or when the store is closed; the mark goes last.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from recollect.storage.pages.spaces import number_and_clock
from recollect.storage.store_facts import ERASING, drop_fact, fact, put_fact
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.errors import StoreError

if TYPE_CHECKING:
    from recollect.storage import masked_notes
    from recollect.storage.database import Database

#: The collections whose words people may have forgotten.
SEARCHED: Final = ("memories", "events")
#: What a caller is told while the files still have to be looked after.
BEING_ERASED: Final = "the file, from which it is being erased"
#: A mark that is older was left by a process that died.
STALE: Final = timedelta(minutes=1)
#: After a scrubbing that nobody waited for, so many times its length passes before the next.
_REST: Final = 10.0
_PIECE: Final = 24
_LEAST_PIECE: Final = 12
_MOST_WORDS: Final = 2_000


class Erasure:
    """What this process has erased and not yet taken out of the files."""

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._lock = threading.Lock()
        self._running = threading.Lock()
        self._words: set[str] = set()
        self.pending = False
        self._unknown = False  # somebody else erased something and died
        self._rest_until = 0.0
        self._before: Callable[[], object] = _nothing

    def when_erasing(self, do: Callable[[], object]) -> None:
        """What to do first: write down notes of this process that may hold the words."""
        self._before = do

    def write_notes(self) -> None:
        """Have notes that this process still holds written down, so that they are found."""
        self._before()

    def mark(self, connection: Connection, now: datetime) -> None:
        """Leave a mark in the transaction that erases; files need one, servers do not."""
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
        """After the transaction: mask what else holds the words, then rid the files of them.

        ``ids`` name what was erased. Without ``waits`` the files are left for later when they were
        looked after a moment ago. Where a trace is left as yet, in words; empty when there is none.
        """
        self._before()
        needles = self._mask(space_id, texts, ids, analyse)
        self._add(needles)
        if not waits and time.monotonic() < self._rest_until:
            return BEING_ERASED
        return self._scrub(whole=False)

    def erased(self, words: Iterable[str]) -> None:
        """Something without words of its own was erased (a sealed text): look for these pieces.

        Nothing that fails is raised; the mark stays then.
        """
        self._add(words)
        if self.pending:
            with contextlib.suppress(StoreError):
                self._scrub(whole=False)

    def finish_unknown(self) -> str:
        """After a transaction that erased more than can be looked for word by word: the files are
        gone through as a whole. Where a trace is left as yet, in words; empty when there is none.
        """
        self._before()
        if self._database.dialect.one_writer:
            self._unknown = self.pending = True
        return self._scrub(whole=True)

    def resume(self, clock: Clock) -> None:
        """Look whether a process that died left something to be done."""
        if self._database.dialect.one_writer:
            with self._database.reading(house=True) as connection:
                mark = fact(connection, ERASING)
            if mark is not None and from_microseconds(int(mark)) < clock() - STALE:
                self._unknown = self.pending = True

    def go_on(self) -> None:
        """Do a piece of what is left; for whoever has a moment. Nothing that fails is raised."""
        if self.pending and time.monotonic() >= self._rest_until:
            with contextlib.suppress(StoreError):
                self._scrub(whole=False)

    def complete(self, *, rests: bool = False) -> None:
        """Do all that is left: for a worker, which ``rests`` between, and before the store is
        closed. Nothing that fails is raised."""
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
        """Mask what holds words that the store holds nowhere else; what to look for in files."""
        from recollect.storage import masked_notes

        terms = {term: None for text in texts for term in analyse(text)}
        with self._database.reading(house=True) as connection:
            number, _ = number_and_clock(connection, space_id)
            absent = self._database.dialect.absent_terms(
                connection, SEARCHED, (space_id, number), list(terms)[:_MOST_WORDS]
            )
            words = masked_notes.lost_words(texts, absent, analyse)
            found = masked_notes.holding(connection, space_id, words, ids)
        if found:
            self._database.write(
                lambda transaction: masked_notes.mask(transaction, found), house=True
            )
        return words | set(pieces(texts))

    def _scrub(self, *, whole: bool) -> str:
        """One thread at a time; the mark goes if it is still the one that was there before."""
        if not self._running.acquire(blocking=whole):
            return BEING_ERASED  # another thread of this process is at it
        began = time.monotonic()
        try:
            with self._lock:
                words, unknown = set(self._words), self._unknown
            mark = self._mark_in_store()
            wanted = None if unknown and whole else sorted(words)
            left = self._database.scrub(wanted, whole=whole)
            if unknown and not whole:
                return left or BEING_ERASED
            if left == "" and self._database.dialect.one_writer:
                with self._lock:
                    self._words -= words
                    self.pending, self._unknown = bool(self._words), False
                if mark is not None:
                    self._database.write(lambda c: drop_fact(c, ERASING, mark), house=True)
            return left
        finally:
            self._rest_until = time.monotonic() + _REST * (time.monotonic() - began)
            self._running.release()

    def _mark_in_store(self) -> str | None:
        if not self._database.dialect.one_writer:
            return None
        with self._database.reading(house=True) as connection:
            return fact(connection, ERASING)


def pieces(texts: Iterable[str]) -> Iterable[str]:
    """Longer pieces of texts, as they would lie in a file."""
    for text in texts:
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            if len(piece.encode("utf-8", "replace")) >= _LEAST_PIECE:
                yield piece


def _nothing() -> None:
    """Nobody has notes."""
