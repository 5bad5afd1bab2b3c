"""Keeps memories: makes them, changes them, puts them away and brings them back.

Each verb is one transaction that writes the row, its history, its words, its vector and the jobs
it wants, or nothing at all. The slow part (embedding) is done before the transaction begins.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from recollect.inference.indexer import Indexed, Indexer
from recollect.jobs.queue import promise
from recollect.memories.changes import differences, is_searched, updated
from recollect.memories.drafts import Draft, memory_of, texts_of
from recollect.memories.forgetting import refuse_forgotten
from recollect.memories.levels import Shortener
from recollect.memories.placing import MemoryPlacer, Spot, needs_embedding
from recollect.memories.propagation import propagate
from recollect.pages import signals
from recollect.storage import events, memories, relations, streams
from recollect.storage.audiences import audience_id
from recollect.storage.bulk import together
from recollect.storage.database import Database, Transaction
from recollect.storage.memory_rows import LINKS, values_of
from recollect.storage.outside import put_suspect
from recollect.storage.spaces import number_and_clock, tick
from recollect.storage.vector_index import unpack_one
from recollect.storage.walls import hold
from recollect.trust.injection import suspicion
from recollect.trust.switches import require_memory
from recollect.trust.taint import DISCOUNT, judge
from recollect.trust.visibility import look, require_role
from recollect.vocabulary.audiences import Audience, Sight, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    Conflict,
    EventNotFound,
    MemoryNotFound,
    Quarantined,
    RecentlyForgotten,
    StreamNotFound,
)
from recollect.vocabulary.ids import STREAM, SUSPECT, is_id, new_id
from recollect.vocabulary.memory import Action, HistoryEntry, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role, Space

LEVELS: Final = "memory.levels"
_TRIES: Final = 5


class Change(NamedTuple):
    """A memory before and after, why, and what the index will keep if its words changed."""

    old: Memory
    new: Memory
    action: Action
    indexed: Indexed | None = None


class MemoryKeeper:
    """The write side of memories."""

    def __init__(
        self, database: Database, indexer: Indexer, clock: Clock, shortener: Shortener
    ) -> None:
        self._database = database
        self._shortened = shortener.shortened
        self._placer = MemoryPlacer(database, indexer)
        self._clock = clock

    def drafted(self, draft: Draft, space: Space, viewer: Viewer, now: datetime) -> Memory:
        """The memory that a draft words, with its shorter forms where that is no trouble."""
        return self._shortened(memory_of(draft, space, viewer, now))

    def create(self, viewer: Viewer, space: Space, draft: Draft) -> Memory:
        """Keep a new memory."""
        memory = self.drafted(draft, space, viewer, self._clock())
        indexed = self._placer.indexed(memory)

        def work(transaction: Transaction) -> Memory | Suspect:
            sight = _writer(transaction, viewer, space, alone=False)
            verdict = self.gate(transaction, sight, memory)
            if isinstance(verdict, Suspect):
                return verdict
            return self._add(transaction, sight, verdict, indexed)

        return passed(self._database.write(work))

    def create_all(
        self,
        viewer: Viewer,
        space: Space,
        drafts: Sequence[Draft],
        also: Callable[[Transaction], None] | None = None,
    ) -> list[Memory]:
        """Keep several memories, and what belongs to them, in one transaction or not at all.

        They are embedded in one batch. ``also`` writes beside them; it may run again. One that
        passes on orders from outside is set aside, and what was just forgotten is left out.
        """
        now = self._clock()
        made = [self.drafted(draft, space, viewer, now) for draft in drafts]
        indexed = self._placer.indexed_all(made)

        def work(transaction: Transaction) -> list[Memory]:
            sight = _writer(transaction, viewer, space)
            if also is not None:
                also(transaction)
            kept = [
                self._add_unless(transaction, sight, memory, one)
                for memory, one in zip(made, indexed, strict=True)
            ]
            return [memory for memory in kept if memory is not None]

        return self._database.write(work)

    def _add_unless(
        self, transaction: Transaction, sight: Sight, memory: Memory, indexed: Indexed
    ) -> Memory | None:
        """Keep what was learned, unless it passes on a stranger's orders or was forgotten today.

        What people said themselves in a session may sound like an order, and is one.
        """
        said = "\n".join(text for text in texts_of(memory) if text)
        if memory.provenance.outside and suspicion(said, outside=True):
            verdict = self.gate(transaction, sight, memory)
            if isinstance(verdict, Suspect):
                return None
            memory = verdict
        try:
            return self._add(transaction, sight, memory, indexed)
        except RecentlyForgotten:
            return None

    def prepared(
        self, owner: Viewer, space: Space, drafts: Sequence[Draft]
    ) -> Callable[[Transaction], None]:
        """The same for a job: the slow part now, and a write for the job's own transaction.

        A job sees the whole house, so such memories point at no events and at no stream.
        """
        now = self._clock()
        made = [self.drafted(draft, space, owner, now) for draft in drafts]
        indexed = self._placer.indexed_all(made)
        sight = Sight(space.id, owner, Role.MEMBER)

        def write(transaction: Transaction) -> None:
            for memory, one in zip(made, indexed, strict=True):
                self._add_unless(transaction, sight, memory, one)

        return write

    def change(
        self,
        viewer: Viewer,
        space: Space,
        memory_id: str,
        fields: Mapping[str, Any],
        *,
        revision: int | None = None,
    ) -> Memory:
        """Change some fields of a memory; with a revision, only if it is still that one."""

        def decide(old: Memory) -> Memory:
            if revision is not None and old.revision != revision:
                raise Conflict(
                    f"The memory is at revision {old.revision}, not {revision}. "
                    "Nothing was changed.",
                    hint="Read it again and decide anew.",
                )
            new = updated(old, fields)
            return _rejudged(old, new) if "content" in fields else new

        return self._transform(viewer, space, memory_id, Action.UPDATED, decide)

    def archive(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Put a memory away: out of search and lists, but not lost."""
        now = self._clock()
        return self._transform(
            viewer,
            space,
            memory_id,
            Action.ARCHIVED,
            lambda old: old if old.archived else replace(old, archived_at=now),
        )

    def restore(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Bring a memory back that was put away."""
        return self._transform(
            viewer,
            space,
            memory_id,
            Action.RESTORED,
            lambda old: replace(old, archived_at=None),
        )

    def erase(self, viewer: Viewer, space: Space, memory_id: str) -> None:
        """Take a memory away for good, with its history, its words and its vectors."""

        self._database.write(
            lambda transaction: self.erase_within(
                transaction, _writer(transaction, viewer, space), memory_id
            )
        )

    def erase_within(self, transaction: Transaction, sight: Sight, memory_id: str) -> None:
        """The same inside a transaction of the caller's."""
        memory = found(transaction, sight, memory_id)
        number, _ = number_and_clock(transaction, sight.space_id)
        slot = memories.slot_of(transaction, memory)
        self._placer.remove(transaction, memory, number, slot)
        relations.drop_relations_to(transaction, memory)
        memories.erase_memory(transaction, memory)

    def gate(self, transaction: Transaction, sight: Sight, memory: Memory) -> Memory | Suspect:
        """The memory with the marks of where it came from; or what was set aside in its place."""
        verdict = judge(transaction, sight, memory, texts_of(memory))
        if not verdict.reasons:
            return verdict.memory
        suspect = Suspect(
            new_id(SUSPECT, memory.created_at),
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
        }
        put_suspect(transaction, sight, suspect, fields)
        return suspect

    def indexed(self, memory: Memory) -> Indexed:
        """What the index keeps of a memory; slow, and so done before a transaction."""
        return self._placer.indexed(memory)

    def add_within(
        self, transaction: Transaction, sight: Sight, memory: Memory, indexed: Indexed
    ) -> Memory:
        """Keep a new memory inside a transaction of the caller's."""
        require_role(sight, Role.MEMBER, "keep memories")
        return self._add(transaction, sight, memory, indexed)

    def change_within(
        self, transaction: Transaction, sight: Sight, change: "Change"
    ) -> Memory | None:
        """Change a memory inside a transaction of the caller's; None if somebody was faster."""
        require_role(sight, Role.MEMBER, "keep memories")
        if not self._write(transaction, sight, change):
            return None
        if change.old.provenance != change.new.provenance:
            ties = ("events", "sessions")
            memories.drop_links(transaction, change.old, ties)
            memories.put_links(transaction, change.new, ties)
        return change.new

    def succeed_within(
        self, transaction: Transaction, sight: Sight, old: Memory, successor: Memory, now: datetime
    ) -> None:
        """Let one memory that is kept already end another."""
        require_role(sight, Role.MEMBER, "keep memories")
        relation = Relation(RelationType.SUPERSEDES, successor.id, target_id=old.id)
        relations.put_relation(transaction, sight.space_id, relation)
        self._write(transaction, sight, Change(old, _ended(old, successor, now), Action.SUPERSEDED))

    def supersede(self, viewer: Viewer, space: Space, old_id: str, draft: Draft) -> Memory:
        """Keep a new memory in place of an old one, which stays readable as of its time."""
        now = self._clock()
        memory = replace(memory_of(draft, space, viewer, now), supersedes=old_id)
        indexed = self._placer.indexed(memory)

        def work(transaction: Transaction) -> Memory | Suspect:
            sight = _writer(transaction, viewer, space)
            old = found(transaction, sight, old_id)
            if old.superseded_by:
                raise Conflict(
                    f"{old_id} was already superseded by {old.superseded_by}. Nothing was changed.",
                    hint="Supersede that one instead.",
                )
            verdict = self.gate(transaction, sight, memory)
            if isinstance(verdict, Suspect):
                return verdict
            kept = self._add(transaction, sight, verdict, indexed)
            relation = Relation(RelationType.SUPERSEDES, kept.id, target_id=old_id)
            relations.put_relation(transaction, space.id, relation)
            change = Change(old, _ended(old, kept, now), Action.SUPERSEDED)
            self._write(transaction, sight, change)
            self._spread(transaction, sight, kept, now)
            return kept

        return passed(self._database.write(work))

    def relate(self, viewer: Viewer, space: Space, relation: Relation) -> Relation:
        """Draw an arrow from a memory to another, or to a file; confidence flows along it."""
        now = self._clock()

        def work(transaction: Transaction) -> Relation:
            sight = _writer(transaction, viewer, space)
            source = found(transaction, sight, relation.source_id)
            if relation.target_id:
                found(transaction, sight, relation.target_id)
            relations.put_relation(transaction, space.id, relation)
            self._spread(transaction, sight, source, now)
            return relation

        return self._database.write(work)

    def unrelate(self, viewer: Viewer, space: Space, relation: Relation) -> bool:
        """Take an arrow away; whether it was there."""

        def work(transaction: Transaction) -> bool:
            sight = _writer(transaction, viewer, space)
            found(transaction, sight, relation.source_id)
            if relation.target_id:
                found(transaction, sight, relation.target_id)
            return relations.drop_relation(transaction, space.id, relation)

        return self._database.write(work)

    def _transform(
        self,
        viewer: Viewer,
        space: Space,
        memory_id: str,
        action: Action,
        decide: Callable[[Memory], Memory],
    ) -> Memory:
        """Read, decide, embed; then write if nobody was faster, else begin again."""
        for _ in range(_TRIES):
            now = self._clock()
            with self._database.reading() as transaction:
                old = found(transaction, _writer(transaction, viewer, space), memory_id)
            new = decide(old)
            if not differences(old, new):
                return old
            new = self._shortened(replace(new, updated_at=now, revision=old.revision + 1))
            indexed = self._placer.indexed(new) if needs_embedding(old, new) else None
            change = Change(old, new, action, indexed)
            if self._database.write(self._writing(viewer, space, change)):
                return new
        raise Conflict("Others kept changing the memory. Nothing was changed.", hint="Try again.")

    def _writing(
        self, viewer: Viewer, space: Space, change: Change
    ) -> Callable[[Transaction], bool]:
        def work(transaction: Transaction) -> bool:
            sight = _writer(transaction, viewer, space)
            found(transaction, sight, change.old.id)
            done = self._write(transaction, sight, change)
            if done and change.new.confidence != change.old.confidence:
                self._spread(transaction, sight, change.new, change.new.updated_at)
            return done

        return work

    def _write(self, transaction: Transaction, sight: Sight, change: Change) -> bool:
        """Write a changed memory over the old one, with its place in the index."""
        old, new = change.old, change.new
        values = values_of(new)
        slot = memories.slot_of(transaction, old)
        moves = is_searched(old, new) or old.archived != new.archived
        number, fresh = tick(transaction, sight.space_id)
        if moves:
            values["slot"] = None if new.archived else fresh
        if not memories.change_memory(transaction, old, values, revision=old.revision):
            return False
        self._write_down(transaction, sight, change)
        if moves:
            spot = Spot(number, fresh, memories.audience_of(transaction, new))
            self._placer.move(transaction, new, spot, old=slot, indexed=change.indexed)
        return True

    def _write_down(self, transaction: Transaction, sight: Sight, change: Change) -> None:
        """Tie the memory anew where its ties changed, and put the change in its history."""
        changes = differences(change.old, change.new)
        links = [name for name in LINKS if name in changes]
        memories.drop_links(transaction, change.old, links)
        memories.put_links(transaction, change.new, links)
        entry = HistoryEntry(
            memory_id=change.new.id,
            revision=change.new.revision,
            action=change.action,
            actor=sight.viewer.user,
            at=change.new.updated_at,
            changes=changes,
        )
        memories.add_history(transaction, sight.space_id, entry)
        if change.new.levels.full_tokens is None:  # new words, or the job was not faster than this
            promise_levels(transaction, change.new)

    def _add(
        self, transaction: Transaction, sight: Sight, memory: Memory, indexed: Indexed
    ) -> Memory:
        """Write a new memory with everything that belongs to it; the memory as it was written."""
        require_memory(transaction, sight, memory.provenance.session_id)
        refuse_forgotten(
            transaction, sight, memory.content, unpack_one(indexed.vector), memory.created_at
        )
        check_pointers(transaction, sight, memory)
        if memory.audience.stream is not None:
            memory = replace(memory, audience=_rooted(transaction, sight, memory.audience))
        hold(transaction, [memory.space_id])
        number, slot = tick(transaction, memory.space_id, 2)
        audience = audience_id(transaction, memory.space_id, memory.audience, slot + 1)
        entry = HistoryEntry(
            memory.id, 1, Action.CREATED, memory.provenance.created_by, memory.created_at, {}
        )
        with together(transaction):
            memories.add_memory(transaction, memory, audience, slot)
            self._placer.put(transaction, memory, Spot(number, slot, audience), indexed)
            memories.add_history(transaction, memory.space_id, entry)
            if memory.levels.full_tokens is None:
                promise_levels(transaction, memory)
        if memory.provenance.events:
            signals.notice(
                transaction, memory.space_id, memory.provenance.events, now=memory.created_at
            )
        return memory

    def _spread(
        self, transaction: Transaction, sight: Sight, source: Memory, now: datetime
    ) -> None:
        """Let a memory's confidence flow along its arrows, as far as the sight reaches."""
        seen: dict[str, Memory] = {source.id: source}

        def confidence_of(memory_id: str) -> float | None:
            seen.update(memories.get_memories(transaction, sight, [memory_id]))
            target = seen.get(memory_id)
            return None if target is None else target.confidence

        moves = propagate(
            source.id,
            source.confidence,
            lambda memory_id: relations.relations_of(transaction, seen[memory_id]),
            confidence_of,
        )
        for memory_id, confidence in moves.items():
            old = seen[memory_id]
            new = replace(old, confidence=confidence, updated_at=now, revision=old.revision + 1)
            self._write(transaction, sight, Change(old, new, Action.CONFIDENCE))


def passed(outcome: Memory | Suspect) -> Memory:
    """The memory; an error that says so when it was set aside."""
    if isinstance(outcome, Suspect):
        raise Quarantined(
            f"It was set aside, not remembered: the text {', and '.join(outcome.reasons)} "
            f"({outcome.origin}).",
            hint=f"Look at it with 'recollect quarantine', where it is {outcome.id}.",
        )
    return outcome


def found(transaction: Transaction, sight: Sight, memory_id: str) -> Memory:
    """The memory of that id, if the sight may see it."""
    memory = memories.get_memories(transaction, sight, [memory_id]).get(memory_id)
    if memory is None:
        raise MemoryNotFound(f"No memory {memory_id!r} is visible here.")
    return memory


def check_pointers(transaction: Transaction, sight: Sight, memory: Memory) -> None:
    """What a memory points at must be there and visible to whoever makes it."""
    wanted = memory.provenance.events
    if wanted:
        seen = events.get_events(transaction, sight, wanted)
        missing = [event for event in wanted if event not in seen]
        if missing:
            raise EventNotFound(f"No event {shown(missing[0])} is visible here.")


def _rooted(transaction: Transaction, sight: Sight, audience: Audience) -> Audience:
    """The audience with the stream that decides who may read: a thread follows its root."""
    if audience.stream is None:
        return audience
    known = is_id(audience.stream, STREAM)
    root = streams.root_of(transaction, sight, audience.stream) if known else None
    if root is None:
        raise StreamNotFound(f"No stream {shown(audience.stream)} is visible here.")
    return replace(audience, stream=root)


def promise_levels(transaction: Transaction, memory: Memory) -> None:
    """Promise the shorter forms of a new content."""
    promise(transaction, memory.space_id, LEVELS, {"memory": memory.id}, now=memory.updated_at)


def _rejudged(old: Memory, new: Memory) -> Memory:
    """New words that give orders are marked, whoever brings them."""
    if new.content == old.content or new.provenance.outside:
        return new
    reasons = suspicion(new.content, outside=False)
    return replace(new, needs_review=True, confidence=new.confidence * DISCOUNT) if reasons else new


def _writer(transaction: Transaction, viewer: Viewer, space: Space, *, alone: bool = True) -> Sight:
    """The viewer's sight, when they may write here."""
    sight = look(transaction, viewer, space, alone=alone)
    return require_role(sight, Role.MEMBER, "keep memories")


def _ended(old: Memory, successor: Memory, now: datetime) -> Memory:
    """A superseded memory: no longer valid from when its successor is."""
    end = max(old.valid_from, successor.valid_from)
    return replace(
        old,
        superseded_by=successor.id,
        valid_to=end if old.valid_to is None else min(old.valid_to, end),
        updated_at=now,
        revision=old.revision + 1,
    )
