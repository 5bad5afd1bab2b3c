"""Index maintenance: checks the index against the rows and rebuilds it from them.

The rows are authoritative; everything in the index can be deleted and rebuilt.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from recollect.index import server_vectors
from recollect.index.analyser import ANALYSER_VERSION
from recollect.index.code_words import analysed
from recollect.index.indexer import Indexer
from recollect.index.place_table import CHANGES_KEPT
from recollect.jobs.handler import Write
from recollect.jobs.queue import enqueue
from recollect.memories.embedding_jobs import EMBED_MISSING, count_missing
from recollect.memories.index_version import ANALYSER, MODEL, is_pending, model_name
from recollect.memories.inserter import COLLECTION as MEMORIES
from recollect.memories.inserter import searched_words, validity
from recollect.memories.misread_origins import Restored, restore_misread, restored_in
from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks
from recollect.storage.code import chunks
from recollect.storage.database import Database, Transaction
from recollect.storage.dialects.protocol import Erased
from recollect.storage.memories import reads
from recollect.storage.move.progress import refuse_unfinished
from recollect.storage.pages import event_jobs, spaces
from recollect.storage.schema import COLLECTIONS
from recollect.storage.search import places
from recollect.storage.search.consistency import IndexCheck, check_index, has_large_space
from recollect.storage.search.places import Place
from recollect.storage.space_clock import number_and_clock, tick
from recollect.storage.store_facts import fact, put_fact
from recollect.trust.fence import without_fenced
from recollect.vocabulary.jobs import Job

_BATCH: Final = 2_000

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Health:
    """Result of a check of the store."""

    store_problems: list[str]
    keyword_problems: list[str]
    index: list[IndexCheck]
    without_vector: int
    #: Texts that an earlier version hid from search by mistake and that were restored.
    restored: Restored = field(default_factory=Restored)

    @property
    def sound(self) -> bool:
        """Whether nothing needs repair; vectors that are still to be computed are no fault."""
        return not (self.store_problems or self.keyword_problems) and all(
            check.sound for check in self.index
        )


class IndexTidy:
    """Daily clean-up: deletes messages to other processes that are too old for any process to need,
    and has the database index the vectors of a space that has grown too large to be scanned."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Build the database index of vectors, which is slow and not part of the write."""
        index_large_spaces(self._database, self._indexer)
        ids = sorted({job.space_id for job in jobs})

        def write(transaction: Transaction) -> None:
            for space_id in ids:
                _, clock = number_and_clock(transaction, space_id)
                places.forget_changes(transaction, space_id, clock - CHANGES_KEPT)

        return write


def index_large_spaces(database: Database, indexer: Indexer) -> bool:
    """Have the database index current vectors where a space needs it; return whether it did."""
    model_id = indexer.model_id
    if model_id is None or not database.dialect.indexes_vectors:
        return False
    with database.reading(all_spaces=True) as transaction:
        if not has_large_space(transaction, model_id, server_vectors.TURN):
            return False
    return database.build_vector_index(model_id, indexer.model.dims)


class Upkeep:
    """Checks and rebuilds the index."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    def health(self) -> Health:
        """Check everything; change nothing."""
        dialect = self._database.dialect
        model_id = self._indexer.model_id

        def inspect(transaction: Transaction) -> Health:
            checked = () if self._database.read_only else COLLECTIONS  # the check is a write
            words = [
                problem
                for collection in checked
                for problem in dialect.keyword_problems(transaction, collection)
            ]
            ids = spaces.all_space_ids(transaction)
            return Health(
                store_problems=dialect.store_problems(transaction),
                keyword_problems=words,
                index=[] if words else check_index(transaction, dialect),
                without_vector=sum(
                    count_missing(transaction, space_id, model_id) for space_id in ids
                )
                if model_id
                else 0,
                restored=restored_in(transaction),
            )

        if not self._database.read_only:
            return self._database.write(inspect, all_spaces=True)
        with self._database.reading(all_spaces=True) as transaction:
            return inspect(transaction)

    def erase_traces(self) -> Erased:
        """Remove deleted words from the store's files; return what was done and what may remain."""
        return self._database.erase_traces()

    def keep_up(self, now: datetime) -> None:
        """Update the index to the current analyser and embedder, if they changed."""
        with self._database.reading(all_spaces=True) as transaction:
            refuse_unfinished(transaction)
            if self._database.read_only:
                return
            analyser, model = fact(transaction, ANALYSER), fact(transaction, MODEL)
            ids = spaces.all_space_ids(transaction)
            withheld = is_pending(transaction)
        if withheld:
            restore_misread(self._database, self._indexer, now)
        if analyser != str(ANALYSER_VERSION) and ids:
            self.rebuild(now=now)
        if analyser == str(ANALYSER_VERSION) and model == model_name(self._indexer):
            return

        def work(transaction: Transaction) -> None:
            acquire_locks(transaction, [EVERY_SPACE])
            put_fact(transaction, ANALYSER, str(ANALYSER_VERSION))
            put_fact(transaction, MODEL, model_name(self._indexer))
            if self._indexer.model_id and model != model_name(self._indexer):
                for space_id in ids:
                    enqueue(transaction, space_id, EMBED_MISSING, {}, now=now)

        self._database.write(work, all_spaces=True)

    def rebuild(self, progress: Progress | None = None, *, now: datetime) -> int:
        """Rebuild slots and words from the rows in one transaction; return how many items.

        Existing vectors stay; missing ones are left to jobs.
        """
        model_id = self._indexer.model_id

        def work(transaction: Transaction) -> int:
            total = 0
            acquire_locks(transaction, [EVERY_SPACE])
            acquire_locks(transaction, spaces.all_space_ids(transaction))
            for collection in COLLECTIONS:
                self._database.dialect.reset_keywords(transaction, collection)
            for space_id in spaces.all_space_ids(transaction):
                number, _ = tick(transaction, space_id, CHANGES_KEPT + 1)
                for collection in COLLECTIONS:
                    places.delete_orphan_places(transaction, space_id, collection)
                    for batch in self._all_places(transaction, space_id, collection):
                        places.replace_places(
                            transaction,
                            self._database.dialect,
                            (space_id, number),
                            collection,
                            batch,
                        )
                        total += len(batch)
                        if progress:
                            progress(total)
                if model_id and count_missing(transaction, space_id, model_id):
                    enqueue(transaction, space_id, EMBED_MISSING, {}, now=now)
            put_fact(transaction, ANALYSER, str(ANALYSER_VERSION))
            return total

        indexed = self._database.write(work, all_spaces=True)
        index_large_spaces(self._database, self._indexer)
        return indexed

    def _all_places(
        self, transaction: Transaction, space_id: str, collection: str
    ) -> Iterator[list[Place]]:
        if collection == chunks.COLLECTION:
            read = _chunk_places
        else:
            read = _memory_places if collection == MEMORIES else _event_places
        after = ""
        while batch := read(transaction, space_id, after):
            after = batch[-1].item_id
            yield batch


def _memory_places(transaction: Transaction, space_id: str, after: str) -> list[Place]:
    found = reads.memories_to_index(transaction, space_id, after, _BATCH)
    made = []
    for memory, audience, slot in found:
        tokens, length = Indexer.words_only(searched_words(memory))[:2]
        made.append(Place(slot, memory.id, audience, tokens, length, *validity(memory)))
    return made


def _event_places(transaction: Transaction, space_id: str, after: str) -> list[Place]:
    made = []
    for row in event_jobs.events_to_index(transaction, space_id, after, _BATCH):
        tokens, length = Indexer.words_only(without_fenced(row.text))[:2]
        made.append(Place(row.slot, row.event_id, row.audience_id, tokens, length))
    return made


def _chunk_places(transaction: Transaction, space_id: str, after: str) -> list[Place]:
    made = []
    for row in chunks.chunks_to_index(transaction, space_id, after):
        tokens, length = analysed(row.words)
        made.append(Place(row.slot, row.chunk_id, row.audience_id, tokens, length))
    return made
