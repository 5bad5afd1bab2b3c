"""Creates, changes, archives, restores, relates and erases memories.

Each operation is one transaction that writes the row, its history, its words, its vector and its
jobs, or nothing at all. The slow part (embedding) is done before the transaction begins.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import analyse
from recollect.memories.changes import differences, updated
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.index_entries import needs_embedding
from recollect.memories.tombstones import refuse_until
from recollect.memories.write_path import (
    PendingWrite,
    WriteOutcome,
    WritePath,
    Written,
    compares,
    looks_for_repeats,
)
from recollect.memories.write_policy import LEARNED, REMEMBER, WritePolicy
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended, found
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import relations
from recollect.trust.authorisation import authorise, refuse_closed, require_role
from recollect.trust.prompt_injection import suspicion
from recollect.trust.secrets import refuse_secrets
from recollect.trust.taint import DISCOUNT
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    Conflict,
    Quarantined,
)
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.own_wishes import without_wish_tag
from recollect.vocabulary.personal import Suspect
from recollect.vocabulary.spaces import Role, Space

_TRIES: Final = 5


class MemoryKeeper:
    """Write operations on memories, each in a transaction of its own."""

    def __init__(
        self, database: Database, writer: MemoryWriter, path: WritePath, clock: Clock
    ) -> None:
        self._database = database
        self._writer = writer
        self._path = path
        self._clock = clock

    def warm(self) -> None:
        """Load everything that a first write would have to wait for."""
        self._writer.warm()

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of words, by which texts are compared."""
        return self._path.lexicon.word_vectors(words)

    def create(
        self, viewer: Viewer, space: Space, draft: Draft, policy: WritePolicy = REMEMBER
    ) -> Memory:
        """Store a new memory; return the existing one when the new one repeats it."""
        (pending,) = self._prepared(viewer, space, [draft], policy)

        def work(transaction: Transaction) -> Written:
            access = _writer(transaction, viewer, space, exclusive=False)
            if looks_for_repeats(policy):  # who says the same at the same time waits
                key = f"{space.id} {pending.simhash}"
                self._database.dialect.acquire_locks(transaction, [key])
            return self._path.write(transaction, access, pending)

        return stored(self._database.write(work))

    def create_all(
        self,
        viewer: Viewer,
        space: Space,
        drafts: Sequence[Draft],
        also: Callable[[Transaction], None] | None = None,
        then: Callable[[Transaction, Access, Sequence[Memory | None]], None] | None = None,
    ) -> list[Memory]:
        """Store learned memories and what belongs to them in one transaction, or not at all.

        ``also`` writes in the same transaction before, and ``then`` behind, with the memory that
        now holds each draft; both may run again. A memory that passes on instructions from outside
        is quarantined, and one that was just forgotten is left out.
        """
        pending = self._prepared(viewer, space, drafts, LEARNED)

        def work(transaction: Transaction) -> list[Memory]:
            access = _writer(transaction, viewer, space)
            if also is not None:
                also(transaction)
            written = [self._path.write(transaction, access, one) for one in pending]
            kept = _kept(written)
            if then is not None:
                then(transaction, access, [one.memory for one in written])
            return kept

        return self._database.write(work)

    def prepared(
        self, owner: Viewer, space: Space, drafts: Sequence[Draft]
    ) -> Callable[[Transaction], None]:
        """Prepare memories for a job: the slow part now, and a write for the job's own transaction.

        A job may see the whole store, so such memories refer to no events and to no stream.
        """
        pending = self._path.prepare(owner, space, drafts, LEARNED)
        access = Access(space.id, owner, Role.MEMBER)

        def write(transaction: Transaction) -> None:
            for one in pending:
                self._path.write(transaction, access, one)

        return write

    def _prepared(
        self, viewer: Viewer, space: Space, drafts: Sequence[Draft], policy: WritePolicy
    ) -> list[PendingWrite]:
        """Pending writes from drafts: all steps before the transaction."""
        pending = self._path.prepare(viewer, space, drafts, policy)
        if not compares(policy) or not pending:
            return pending
        with self._database.reading() as transaction:
            return self._path.compare(transaction, _writer(transaction, viewer, space), pending)

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


def stored(written: Written) -> Memory:
    """The memory that now holds a text; an error with the reason when there is none."""
    if written.suspect is not None:
        refuse_suspect(written.suspect)
    if written.forgotten_until is not None:
        refuse_until(written.forgotten_until)
    return _kept([written])[0]


def _kept(written: Iterable[Written]) -> list[Memory]:
    """The memories that now hold the texts; an error where memory is off."""
    found: list[Memory] = []
    for one in written:
        if one.outcome is WriteOutcome.CLOSED:
            refuse_closed(one.reason)
        if one.memory is not None:
            found.append(one.memory)
    return found


def refuse_suspect(suspect: Suspect) -> NoReturn:
    """Raise the error that a text was quarantined, with the reason."""
    raise Quarantined(
        f"It was quarantined, not stored: the text {', and '.join(suspect.reasons)} "
        f"({suspect.origin}).",
        hint=f"Review it with 'recollect quarantine'; its id is {suspect.id}.",
    )


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
    steward = access.role is not None and access.role.includes(Role.STEWARD)
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


def _writer(
    transaction: Transaction, viewer: Viewer, space: Space, *, exclusive: bool = True
) -> Access:
    """The viewer's access, if they may write in the space."""
    access = authorise(transaction, viewer, space, exclusive=exclusive)
    return require_role(access, Role.MEMBER, "keep memories")
