"""The embedding backlog: jobs that give vectors to what was kept without one.

A remote embedder is asked here and nowhere in a write. With the embedder down the jobs wait and
retry, and search goes on by words. A change of model leaves the old vectors alone and fills in the
new ones behind the searches.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from recollect.inference.indexer import Indexer
from recollect.memories.texts import embedded_text
from recollect.storage import chunks, events, memories, places
from recollect.storage.database import Database, Transaction
from recollect.storage.event_signals import headers_of
from recollect.storage.places import VectorRow
from recollect.trust.fence import without_fenced
from recollect.vocabulary.jobs import Job

EMBED_MISSING: Final = "index.embed_missing"
_BATCH: Final = 512


class EmbedHandler:
    """Embeds the slots that jobs name."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Ask the embedder for all of them at once; write what is still wanted."""
        wanted: dict[tuple[str, str], list[int]] = {}
        for job in jobs:
            key = job.space_id, job.payload["collection"]
            wanted.setdefault(key, []).extend(job.payload["slots"])
        made = [
            (space_id, collection, self._embedded(space_id, collection, slots))
            for (space_id, collection), slots in wanted.items()
        ]

        def write(transaction: Transaction) -> None:
            for space_id, collection, rows in made:
                put(transaction, self._indexer, space_id, collection, rows)

        return write

    def _embedded(self, space_id: str, collection: str, slots: list[int]) -> list[VectorRow]:
        with self._database.reading(house=True) as transaction:
            items = places.items_at(transaction, space_id, slots)
            texts = texts_of(transaction, space_id, collection, items.values())
        wanted = [(slot, texts[item]) for slot, item in items.items() if item in texts]
        vectors = self._indexer.vectors([text for _, text in wanted])
        return [VectorRow(slot, vector) for (slot, _), vector in zip(wanted, vectors, strict=True)]


class EmbedMissingHandler:
    """Gives every place of a space a vector of the model in use, a batch at a time."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Fill in all that is missing; each batch is written as it is ready."""
        for space_id in sorted({job.space_id for job in jobs}):
            embed_missing(self._database, self._indexer, space_id)
        return lambda _: None


def embed_missing(database: Database, indexer: Indexer, space_id: str) -> int:
    """Embed what has no vector of the model in use; how many got one."""
    model_id = indexer.model_id
    after = total = 0
    while model_id is not None:
        with database.reading(house=True) as transaction:
            missing = places.places_without_vector(transaction, space_id, model_id, after, _BATCH)
            texts = {
                collection: texts_of(
                    transaction, space_id, collection, [i for _, c, i in missing if c == collection]
                )
                for collection in {collection for _, collection, _ in missing}
            }
        if not missing:
            break
        after = missing[-1][0]
        for collection, known in texts.items():
            chosen = [
                (slot, known[item])
                for slot, c, item in missing
                if c == collection and item in known
            ]
            vectors = indexer.vectors([text for _, text in chosen])
            rows = [VectorRow(slot, v) for (slot, _), v in zip(chosen, vectors, strict=True)]
            total += database.write(_putting(indexer, space_id, collection, rows), house=True)
    return total


def texts_of(
    transaction: Transaction, space_id: str, collection: str, ids: Iterable[str]
) -> dict[str, str]:
    """The texts to embed, by id."""
    wanted = list(ids)
    if collection == "events":
        texts = events.texts_for_jobs(transaction, space_id, wanted)
        headers = headers_of(transaction, space_id, wanted)
        return {
            event_id: "\n\n".join(filter(None, (headers.get(event_id), without_fenced(text))))
            for event_id, text in texts.items()
        }
    if collection == chunks.COLLECTION:
        return chunks.texts_for_jobs(transaction, space_id, wanted)
    return {
        memory.id: embedded_text(memory)
        for memory in memories.memories_for_jobs(transaction, space_id, wanted)
    }


def put(
    transaction: Transaction,
    indexer: Indexer,
    space_id: str,
    collection: str,
    rows: Sequence[VectorRow],
) -> int:
    """Store late vectors under the indexer's model; how many were still wanted."""
    if not rows:
        return 0
    model = indexer.model
    return places.put_late_vectors(transaction, space_id, collection, (model.id, model.dims), rows)


def _putting(
    indexer: Indexer, space_id: str, collection: str, rows: Sequence[VectorRow]
) -> Callable[[Transaction], int]:
    return lambda transaction: put(transaction, indexer, space_id, collection, rows)
