"""An import in a process of its own, to be killed.

python -m tests.pages.child STORE FILE BATCH    tells the records kept so far, a line a batch
"""

import sys

from recollect.index.indexer import Indexer
from recollect.pages import import_batches
from recollect.pages.importer import Importer
from recollect.pages.spaces import Spaces
from recollect.storage.database import Database
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import system_clock
from tests.embedders import WordEmbedder


def main(store: str, file: str, batch: str) -> None:
    import_batches.BATCH = int(batch)  # type: ignore[misc]
    database = Database(store)
    me = Viewer("me")
    space = Spaces(database, system_clock).ensure(me, "default")
    importer = Importer(database, Indexer(WordEmbedder()), system_clock)
    importer.run(me, space, file, progress=lambda _done, _total, read: print(read, flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
