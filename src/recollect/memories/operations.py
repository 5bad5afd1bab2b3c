"""Changes, archives, restores, supersedes, relates and erases memories.

Each operation is one transaction that writes the row, its history, its words, its vector and its
jobs, or nothing at all. The slow part (embedding) is done before the transaction begins.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.index.analyser import analyse
from recollect.memories.changes import differences, updated
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.inserter import needs_embedding
from recollect.memories.write_path import WritePath, refuse_suspect
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended, found
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads, relations
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.prompt_injection import DISCOUNT, suspicion
from recollect.trust.secrets import refuse_secrets
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    Conflict,
)
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.own_wishes import without_wish_tag
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import AT_LEAST, Role, Space

_TRIES: Final = 5


class MemoryKeeper:
    """Write operations on memories, each in a transaction of its own."""

    def __init__(
        self, database: Database, writer: MemoryWriter, path: WritePath, clock: Clock
    ) -> None:
        self._database = database
        self._writer = writer
        #: Stores new memories.
        self.path = path
        self._clock = clock

    def warm(self) -> None:
        """Load everything that a first write would have to wait for."""
        self._writer.warm()

    def is_taught_in(self, viewer: Viewer, space: Space, event: str) -> bool:
        """Whether a person taught a memory in this event."""
        with self._database.reading() as transaction:
            return reads.is_taught_in(transaction, authorise(transaction, viewer, space), event)

    def change(
        self,
        viewer: Viewer,
        space: Space,
        memory_id: str,
        fields: Mapping[str, Any],
        *,
        revision: int | None = None,
    ) -> Memory:
        """Change some fields of a memory; with a revision, only if that one is still current."""

        def decide(old: Memory) -> Memory:
            if revision is not None and old.revision != revision:
                raise Conflict(
                    f"The memory is at revision {old.revision}, not {revision}. "
                    "Nothing was changed.",
                    hint="Read it again and decide again.",
                )
            new = updated(old, fields)
            return _rejudged(old, new) if "content" in fields else new

        return self._transform(
            viewer,
            space,
            memory_id,
            Action.UPDATED,
            decide,
            confirms=_confirms(fields),
            adopts=fields.get("user_verified") is True or fields.get("pinned") is True,
        )

    def archive(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Archive a memory: out of search and lists, but not lost."""
        now = self._clock()
        return self._transform(
            viewer,
            space,
            memory_id,
            Action.ARCHIVED,
            lambda old: old if old.archived else replace(old, archived_at=now),
        )

    def restore(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Restore an archived memory."""
        return self._transform(
            viewer,
            space,
            memory_id,
            Action.RESTORED,
            lambda old: replace(old, archived_at=None),
        )

    def erase(self, viewer: Viewer, space: Space, memory_id: str) -> None:
        """Erase a memory for good, with its history, its words and its vectors."""

        def work(transaction: Transaction) -> list[str]:
            access = authorise(transaction, viewer, space)
            correctable(access, found(transaction, access, memory_id))
            return self._writer.erase_within(transaction, access, memory_id)

        texts = self._database.write(work)
        self._database.erasure.finish(space.id, texts, [memory_id], analyse=analyse, waits=False)

    def supersede(self, viewer: Viewer, space: Space, old_id: str, draft: Draft) -> Memory:
        """Store a new memory that supersedes an old one, which stays readable as of its time."""
        now = self._clock()
        memory = replace(memory_of(draft, space, viewer, now), supersedes=old_id)
        indexed = self._writer.indexed(memory)

        def work(transaction: Transaction) -> Memory | Suspect:
            access = authorise(transaction, viewer, space)
            old = correctable(access, found(transaction, access, old_id))
            if old.superseded_by:
                raise Conflict(
                    f"{old_id} was already superseded by {old.superseded_by}. Nothing was changed.",
                    hint="Supersede that one instead.",
                )
            verdict = self._writer.gate(transaction, access, memory)
            if isinstance(verdict, Suspect):
                return verdict
            kept = self._writer.add_within(transaction, access, verdict, indexed)
            relation = Relation(RelationType.SUPERSEDES, kept.id, target_id=old_id)
            relations.put_relation(transaction, space.id, relation)
            change = MemoryUpdate(old, ended(old, kept, now), Action.SUPERSEDED)
            self._writer.write(transaction, access, change)
            self._writer.propagate_confidence(transaction, access, kept, now)
            return kept

        return _not_suspect(self._database.write(work))

    def relate(self, viewer: Viewer, space: Space, relation: Relation) -> Relation:
        """Relate a memory to another or to a file; confidence flows along the relation."""
        now = self._clock()
        refuse_secrets([relation.target_path], "file")

        def work(transaction: Transaction) -> Relation:
            access = authorise(transaction, viewer, space)
            source = _source(transaction, access, relation)
            relations.put_relation(transaction, space.id, relation)
            self._writer.propagate_confidence(transaction, access, source, now)
            return relation

        return self._database.write(work)

    def unrelate(self, viewer: Viewer, space: Space, relation: Relation) -> bool:
        """Remove a relation; return whether it existed."""

        def work(transaction: Transaction) -> bool:
            access = authorise(transaction, viewer, space)
            _source(transaction, access, relation)
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
        adopts: bool = False,
    ) -> Memory:
        """Read, decide and embed; then write if nothing changed meanwhile, else start again."""
        for _ in range(_TRIES):
            now = self._clock()
            with self._database.reading() as transaction:
                access = authorise(transaction, viewer, space)
                old = _changeable(access, found(transaction, access, memory_id), confirms)
            new = _adopted(access, decide(old)) if adopts else decide(old)
            if not differences(old, new):
                return old
            levels = self._writer.forms(new.content, new.levels, new.type, new.extras)
            new = replace(new, levels=levels, updated_at=now, revision=old.revision + 1)
            indexed = self._writer.indexed(new) if needs_embedding(old, new) else None
            change = MemoryUpdate(old, new, action, indexed)
            if self._database.write(self._writing(viewer, space, change, confirms=confirms)):
                return new
        raise Conflict(
            "Others changed the memory at the same time. Nothing was changed.", hint="Try again."
        )

    def _writing(
        self, viewer: Viewer, space: Space, change: MemoryUpdate, *, confirms: bool
    ) -> Callable[[Transaction], bool]:
        def work(transaction: Transaction) -> bool:
            access = authorise(transaction, viewer, space)
            _changeable(access, found(transaction, access, change.old.id), confirms)
            done = self._writer.write(transaction, access, change)
            if done and change.new.confidence != change.old.confidence:
                self._writer.propagate_confidence(
                    transaction, access, change.new, change.new.updated_at
                )
            return done

        return work


def _not_suspect(outcome: Memory | Suspect) -> Memory:
    return refuse_suspect(outcome) if isinstance(outcome, Suspect) else outcome


def correctable(access: Access, memory: Memory) -> Memory:
    """The memory, if the access may change it: as its owner or as a steward."""
    if access.viewer.user not in (memory.audience.owner, memory.provenance.created_by):
        require_role(access, Role.STEWARD, "change what another remembered")
    else:
        require_role(access, Role.MEMBER, "keep memories")
    return memory


def _changeable(access: Access, memory: Memory, confirms: bool) -> Memory:
    """The memory, if the access may change it, or confirm it, which every member may do."""
    if confirms:
        require_role(access, Role.MEMBER, "confirm memories")
        return memory
    return correctable(access, memory)


def _adopted(access: Access, memory: Memory) -> Memory:
    """The memory that somebody confirms: one person's wish becomes the project's by the word of a
    second person or a steward. Its author alone, as a member, changes nothing in whose it is."""
    author = access.viewer.user == memory.provenance.created_by
    steward = access.role in AT_LEAST[Role.STEWARD]
    if author and not steward:
        return memory
    return replace(memory, tags=without_wish_tag(memory.tags))


def _source(transaction: Transaction, access: Access, relation: Relation) -> Memory:
    """Source memory of a relation, if the access may add the relation and sees both ends."""
    source = found(transaction, access, relation.source_id)
    if relation.target_id:
        found(transaction, access, relation.target_id)
    return correctable(access, source)


def _confirms(fields: Mapping[str, Any]) -> bool:
    """Whether a change only confirms a memory, which every member may do."""
    said = {"user_verified": True, "needs_review": False}
    return bool(fields) and all(
        name in said and value is said[name] for name, value in fields.items()
    )


def _rejudged(old: Memory, new: Memory) -> Memory:
    """The changed memory; new words that give instructions need review, whoever wrote them."""
    if new.content == old.content or new.provenance.outside:
        return new
    reasons = suspicion(new.content, outside=False)
    return replace(new, needs_review=True, confidence=new.confidence * DISCOUNT) if reasons else new
