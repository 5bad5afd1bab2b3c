"""Writes memories inside a transaction: the row, its history, its index entry and its jobs.

The caller has a transaction and knows the viewer: the write path, which stores new memories, and
the keeper, which changes them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from recollect.index.indexer import Indexed, Indexer
from recollect.index.vector_index import unpack_one
from recollect.inference.tokens import count_tokens
from recollect.jobs.queue import enqueue, enqueue_many
from recollect.memories.changes import differences, is_searched
from recollect.memories.drafts import texts_of
from recollect.memories.index_entries import IndexSlot, MemoryIndexWriter, summary_text
from recollect.memories.normalise import simhash
from recollect.memories.propagation import propagate
from recollect.memories.short_form_writer import filled_levels
from recollect.memories.short_forms import SUMMARY_CHARACTERS
from recollect.memories.tombstones import refuse_forgotten
from recollect.pages import signals
from recollect.storage.access.quarantine import quarantine_text
from recollect.storage.access.visibility_filter import audience_id, sources_of
from recollect.storage.columns import dump
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads, relations, rows, whole_rows
from recollect.storage.memories.disputes import comment_texts
from recollect.storage.memories.rows import (
    LINKS,
    drop_simhash,
    put_simhash,
    put_simhashes,
    values_of,
)
from recollect.storage.pages import events, streams
from recollect.storage.prepared import batched_inserts
from recollect.storage.space_clock import number_and_clock, tick, tick_and_lock
from recollect.trust.authorisation import require_memory, require_role
from recollect.trust.prompt_injection import judge, suspicion
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Access, Audience, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    EventNotFound,
    MemoryNotFound,
    StreamNotFound,
)
from recollect.vocabulary.ids import STREAM, SUSPECT, is_id, new_id
from recollect.vocabulary.memory import Action, HistoryEntry, Levels, Memory, Relation
from recollect.vocabulary.memory_types import MemoryType, RelationType
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role

LEVELS: Final = "memory.levels"
#: Content up to this length gets its short forms in the write.
AT_ONCE_CHARACTERS: Final = 1_000
_NO_FORMS: Final = Levels()


class MemoryUpdate(NamedTuple):
    """A memory before and after a change, the reason, and the index entry if its words changed."""

    old: Memory
    new: Memory
    action: Action
    indexed: Indexed | None = None


class MemoryWriter:
    """Writes memories completely: no row is left without its history, words and vector."""

    def __init__(
        self, database: Database, indexer: Indexer, clock: Clock, *, leaves_long: bool = False
    ) -> None:
        self._database = database
        self._counts_tokens = False
        self._longest = SUMMARY_CHARACTERS if leaves_long else AT_ONCE_CHARACTERS
        self._index_writer = MemoryIndexWriter(database, indexer)
        self._clock = clock

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

    def replace_within(
        self, transaction: Transaction, change: "MemoryUpdate", *, actor: str
    ) -> None:
        """Write a memory that was changed elsewhere, with all its links."""
        access = Access(change.old.space_id, Viewer(actor), Role.OWNER)
        self.write(transaction, access, change)
        if change.old.provenance != change.new.provenance:
            ties = ("events", "sessions", "outside")
            rows.drop_links(transaction, change.old, ties)
            rows.put_links(transaction, change.new, ties)

    def change_within(
        self, transaction: Transaction, access: Access, change: "MemoryUpdate"
    ) -> Memory | None:
        """Change a memory inside the caller's transaction; None if another writer was faster."""
        require_role(access, Role.MEMBER, "keep memories")
        if not self.write(transaction, access, change):
            return None
        if change.old.provenance != change.new.provenance:
            ties = ("events", "sessions")
            rows.drop_links(transaction, change.old, ties)
            rows.put_links(transaction, change.new, ties)
        return change.new

    def succeed_within(
        self,
        transaction: Transaction,
        access: Access,
        old: Memory,
        successor: Memory,
        now: datetime,
    ) -> None:
        """Let one stored memory supersede another."""
        require_role(access, Role.MEMBER, "keep memories")
        relation = Relation(RelationType.SUPERSEDES, successor.id, target_id=old.id)
        relations.put_relation(transaction, access.space_id, relation)
        self.write(
            transaction, access, MemoryUpdate(old, ended(old, successor, now), Action.SUPERSEDED)
        )

    def erase_within(self, transaction: Transaction, access: Access, memory_id: str) -> list[str]:
        """Erase a memory inside the caller's transaction and return its texts; the caller finishes
        the erasure afterwards."""
        return self.remove_within(transaction, found(transaction, access, memory_id))

    def remove_within(self, transaction: Transaction, memory: Memory) -> list[str]:
        """Erase a memory whose row is at hand already, as the nightly run does."""
        texts = erased_texts(memory, reads.history_of(transaction, memory))
        texts += comment_texts(transaction, memory.space_id, memory.id)
        number, _ = number_and_clock(transaction, memory.space_id)
        slot = rows.slot_of(transaction, memory)
        self._index_writer.remove(transaction, memory, number, slot)
        relations.drop_relations_to(transaction, memory)
        rows.erase_memory(transaction, memory)
        self._database.erasure.mark(transaction, self._clock())
        return texts

    def restore_within(
        self, transaction: Transaction, access: Access, kept: Mapping[str, Any]
    ) -> Memory:
        """Restore an erased memory unchanged, under its id and with its history."""
        require_role(access, Role.MEMBER, "keep memories")
        number, slot = tick(transaction, access.space_id)
        audience = whole_rows.restore_memory_rows(transaction, kept, slot)
        memory = found(transaction, access, str(kept["memories"][0][1]))
        if audience is not None:
            indexed = self._index_writer.indexed(memory)
            self._index_writer.put(transaction, memory, IndexSlot(number, slot, audience), indexed)
        return memory

    def write(self, transaction: Transaction, access: Access, change: MemoryUpdate) -> bool:
        """Write a changed memory over the old one, with its index entry."""
        old, new = change.old, change.new
        values = values_of(new)
        slot = rows.slot_of(transaction, old)
        moves = is_searched(old, new) or old.archived != new.archived
        number, fresh = tick(transaction, access.space_id)
        if moves:
            values["slot"] = None if new.archived else fresh
        if not rows.change_memory(transaction, old, values, revision=old.revision):
            return False
        self._write_down(transaction, access, change)
        if old.content != new.content:
            drop_simhash(transaction, access.space_id, new.id)
            put_simhash(transaction, access.space_id, new.id, simhash(new.content))
        if moves:
            index_slot = IndexSlot(number, fresh, rows.audience_of(transaction, new))
            indexed = change.indexed
            if indexed is None and summary_text(old) != summary_text(new):
                indexed = self._index_writer.indexed(new)  # of a nightly run, or of its undo
            self._index_writer.move(transaction, new, index_slot, old=slot, indexed=indexed)
        return True

    def _write_down(self, transaction: Transaction, access: Access, change: MemoryUpdate) -> None:
        """Renew the links of a memory where they changed, and add the change to its history."""
        changes = differences(change.old, change.new)
        links = [name for name in LINKS if name in changes]
        rows.drop_links(transaction, change.old, links)
        rows.put_links(transaction, change.new, links)
        entry = HistoryEntry(
            memory_id=change.new.id,
            revision=change.new.revision,
            action=change.action,
            actor=access.viewer.user,
            at=change.new.updated_at,
            changes=changes,
        )
        rows.add_history(transaction, access.space_id, entry)
        if change.new.levels.full_tokens is None:  # new words, or the job has not run yet
            enqueue_levels(transaction, change.new)

    def propagate_confidence(
        self, transaction: Transaction, access: Access, source: Memory, now: datetime
    ) -> None:
        """Propagate a memory's confidence along its relations, as far as the access reaches."""
        seen: dict[str, Memory] = {source.id: source}

        def confidence_of(memory_id: str) -> float | None:
            seen.update(reads.get_memories(transaction, access, [memory_id]))
            target = seen.get(memory_id)
            return None if target is None else target.confidence

        moves = propagate(
            source.id,
            source.confidence,
            lambda memory_id: _confidence_relations(
                relations.relations_of(transaction, seen[memory_id])
            ),
            confidence_of,
        )
        for memory_id, confidence in moves.items():
            old = seen[memory_id]
            new = replace(old, confidence=confidence, updated_at=now, revision=old.revision + 1)
            self.write(transaction, access, MemoryUpdate(old, new, Action.CONFIDENCE))


def _confidence_relations(relations_given: Iterable[Relation]) -> list[Relation]:
    """Relations along which confidence flows: all but contradictions that were only suspected."""
    suspected = RelationType.CONFLICTS_WITH
    return [one for one in relations_given if not (one.automatic and one.type is suspected)]


def _own_texts(memory: Memory) -> list[str | None]:
    """Texts of a new memory that somebody wrote; its forms are all supplied or all generated."""
    return texts_of(memory, shortened=memory.levels.full_tokens is not None)


_WORDED: Final = ("content", "summary", "compressed", "index", "citation", "tags", "extras")


def erased_texts(memory: Memory, history: Iterable[HistoryEntry]) -> list[str]:
    """Every text of a memory, current and before its changes."""
    levels = memory.levels
    worded = [memory.content, levels.summary, levels.compressed, levels.index, memory.citation]
    texts = [*(text for text in worded if text), *memory.tags]
    if memory.extras:
        texts.append(dump(memory.extras))
    for entry in history:
        for name in _WORDED:
            changed_texts = (value for value in entry.changes.get(name, ()) if value)
            texts += [value if isinstance(value, str) else dump(value) for value in changed_texts]
    return texts


def found(transaction: Transaction, access: Access, memory_id: str) -> Memory:
    """The memory of that id, if the access may see it."""
    memory = reads.get_memories(transaction, access, [memory_id]).get(memory_id)
    if memory is None:
        raise MemoryNotFound(f"No memory {memory_id!r} is visible here.")
    return memory


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


def ended(old: Memory, successor: Memory, now: datetime) -> Memory:
    """A superseded memory: valid until its successor becomes valid."""
    end = max(old.valid_from, successor.valid_from)
    return replace(
        old,
        superseded_by=successor.id,
        valid_to=end if old.valid_to is None else min(old.valid_to, end),
        updated_at=now,
        revision=old.revision + 1,
    )
