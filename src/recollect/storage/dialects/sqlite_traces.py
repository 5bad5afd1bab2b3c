"""Removes deleted text from a SQLite file: full-text segments, journal, unused page space.

A deleted row is overwritten (``secure_delete``), but three places keep its text longer. The full
text only marks a document as deleted until its segments are merged. The journal holds the old pages
until it is checkpointed. And when SQLite moves rows to other pages it leaves old copies in the
unused bytes of a page; these are searched, and a file that contains a forgotten word there is
rewritten.

A file is read beside SQLite only through a descriptor that stays open as long as any connection of
this process: closing it would drop the process's locks on the file.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Engine

from recollect.storage.dialects.protocol import Erased

#: Full-text pages that are merged in one step, and in one call that somebody waits for.
STEP: Final = 500
AT_ONCE: Final = 4_000
#: How long a scrub waits for a lock, in milliseconds: it is not retried.
_SCRUB_MILLISECONDS: Final = 10_000
#: A larger file (in bytes) is searched and rewritten only when nobody waits for it.
LARGE: Final = 256_000_000
_CHUNK: Final = 1_048_576
_INTERIOR: Final = frozenset({2, 5})
_TREE: Final = frozenset({2, 5, 10, 13})
_FIRST_HEADER: Final = 100


class OpenFiles:
    """The files open in this process, and the descriptor through which each is read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[str, int] = {}
        self._descriptors: dict[str, int] = {}

    def opened(self, path: str) -> None:
        """Count one more user of a file."""
        with self._lock:
            self._users[path] = self._users.get(path, 0) + 1

    def closed(self, path: str) -> None:
        """Count one user less; the last one closes the descriptor."""
        with self._lock:
            self._users[path] = self._users.get(path, 1) - 1
            if self._users[path] <= 0:
                del self._users[path]
                descriptor = self._descriptors.pop(path, None)
                if descriptor is not None:
                    os.close(descriptor)

    def descriptor(self, path: str) -> int:
        """A descriptor for reading a file without losing the process's locks on it."""
        with self._lock:
            if path not in self._descriptors:
                self._descriptors[path] = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            return self._descriptors[path]


FILES: Final = OpenFiles()


def merge_step(cursor: Any, collection: str, pages: int, *, first: bool) -> bool:
    """Merge some pages of a collection's full text; whether it is one segment now."""
    before = cursor.connection.total_changes
    cursor.execute(
        f"INSERT INTO {collection}_keywords({collection}_keywords, rank) VALUES ('merge', ?)",
        (-pages if first else pages,),
    )
    return bool(cursor.connection.total_changes - before < 2)


def merge(cursor: Any, collections: Iterable[str], most: int | None) -> bool:
    """Merge the full text of collections, at most ``most`` pages; whether all of it was merged."""
    left = most
    for collection in collections:
        done = merge_step(cursor, collection, STEP, first=True)
        while not done:
            if left is not None:
                left -= STEP
                if left <= 0:
                    return False
            done = merge_step(cursor, collection, STEP, first=False)
    return True


def empty_journal(cursor: Any) -> bool:
    """Checkpoint and truncate the journal; False while a reader is in the way."""
    busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def unused_bytes_contain(path: str, page_size: int, words: Iterable[str]) -> bool:
    """Whether the bytes that no row uses contain any of the words."""
    wanted = {form for word in words for form in (word.encode(), word.lower().encode()) if form}
    if not wanted:
        return False
    return any(
        any(word in unused or word in unused.lower() for word in wanted)
        for unused in _unused(path, page_size)
    )


def _unused(path: str, page_size: int) -> Iterator[bytes]:
    """The unused middle of each b-tree page, where it is not empty."""
    descriptor = FILES.descriptor(path)
    offset = 0
    while chunk := os.pread(descriptor, _CHUNK // page_size * page_size, offset):
        for start in range(0, len(chunk), page_size):
            header = _FIRST_HEADER if offset + start == 0 else 0
            unused = _middle(chunk[start : start + page_size], header)
            if unused.strip(b"\0"):
                yield unused
        offset += len(chunk)


def _middle(page: bytes, header: int) -> bytes:
    """The bytes between the cell pointers of a page and the first of its cells."""
    if len(page) <= header or page[header] not in _TREE:
        return b""
    cells = int.from_bytes(page[header + 3 : header + 5])
    content = int.from_bytes(page[header + 5 : header + 7]) or 65_536
    begin = header + (12 if page[header] in _INTERIOR else 8) + 2 * cells
    return page[begin:content]


def absent_terms(cursor: Any, collections: Iterable[str], terms: Iterable[str]) -> set[str]:
    """Those of the terms that no document of the collections contains any more."""
    tables = [f"{collection}_terms" for collection in collections]
    return {
        term
        for term in terms
        if not any(
            cursor.execute(f"SELECT 1 FROM {table} WHERE term = ? LIMIT 1", (term,)).fetchone()
            for table in tables
        )
    }


def rewrite_file(cursor: Any, collections: Iterable[str]) -> Erased:
    """Merge the full text, rewrite the file, and truncate the journal."""
    for collection in collections:
        cursor.execute(
            f"INSERT INTO {collection}_keywords({collection}_keywords) VALUES ('optimize')"
        )
    cursor.execute("VACUUM")
    emptied = empty_journal(cursor)
    done = (
        "Merged the full text, wrote the file anew (VACUUM) and cut its journal to nothing."
        if emptied
        else "Merged the full text and wrote the file anew (VACUUM)."
    )
    held = () if emptied else ("the journal, which a reader holds: run this again",)
    return Erased((done,), (*held, "copies, backups and snapshots of the file"))


@contextmanager
def long_timeout_cursor(engine: Engine) -> Iterator[Any]:
    """A cursor that waits longer for a lock, for work that is not retried."""
    with engine.connect() as connection:
        driver: Any = connection.connection
        cursor = driver.cursor()
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {_SCRUB_MILLISECONDS}")
        try:
            yield cursor
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
            cursor.close()


def scrub(
    cursor: Any, collections: Iterable[str], words: Sequence[str] | None, *, whole: bool
) -> str:
    """Merge, checkpoint, search unused bytes; returns in words where traces remain for now.

    Without words to search for, the file is rewritten in any case.
    """
    if not merge(cursor, collections, None if whole else AT_ONCE):
        return "the blocks of the full text, which are being written anew"
    path = os.path.realpath(cursor.execute("PRAGMA database_list").fetchall()[0][2])
    (page_size,) = cursor.execute("PRAGMA page_size").fetchone()
    if not empty_journal(cursor):
        return "the journal, which another reader holds; it is emptied when they are done"
    if words is not None and not words:
        return ""
    if os.stat(path).st_size > LARGE and not whole:
        return "unused bytes of the file, which are being looked through"
    if words is None or unused_bytes_contain(path, page_size, words):
        cursor.execute("VACUUM")
        if not empty_journal(cursor):
            return "the journal, which another reader holds; it is emptied when they are done"
    return ""
