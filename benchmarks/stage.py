"""What the benchmarks share: texts, questions, a folder, and a store that holds the texts.

The store is made once, when it is first asked for. Its owner sees all of it; the guest sees every
second text, because the others lie in a private stream.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import recollect
from recollect.index.indexer import Indexer
from recollect.inference.static_embedder import StaticEmbedder
from recollect.storage.database import Database
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.spaces import Space

OWNER = Viewer("owner")
GUEST = Viewer("guest")
_BATCH = 2_000


@dataclass(frozen=True)
class Stage:
    """The texts and questions of this run, and where its files may lie."""

    folder: Path
    texts: list[str]
    questions: list[str]
    quick: bool

    @cached_property
    def store(self) -> "Store":
        """The store that holds the texts, half of them hidden from the guest."""
        path = self.folder / "texts.db"
        with recollect.open(path, user=OWNER.user, embedder="static", worker=False) as memory:
            memory.add_member(GUEST.user)
            memory.open_stream("open")
            memory.open_stream("closed", access="private")
            for name, texts in (("open", self.texts[::2]), ("closed", self.texts[1::2])):
                for start in range(0, len(texts), _BATCH):
                    batch = [NewEvent(text) for text in texts[start : start + _BATCH]]
                    memory.record_many(batch, stream=name)
            return Store(path, memory.space)


@dataclass(frozen=True)
class Store:
    """A store of events, and what the baselines need of it."""

    path: Path
    space: Space

    @cached_property
    def database(self) -> Database:
        """The store, opened."""
        return Database(str(self.path))

    @cached_property
    def indexer(self) -> Indexer:
        """The embedder that made the store's vectors."""
        return Indexer(StaticEmbedder())

    @cached_property
    def text_at(self) -> dict[int, str]:
        """The text of each slot."""
        with self.database.reading() as transaction:
            rows = transaction.exec_driver_sql(
                "SELECT slot, text FROM events WHERE slot IS NOT NULL ORDER BY slot"
            )
            return {slot: text for slot, text in rows}
