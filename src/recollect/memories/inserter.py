"""Stores new memories inside a transaction: the row, its history, its index entry and its jobs.

The caller has a transaction and knows the viewer: the write path, which decides what is stored. An
index entry is made before the transaction, because an embedder may be slow. What changes a stored
memory later is in ``writer.py``, and moves and removes its index entry by the class here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from recollect.index.indexer import EMBED, EMBED_ATTEMPTS, Indexed, Indexer
from recollect.index.vector_index import unpack_one
from recollect.inference.tokens import count_tokens
from recollect.jobs.queue import enqueue, enqueue_many
from recollect.memories.drafts import texts_of
from recollect.memories.short_forms import SUMMARY_CHARACTERS, filled_levels
from recollect.memories.text_comparison import simhash
from recollect.memories.tombstones import refuse_forgotten
from recollect.pages import signals
from recollect.storage.access.quarantine import quarantine_text
from recollect.storage.access.visibility_filter import audience_id, sources_of
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import rows
from recollect.storage.memories.rows import put_simhash, put_simhashes
from recollect.storage.pages import events, streams
from recollect.storage.prepared import batched_inserts
from recollect.storage.search import places
from recollect.storage.search.places import Place, VectorRow
from recollect.storage.space_clock import tick, tick_and_lock
from recollect.trust.authorisation import require_memory, require_role
from recollect.trust.prompt_injection import judge, suspicion
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Access, Audience
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.errors import EventNotFound, StreamNotFound
from recollect.vocabulary.ids import STREAM, SUSPECT, is_id, new_id
from recollect.vocabulary.memory import Action, HistoryEntry, Levels, Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role

COLLECTION: Final = "memories"
#: A summary gets a vector when it is at most this share of its text, or has this many words of its
#: own.
_SHORTER: Final = 0.33
_OWN_WORDS: Final = 3
_APART: Final = str.maketrans("/._-", "    ")
LEVELS: Final = "memory.levels"
#: Content up to this length gets its short forms in the write.
AT_ONCE_CHARACTERS: Final = 1_000
_NO_FORMS: Final = Levels()


class MemoryInserter:
    """Stores new memories completely: no row is left without its history, words and vector."""

    def __init__(self, database: Database, indexer: Indexer, *, leaves_long: bool = False) -> None:
        self._counts_tokens = False
        self._longest = SUMMARY_CHARACTERS if leaves_long else AT_ONCE_CHARACTERS
        self._index_writer = MemoryIndexWriter(database, indexer)

    def forms(
        self, content: str, brought: Levels, kind: MemoryType, extras: Mapping[str, Any]
    ) -> Levels:
        """All short forms of a content, made here where the token counter is loaded and the content
        is short; otherwise the supplied ones, and a job makes the rest.

        Where somebody supplied a form, a job makes the others: all forms made here at once are
        ours.
        """
        if brought != _NO_FORMS or not self._counts_tokens or len(content) > self._longest:
            return brought
        return filled_levels(content, brought, kind, extras)

    def warm(self) -> None:
        """Load the token counter, so that no write has to leave its short forms to a job."""
        count_tokens("ready")
        self._counts_tokens = True

    def indexed(self, memory: Memory) -> Indexed:
        """Index entry of a memory; slow, and therefore made before a transaction."""
        return self._index_writer.indexed(memory)

    def indexed_all(self, memories: Sequence[Memory]) -> list[Indexed]:
        """Index entries of several memories, embedded in one batch."""
        return self._index_writer.indexed_all(memories)

    def is_outside_instruction(self, memory: Memory) -> bool:
        """Whether a memory came from outside and reads like an instruction.

        People's own words in a session may sound like an order, and are one.
        """
        changed_texts = "\n".join(text for text in _own_texts(memory) if text)
        return bool(memory.provenance.outside) and bool(suspicion(changed_texts, outside=True))

    def gate(self, transaction: Transaction, access: Access, memory: Memory) -> Memory | Suspect:
        """The memory with the marks of its origin; or the quarantined text in its place."""
        verdict = judge(transaction, access, memory, _own_texts(memory))
        if not verdict.reasons:
            return verdict.memory
        suspect = Suspect(
            new_id(SUSPECT, memory.updated_at),
            memory.content,
            verdict.memory.provenance.outside[0],
            verdict.reasons,
            memory.created_at,
        )
        fields = {
            "type": memory.type.value,
            "tags": list(memory.tags),
            "source": memory.provenance.source.value,
            "outside": list(verdict.memory.provenance.outside),
            "visibility": memory.audience.visibility.value,
            "events": list(memory.provenance.events),
            **({"extras": dict(memory.extras)} if memory.extras else {}),
        }
        quarantine_text(transaction, access, suspect, fields)
        return suspect

    def add_within(
        self, transaction: Transaction, access: Access, memory: Memory, indexed: Indexed
    ) -> Memory:
        """Store a new memory that was decided on already: a roll-up, or a text released from
        quarantine. Everything else takes the write path."""
        require_role(access, Role.MEMBER, "keep memories")
        require_memory(transaction, access, memory.provenance.session_id)
        vector = unpack_one(indexed.vector)
        refuse_forgotten(transaction, access, memory.content, vector, memory.updated_at)
        placed = self.placed(transaction, access, memory)
        return self.insert(transaction, access, placed, indexed, simhash(memory.content))

    def placed(self, transaction: Transaction, access: Access, memory: Memory) -> Memory:
        """The memory with the stream that decides who may read it, if a stream's readers are its
        audience."""
        if memory.audience.stream is None:
            return memory
        return replace(memory, audience=_stream_audience(transaction, access, memory.audience))

    def insert(
        self,
        transaction: Transaction,
        access: Access,
        memory: Memory,
        indexed: Indexed,
        hashed: int,
    ) -> Memory:
        """Write the row of a new memory with everything that belongs to it.

        ``hashed`` is the SimHash of its content.
        """
        check_pointers(transaction, access, memory)
        number, slot = tick_and_lock(transaction, memory.space_id, 2)
        sources = sources_of(transaction, memory.space_id, memory.provenance.events)
        audience = audience_id(transaction, memory.space_id, memory.audience, slot + 1, sources)
        entry = HistoryEntry(
            memory.id, 1, Action.CREATED, memory.provenance.created_by, memory.created_at, {}
        )
        with batched_inserts(transaction):
            rows.add_memory(transaction, memory, audience, slot)
            self._index_writer.put(transaction, memory, IndexSlot(number, slot, audience), indexed)
            rows.add_history(transaction, memory.space_id, entry)
            put_simhash(transaction, memory.space_id, memory.id, hashed)
            if memory.levels.full_tokens is None:
                enqueue_levels(transaction, memory)
        if memory.provenance.events:
            signals.notice(
                transaction, memory.space_id, memory.provenance.events, now=memory.updated_at
            )
        return memory

    def insert_all(
        self, transaction: Transaction, made: Sequence[Memory], indexed: Sequence[Indexed]
    ) -> None:
        """Write many memories unchanged that were made and decided on elsewhere."""
        if not made:
            return
        space_id = made[0].space_id
        number, first = tick(transaction, space_id, 2 * len(made))
        placed: list[tuple[Memory, int, int, Indexed]] = []
        for place, (memory, kept) in enumerate(zip(made, indexed, strict=True)):
            slot = first + 2 * place
            sources = sources_of(transaction, space_id, memory.provenance.events)
            audience = audience_id(transaction, space_id, memory.audience, slot + 1, sources)
            placed.append((memory, slot, audience, kept))
        rows.add_memories(
            transaction,
            [
                (memory, audience, None if memory.archived else slot)
                for memory, slot, audience, _ in placed
            ],
        )
        found = [row for row in placed if not row[0].archived]
        self._index_writer.put_all(transaction, (space_id, number), found)
        rows.add_first_history(transaction, made)
        put_simhashes(transaction, space_id, {one.id: simhash(one.content) for one in made})
        unshortened = [{"memory": one.id} for one in made if one.levels.full_tokens is None]
        enqueue_many(transaction, space_id, LEVELS, unshortened, now=made[0].updated_at)


def _own_texts(memory: Memory) -> list[str | None]:
    """Texts of a new memory that somebody wrote; its forms are all supplied or all generated."""
    return texts_of(memory, shortened=memory.levels.full_tokens is not None)


def check_pointers(transaction: Transaction, access: Access, memory: Memory) -> None:
    """Check that everything a memory refers to exists and is visible to its author."""
    wanted = memory.provenance.events
    if wanted:
        seen = events.get_events(transaction, access, wanted)
        missing = [event for event in wanted if event not in seen]
        if missing:
            raise EventNotFound(f"No event {shown(missing[0])} is visible here.")


def _stream_audience(transaction: Transaction, access: Access, audience: Audience) -> Audience:
    """The audience with the stream that decides who may read: a thread follows its root."""
    if audience.stream is None:
        return audience
    known = is_id(audience.stream, STREAM)
    root = streams.root_of(transaction, access, audience.stream) if known else None
    if root is None:
        raise StreamNotFound(f"No stream {shown(audience.stream)} is visible here.")
    return replace(audience, stream=root)


def enqueue_levels(transaction: Transaction, memory: Memory) -> None:
    """Schedule the short forms of a new content."""
    enqueue(transaction, memory.space_id, LEVELS, {"memory": memory.id}, now=memory.updated_at)


# --- index entries --------------------------------------------------------------------------------


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
