"""Keeps memories: makes them, changes them, puts them away and brings them back.

Each verb is one transaction that writes the row, its history, its words, its vector and the jobs
it wants, or nothing at all. The slow part (embedding) is done before the transaction begins.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.index.analyser import analyse
from recollect.memories.changes import differences, updated
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.index_entries import needs_embedding
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended, found
from recollect.storage.database import Transaction
from recollect.storage.memories import relations
from recollect.trust.injection import suspicion
from recollect.trust.secrets import refuse_secrets
from recollect.trust.taint import DISCOUNT
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.errors import (
    Conflict,
    Quarantined,
)
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role, Space

_TRIES: Final = 5


class MemoryKeeper(MemoryWriter):
    """The write side of memories."""

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

    def prepared(
        self, owner: Viewer, space: Space, drafts: Sequence[Draft]
    ) -> Callable[[Transaction], None]:
        """The same for a job: the slow part now, and a write for the job's own transaction.

        A job sees the whole house, so such memories point at no events and at no stream.
        """
        now = self._clock()
        made = [self.drafted(draft, space, owner, now) for draft in drafts]
        indexed = self._placer.indexed_all(made)
        sight = Access(space.id, owner, Role.MEMBER)

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

        return self._transform(
            viewer, space, memory_id, Action.UPDATED, decide, confirms=_confirms(fields)
        )

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

        def work(transaction: Transaction) -> list[str]:
            sight = _writer(transaction, viewer, space)
            correctable(sight, found(transaction, sight, memory_id))
            return self.erase_within(transaction, sight, memory_id)

        texts = self._database.write(work)
        self._database.erasure.finish(space.id, texts, [memory_id], analyse=analyse, waits=False)

    def supersede(self, viewer: Viewer, space: Space, old_id: str, draft: Draft) -> Memory:
        """Keep a new memory in place of an old one, which stays readable as of its time."""
        now = self._clock()
        memory = replace(memory_of(draft, space, viewer, now), supersedes=old_id)
        indexed = self._placer.indexed(memory)

        def work(transaction: Transaction) -> Memory | Suspect:
            sight = _writer(transaction, viewer, space)
            old = correctable(sight, found(transaction, sight, old_id))
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
            change = MemoryUpdate(old, ended(old, kept, now), Action.SUPERSEDED)
            self._write(transaction, sight, change)
            self._spread(transaction, sight, kept, now)
            return kept

        return passed(self._database.write(work))

    def relate(self, viewer: Viewer, space: Space, relation: Relation) -> Relation:
        """Draw an arrow from a memory to another, or to a file; confidence flows along it."""
        now = self._clock()
        refuse_secrets([relation.target_path], "file")

        def work(transaction: Transaction) -> Relation:
            sight = _writer(transaction, viewer, space)
            source = _source(transaction, sight, relation)
            relations.put_relation(transaction, space.id, relation)
            self._spread(transaction, sight, source, now)
            return relation

        return self._database.write(work)

    def unrelate(self, viewer: Viewer, space: Space, relation: Relation) -> bool:
        """Take an arrow away; whether it was there."""

        def work(transaction: Transaction) -> bool:
            sight = _writer(transaction, viewer, space)
            _source(transaction, sight, relation)
            return relations.drop_relation(transaction, space.id, relation)

        return self._database.write(work)

    def _transform(
        self,
        viewer: Viewer,
        space: Space,
        memory_id: str,
        action: Action,
        decide: Callable[[Memory], Memory],
        *,
        confirms: bool = False,
    ) -> Memory:
        """Read, decide, embed; then write if nobody was faster, else begin again."""
        for _ in range(_TRIES):
            now = self._clock()
            with self._database.reading() as transaction:
                sight = _writer(transaction, viewer, space)
                old = found(transaction, sight, memory_id)
                if not confirms:
                    correctable(sight, old)
            new = decide(old)
            if not differences(old, new):
                return old
            levels = self._shortener.forms(new.content, new.levels)
            new = replace(new, levels=levels, updated_at=now, revision=old.revision + 1)
            indexed = self._placer.indexed(new) if needs_embedding(old, new) else None
            change = MemoryUpdate(old, new, action, indexed)
            if self._database.write(self._writing(viewer, space, change, confirms=confirms)):
                return new
        raise Conflict("Others kept changing the memory. Nothing was changed.", hint="Try again.")

    def _writing(
        self, viewer: Viewer, space: Space, change: MemoryUpdate, *, confirms: bool
    ) -> Callable[[Transaction], bool]:
        def work(transaction: Transaction) -> bool:
            sight = _writer(transaction, viewer, space)
            memory = found(transaction, sight, change.old.id)
            if not confirms:
                correctable(sight, memory)
            done = self._write(transaction, sight, change)
            if done and change.new.confidence != change.old.confidence:
                self._spread(transaction, sight, change.new, change.new.updated_at)
            return done

        return work


def passed(outcome: Memory | Suspect) -> Memory:
    """The memory; an error that says so when it was set aside."""
    if isinstance(outcome, Suspect):
        raise Quarantined(
            f"It was set aside, not remembered: the text {', and '.join(outcome.reasons)} "
            f"({outcome.origin}).",
            hint=f"Look at it with 'recollect quarantine', where it is {outcome.id}.",
        )
    return outcome


def correctable(sight: Access, memory: Memory) -> Memory:
    """The memory, when the sight may change it: it is the viewer's own, or they are a steward."""
    if sight.viewer.user not in (memory.audience.owner, memory.provenance.created_by):
        require_role(sight, Role.STEWARD, "change what another remembered")
    return memory


def _source(transaction: Transaction, sight: Access, relation: Relation) -> Memory:
    """The memory that an arrow begins at, when the sight may draw it and sees both its ends."""
    source = found(transaction, sight, relation.source_id)
    if relation.target_id:
        found(transaction, sight, relation.target_id)
    return correctable(sight, source)


def _confirms(fields: Mapping[str, Any]) -> bool:
    """Whether a change only says that a memory is right, which every member may say."""
    said = {"user_verified": True, "needs_review": False}
    return bool(fields) and all(
        name in said and value is said[name] for name, value in fields.items()
    )


def _rejudged(old: Memory, new: Memory) -> Memory:
    """New words that give orders are marked, whoever brings them."""
    if new.content == old.content or new.provenance.outside:
        return new
    reasons = suspicion(new.content, outside=False)
    return replace(new, needs_review=True, confidence=new.confidence * DISCOUNT) if reasons else new


def _writer(
    transaction: Transaction, viewer: Viewer, space: Space, *, alone: bool = True
) -> Access:
    """The viewer's sight, when they may write here."""
    sight = authorise(transaction, viewer, space, alone=alone)
    return require_role(sight, Role.MEMBER, "keep memories")
