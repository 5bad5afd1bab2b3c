"""Adds memories to the index, moves them and removes them, inside the caller's transaction."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from recollect.index.indexer import EMBED, EMBED_ATTEMPTS, Indexed, Indexer
from recollect.jobs.queue import enqueue
from recollect.storage.database import Database, Transaction
from recollect.storage.search import places
from recollect.storage.search.places import Place, VectorRow
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType

COLLECTION: Final = "memories"
#: A summary gets a vector when it is at most this share of its text, or has this many words of its
#: own.
_SHORTER: Final = 0.33
_OWN_WORDS: Final = 3
_APART: Final = str.maketrans("/._-", "    ")


class IndexSlot(NamedTuple):
    """Position of a memory in the index: the number of its space, its slot, its audience."""

    number: int
    slot: int
    audience: int


class MemoryIndexWriter:
    """Index operations for the write path of memories."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer

    def indexed(self, memory: Memory) -> Indexed:
        """Index entry of a memory; made before the transaction because it may be slow."""
        return self.indexed_all([memory])[0]

    def indexed_all(self, memories: Sequence[Memory]) -> list[Indexed]:
        """Index entries of many memories, made in one batch."""
        kept = self._indexer.index(
            [searched_words(memory) for memory in memories],
            [embedded_text(memory) for memory in memories],
        )
        if self._indexer.embeds_later:
            return kept
        short = {at: text for at, one in enumerate(memories) if (text := summary_text(one))}
        vectors = self._indexer.vectors(list(short.values()))
        for at, vector in zip(short, vectors, strict=bool(vectors)):
            kept[at] = kept[at]._replace(summary=vector)
        return kept

    def put(
        self, transaction: Transaction, memory: Memory, index_slot: IndexSlot, indexed: Indexed
    ) -> None:
        """Index a memory; a remote embedder is called later, by a job."""
        self._put_words(transaction, memory, index_slot, indexed)
        if indexed.vector is not None:
            model = self._indexer.model
            row = VectorRow(index_slot.slot, indexed.vector)
            places.put_vectors(
                transaction, memory.space_id, COLLECTION, (model.id, model.dims), [row]
            )
            self._put_summaries(transaction, memory.space_id, [(index_slot.slot, indexed.summary)])
        elif self._indexer.embeds_later:
            self._enqueue_vector(transaction, memory, index_slot)

    def put_all(
        self,
        transaction: Transaction,
        space: tuple[str, int],
        rows: Sequence[tuple[Memory, int, int, Indexed]],
    ) -> None:
        """Index many memories of a space, given by its id and number; each memory with its slot and
        its audience."""
        spots = [
            Place(slot, memory.id, audience, indexed.tokens, indexed.length, *validity(memory))
            for memory, slot, audience, indexed in rows
        ]
        places.put_places(transaction, self._database.dialect, space, COLLECTION, spots)
        vectors = [(slot, kept.vector) for _, slot, _, kept in rows if kept.vector is not None]
        if vectors:
            model = self._indexer.model
            places.put_vectors(transaction, space[0], COLLECTION, (model.id, model.dims), vectors)
            shorter = [(slot, kept.summary) for _, slot, _, kept in rows]
            self._put_summaries(transaction, space[0], shorter)
        elif self._indexer.embeds_later:
            for memory, slot, audience, _ in rows:
                self._enqueue_vector(transaction, memory, IndexSlot(space[1], slot, audience))

    def _put_summaries(
        self, transaction: Transaction, space_id: str, rows: Sequence[tuple[int, bytes | None]]
    ) -> None:
        made = [(slot, vector) for slot, vector in rows if vector is not None]
        if made:
            model = self._indexer.model.of_summaries
            places.put_vectors(transaction, space_id, COLLECTION, (model.id, model.dims), made)

    def move(
        self,
        transaction: Transaction,
        memory: Memory,
        index_slot: IndexSlot,
        *,
        old: int | None,
        indexed: Indexed | None,
    ) -> None:
        """Free the old slot and take a new one, unless the memory is archived."""
        if not memory.archived:
            if indexed is not None or old is None:
                self.put(transaction, memory, index_slot, indexed or self.indexed(memory))
            else:
                words = self._indexer.words_only(searched_words(memory))
                self._put_words(transaction, memory, index_slot, words)
                copied = places.copy_vectors(transaction, memory.space_id, old, index_slot.slot)
                if self._indexer.embeds_later and self._indexer.model_id not in copied:
                    self._enqueue_vector(transaction, memory, index_slot)
        self.remove(transaction, memory, index_slot.number, old)

    def remove(
        self, transaction: Transaction, memory: Memory, number: int, slot: int | None
    ) -> None:
        """Remove a memory from the index."""
        dialect = self._database.dialect
        places.retire(transaction, dialect, (memory.space_id, number), COLLECTION, [slot])

    @staticmethod
    def _enqueue_vector(transaction: Transaction, memory: Memory, index_slot: IndexSlot) -> None:
        enqueue(
            transaction,
            memory.space_id,
            EMBED,
            {"collection": COLLECTION, "slots": [index_slot.slot]},
            now=memory.updated_at,
            max_attempts=EMBED_ATTEMPTS,
        )

    def _put_words(
        self, transaction: Transaction, memory: Memory, index_slot: IndexSlot, indexed: Indexed
    ) -> None:
        place = Place(
            index_slot.slot,
            memory.id,
            index_slot.audience,
            indexed.tokens,
            indexed.length,
            *validity(memory),
        )
        places.put_places(
            transaction,
            self._database.dialect,
            (memory.space_id, index_slot.number),
            COLLECTION,
            [place],
        )


def validity(memory: Memory) -> tuple[int | None, int | None]:
    """Period in which search returns a memory by default, without a request for another time.

    A memory that was valid from its creation has no start here, so that a reader whose clock lags
    behind the writer's finds it at once.
    """
    begins = None if memory.valid_from <= memory.created_at else to_microseconds(memory.valid_from)
    return begins, None if memory.valid_to is None else to_microseconds(memory.valid_to)


def needs_embedding(old: Memory, new: Memory) -> bool:
    """Whether the words changed or return to the index; a new time alone needs no embedding."""
    if new.archived:
        return False
    return (
        old.archived
        or searched_words(old) != searched_words(new)
        or embedded_text(old) != embedded_text(new)
        or summary_text(old) != summary_text(new)
    )


def searched_words(memory: Memory) -> str:
    """The content and its links, so that a search for a file's name finds the memory."""
    return "\n".join((memory.content, *memory.tags, *memory.files, *memory.modules))


def embedded_text(memory: Memory) -> str:
    """The content between the memory's type and its files and modules, all as words.

    Measured by ``benchmarks/memory_texts.py``: people at work ask for "gotchas of the parser". The
    type "fact" is left out because it carries no information.
    """
    kind = "" if memory.type is MemoryType.FACT else memory.type.value.translate(_APART)
    tied = " ".join((*memory.files, *memory.modules)).translate(_APART)
    return f"{kind} {memory.content} {tied}".strip() if kind or tied else memory.content


def summary_text(memory: Memory) -> str | None:
    """The summary, if it differs enough from the whole text to deserve a vector: it is much
    shorter, or has words of its own. None where both vectors would be about the same."""
    content, summary = memory.content, memory.levels.summary
    if not summary or summary == content:
        return None
    if len(summary) <= _SHORTER * len(content):
        return summary
    own = set(summary.lower().split()) - set(content.lower().split())
    return summary if len(own) >= _OWN_WORDS else None
