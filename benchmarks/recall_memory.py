"""How much a fresh process grows by its first recall of a large space; prints the bytes.

Everything else is in place before: the libraries, the embedder, and the rows read once, so that
SQLite's own cache of pages is full. What is left is the index: places, words, vectors, and what
stands beside what.
"""

import gc
import os
import sys
from pathlib import Path

import recollect
from benchmarks.stage import OWNER
from recollect.storage.database import Database

_QUESTION = "what did she say about the cache"


def main(path: str) -> None:
    """Recall twice, the first time in an empty space."""
    with Database(path).reading() as transaction:
        for table in ("vectors", "places", "events"):
            transaction.exec_driver_sql(f"SELECT sum(length(hex(space_id))) FROM {table}").all()
    with recollect.open(path, user=OWNER.user, embedder="static", worker=False) as memory:
        memory.recall(_QUESTION, kinds="memory")
        gc.collect()
        before = _resident_bytes()
        memory.recall(_QUESTION, kinds="event")
        gc.collect()
        print(_resident_bytes() - before)


def _resident_bytes() -> int:
    """What the process holds in memory now (Linux tells)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(*sys.argv[1:])
