"""Statistics of a store for people: how much it holds, where, and how large it is."""

from typing import Any

from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.storage.chat import audit
from recollect.storage.database import Database
from recollect.storage.memories import reads
from recollect.storage.pages import events, streams
from recollect.storage.search import places
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.spaces import Space


class Statistics:
    """Counts rows through the same visibility filter as every read."""

    def __init__(self, database: Database, indexer: Indexer, index: SearchIndex) -> None:
        self._database = database
        self._indexer = indexer
        self._index = index

    def figures(self, viewer: Viewer, space: Space) -> dict[str, Any]:
        """Figures of the visible part of this space, and of the store."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return {
                "space": space.name,
                "memories": reads.count_memories(transaction, access),
                "events": events.count_events(transaction, access),
                "streams": streams.count_streams(transaction, access),
                "vectors": places.count_vectors(transaction, access),
                "actions": audit.count_actions(transaction, access),
                "embedder": self._indexer.model_id,
                "store": {
                    **self._database.dialect.describe(transaction),
                    **({"rights": "read-only"} if self._database.read_only else {}),
                    **({"disk": "full"} if self._database.disk_full else {}),
                },
                "index_bytes": self._index.memory_bytes(),
            }
