"""Changes stored memories inside a transaction: the row, its history and its index entry.

The caller has a transaction and knows the viewer: the keeper, the nightly run, sync. New memories
are stored by ``MemoryInserter``, which every writer is as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from recollect.index.indexer import Indexed, Indexer
from recollect.memories.changes import differences, is_searched
from recollect.memories.inserter import IndexSlot, MemoryInserter, enqueue_levels, summary_text
from recollect.memories.propagation import propagate
from recollect.memories.text_comparison import simhash
from recollect.storage.columns import dump
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads, relations, rows, whole_rows
from recollect.storage.memories.disputes import comment_texts
from recollect.storage.memories.rows import LINKS, drop_simhash, put_simhash, values_of
from recollect.storage.space_clock import number_and_clock, tick
from recollect.trust.authorisation import require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import MemoryNotFound
from recollect.vocabulary.memory import Action, HistoryEntry, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.spaces import Role


class MemoryUpdate(NamedTuple):
    """A memory before and after a change, the reason, and the index entry if its words changed."""

    old: Memory
    new: Memory
    action: Action
    indexed: Indexed | None = None


class MemoryWriter(MemoryInserter):
    """Changes, supersedes, erases and restores memories, besides storing new ones."""

    def __init__(
        self, database: Database, indexer: Indexer, clock: Clock, *, leaves_long: bool = False
    ) -> None:
        super().__init__(database, indexer, leaves_long=leaves_long)
        self._database = database
        self._clock = clock

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
