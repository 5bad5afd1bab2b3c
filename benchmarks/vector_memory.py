"""How much a fresh process grows when it makes its vector index; prints the bytes.

Everything else is in place before: the libraries, the embedder, and the rows read once, so that
SQLite's own cache of pages is full. What is left is the index.
"""

import gc
import os
import sys
from pathlib import Path

import simsimd  # noqa: F401 - so that loading it does not count

from benchmarks.stage import OWNER, Store
from recollect.index.search_index import SearchIndex
from recollect.storage.database import Database
from recollect.storage.pages.spaces import space_named


def main(path: str, name: str) -> None:
    """Search twice, the first time in an empty collection."""
    with Database(path).reading() as transaction:
        space = space_named(transaction, name)
    assert space is not None
    store = Store(Path(path), space)
    assert store.indexer.embedder is not None
    vector = store.indexer.embedder.embed(["what did she say about the cache"])[0]
    index = SearchIndex(store.database.dialect)
    before = 0
    with store.seen_by(OWNER) as (transaction, sight):
        for table in ("vectors", "places", "events"):
            transaction.exec_driver_sql(f"SELECT sum(length(hex(space_id))) FROM {table}").all()
        for collection in ("memories", "events"):
            gc.collect()
            before = _resident_bytes()
            index.vectors(
                transaction, sight, collection, store.indexer.model, vector, moment=2**60, limit=10
            )
    gc.collect()
    print(_resident_bytes() - before)


def _resident_bytes() -> int:
    """What the process holds in memory now (Linux tells)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(*sys.argv[1:])
