"""The single write path of memories: every new memory takes these steps, whatever its source.

1. ``prepare``: check and normalise the text, refuse secrets, index and hash it.
2. ``compare``: look for memories that say the same, or that cannot hold beside it.
3. ``write``, inside one transaction: is memory on here, was it forgotten lately, does it pass the
   injection check, is it a repeat (then merge it), and otherwise store it.

``create`` and ``create_all`` take all of them. The slow ones come before the transaction. Repeats
are looked up by SimHash inside it, under a lock, so two clients that say the same thing at once
make one memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms
from recollect.index.indexer import Indexed, Indexer
from recollect.index.search_index import SearchIndex
from recollect.index.vector_index import unpack_one
from recollect.inference.embedder import Lexicon
from recollect.memories.contradictions.judge import (
    PairJudgement,
    may_be_asked_about,
    question_of,
)
from recollect.memories.contradictions.memory_pairs import (
    contradicted_texts,
    is_misquoted,
    note_contradiction,
)
from recollect.memories.drafts import Draft, memory_of
from recollect.memories.inserter import COLLECTION, MemoryInserter, check_pointers
from recollect.memories.repeats import (
    comparable,
    counts_repeat,
    may_contradict,
    same_sources,
    states_something,
    with_repeat,
)
from recollect.memories.required_files import relate_required_files
from recollect.memories.text_comparison import (
    NEAR_BITS,
    alike,
    are_distinct,
    may_share_word,
    read,
    simhash,
)
from recollect.memories.tombstones import near_tombstones, refuse_until
from recollect.memories.write_policy import LEARNED, REMEMBER, OnContradiction, WritePolicy
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.code import graph as code_graph
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import questions, reads, rows
from recollect.storage.memories.tombstones import drop_tombstones
from recollect.trust.authorisation import authorise, closed, refuse_closed, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import Conflict, Quarantined
from recollect.vocabulary.ids import QUESTION, new_id
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.memory_types import OnRepeat
from recollect.vocabulary.personal import Question, Suspect
from recollect.vocabulary.spaces import Role, Space

_CANDIDATES: Final = 8
_TERMS: Final = 12
#: Number of memories with nearly the same SimHash that are compared.
_HASHED: Final = 20


class WriteOutcome(StrEnum):
    """Outcome of writing a text."""

    STORED = "stored"
    MERGED = "merged"  # it repeats a memory, which counts it
    KNOWN = "known"  # it repeats a memory, and was not to be counted
    QUARANTINED = "quarantined"  # it gives orders and came from outside
    FORGOTTEN = "forgotten"  # its person had it forgotten a moment ago
    CLOSED = "closed"  # memory is off here, or the session is incognito


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A memory to be written, with everything computed before the transaction."""

    memory: Memory
    indexed: Indexed
    simhash: int
    policy: WritePolicy
    #: Ids and texts of the memories nearest in meaning, nearest first.
    near: Mapping[str, str] = field(default_factory=dict)
    #: The nearest memories that say the same.
    same: tuple[str, ...] = ()
    #: The memories that the text contradicts, most certain first, with the kind of contradiction.
    against: Mapping[str, PairJudgement] = field(default_factory=dict)
    #: Those of them that the caller knows to contradict: they are asked about in any words.
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """Result of the write path for a text, with the reason."""

    outcome: WriteOutcome
    memory: Memory | None = None
    #: The memory before a repeat was merged into it.
    before: Memory | None = None
    reason: str = ""
    suspect: Suspect | None = None
    question: Question | None = None
    forgotten_until: datetime | None = None


class WritePath:
    """Takes texts through the steps of the write path."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        indexer: Indexer,
        index: SearchIndex,
        clock: Clock,
    ) -> None:
        self._database = database
        self._inserter: MemoryInserter = writer
        self._writer = writer
        self._indexer = indexer
        self._index = index
        self._clock = clock

    # --- all steps --------------------------------------------------------------------------------

    def create(
        self,
        viewer: Viewer,
        space: Space,
        draft: Draft,
        policy: WritePolicy = REMEMBER,
        also: Callable[[Transaction], None] | None = None,
    ) -> Memory:
        """Store a new memory; return the existing one when the new one repeats it. ``also`` writes
        what it cites in the same transaction before, and may run again."""
        (pending,) = self._ready(viewer, space, [draft], policy)

        def work(transaction: Transaction) -> Written:
            access = _writer(transaction, viewer, space, exclusive=False)
            if also is not None:
                also(transaction)
            if looks_for_repeats(policy):  # who says the same at the same time waits
                key = f"{space.id} {pending.simhash}"
                self._database.dialect.acquire_locks(transaction, [key])
            return self.write(transaction, access, pending)

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
        pending = self._ready(viewer, space, drafts, LEARNED)

        def work(transaction: Transaction) -> list[Memory]:
            access = _writer(transaction, viewer, space)
            if also is not None:
                also(transaction)
            written = [self.write(transaction, access, one) for one in pending]
            kept = _kept(written)
            relate_required_files(transaction, kept)
            if then is not None:
                then(transaction, access, [one.memory for one in written])
            return kept

        return self._database.write(work)

    def for_job(
        self, owner: Viewer, space: Space, drafts: Sequence[Draft]
    ) -> Callable[[Transaction], None]:
        """Prepare memories for a job: the slow part now, and a write for the job's own transaction.

        A job may see the whole store, so such memories refer to no events and to no stream.
        """
        pending = self.prepare(owner, space, drafts, LEARNED)
        access = Access(space.id, owner, Role.MEMBER)

        def write(transaction: Transaction) -> None:
            written = [self.write(transaction, access, one).memory for one in pending]
            relate_required_files(transaction, filter(None, written))

        return write

    def _ready(
        self, viewer: Viewer, space: Space, drafts: Sequence[Draft], policy: WritePolicy
    ) -> list[PendingWrite]:
        """Pending writes from drafts: all steps before the transaction."""
        pending = self.prepare(viewer, space, drafts, policy)
        if not compares(policy) or not pending:
            return pending
        with self._database.reading() as transaction:
            return self.compare(transaction, _writer(transaction, viewer, space), pending)

    # --- before the transaction -------------------------------------------------------------------

    def prepare(
        self, viewer: Viewer, space: Space, drafts: Sequence[Draft], policy: WritePolicy
    ) -> list[PendingWrite]:
        """Check and normalise texts, refuse secrets, and compute their index entries."""
        now = self._clock()
        forms = self._inserter.forms
        memories = [memory_of(draft, space, viewer, now, forms) for draft in drafts]
        indexed = self._inserter.indexed_all(memories)
        return [
            PendingWrite(memory, one, simhash(memory.content), policy)
            for memory, one in zip(memories, indexed, strict=True)
        ]

    def compare(
        self, transaction: Transaction, access: Access, pending: Iterable[PendingWrite]
    ) -> list[PendingWrite]:
        """Find the memories that each text repeats or contradicts, by meaning."""
        return [
            self._compared(transaction, access, one) if compares(one.policy) else one
            for one in pending
        ]

    def _compared(
        self, transaction: Transaction, access: Access, pending: PendingWrite
    ) -> PendingWrite:
        near = self._near_in_meaning(transaction, access, pending)
        said = pending.memory.content
        vectors = self.lexicon.word_vectors
        same = [one for one, text in near.items() if alike(text, said, vectors)]
        against: dict[str, PairJudgement] = {}
        related = not same and any(may_share_word(text, said) for text in near.values())
        looked_for = pending.policy.contradictions is not OnContradiction.IGNORE
        if related and looked_for and states_something(pending.memory):
            against = contradicted_texts(near, said, vectors)
        if not same and not against:
            return replace(pending, near=near)
        found = reads.get_memories(transaction, access, [*same, *against])
        against = {
            one: judged
            for one, judged in against.items()
            if one in found
            and states_something(found[one])
            and not is_misquoted(found[one], pending.memory, vectors)
        }
        fit = [
            one
            for one in (*same, *against)
            if one in found and comparable(found[one], pending.memory, pending.policy.tags)
        ]
        if pending.policy.contradictions is not OnContradiction.ASK:
            fit += [one for one in against if may_contradict(found[one], pending.memory)]
        return replace(
            pending,
            near=near,
            same=tuple(one for one in fit if one in same),
            against={one: against[one] for one in fit if one in against},
        )

    def _near_in_meaning(
        self, transaction: Transaction, access: Access, pending: PendingWrite
    ) -> dict[str, str]:
        """Ids and texts of the visible memories nearest to a text, by vector or else by words."""
        now = to_microseconds(self._clock())
        slots: dict[int, None] = {}
        vector = unpack_one(pending.indexed.vector)
        if vector is not None and vector.any():
            model = self._indexer.model
            near = self._index.near(
                transaction, access, COLLECTION, model, vector, moment=now, limit=_CANDIDATES
            )
            slots.update(dict.fromkeys(near))
        terms = [] if slots else query_terms(pending.memory.content)[:_TERMS]
        if terms:
            met = self._index.keywords(
                transaction, access, COLLECTION, terms, moment=now, limit=_CANDIDATES
            )
            slots.update((slot, None) for slot, _ in met)
        found = rows.texts_at(transaction, access, list(slots))
        return dict(found[slot] for slot in slots if slot in found)

    def neighbours(
        self, transaction: Transaction, access: Access, memory: Memory
    ) -> dict[str, str]:
        """Ids and texts of the visible memories nearest to a stored one, itself included.

        Where embedding costs money, the nearest by words.
        """
        by_words = self._indexer.paid
        indexed = Indexed("", 0, None) if by_words else self._inserter.indexed(memory)
        pending = PendingWrite(memory, indexed, 0, WritePolicy())
        return self._near_in_meaning(transaction, access, pending)

    def by_words(
        self, transaction: Transaction, access: Access, terms: Sequence[str], limit: int
    ) -> list[str]:
        """Ids of the visible memories that contain some of the words, best first."""
        if not terms:
            return []
        now = to_microseconds(self._clock())
        met = self._index.keywords(
            transaction, access, COLLECTION, list(terms), moment=now, limit=limit
        )
        found = rows.texts_at(transaction, access, [slot for slot, _ in met])
        return [found[slot][0] for slot, _ in met if slot in found]

    @cached_property
    def lexicon(self) -> Lexicon:
        """Word vectors for the semantic check of repeats: the embedder's, or the bundled ones."""
        if self._indexer.lexicon is not None:
            return self._indexer.lexicon
        from recollect.inference.static_embedder import StaticEmbedder

        return StaticEmbedder()

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of words, by which texts are compared; loaded when they are first asked for."""
        return self.lexicon.word_vectors(words)

    # --- inside the transaction -------------------------------------------------------------------

    def write(self, transaction: Transaction, access: Access, pending: PendingWrite) -> Written:
        """Merge a text into the memory that it repeats, store it, or return why neither."""
        policy = pending.policy
        why = closed(transaction, access, pending.memory.provenance.session_id)
        if why is not None:
            return Written(WriteOutcome.CLOSED, reason=why)
        until = self._forgotten_until(transaction, access, pending)
        if until is not None:
            return Written(WriteOutcome.FORGOTTEN, forgotten_until=until)
        memory = self._inserter.placed(transaction, access, pending.memory)
        if policy.gates_own_words or self._inserter.is_outside_instruction(memory):
            gated = self._inserter.gate(transaction, access, memory)
            if isinstance(gated, Suspect):
                return Written(WriteOutcome.QUARANTINED, suspect=gated)
            memory = gated
        pending = replace(pending, memory=memory)
        known = self._repeated(transaction, access, pending) if looks_for_repeats(policy) else None
        if known is not None:
            return self._merge(transaction, access, known, pending)
        memory = _at_commit(transaction, access, memory)
        stored = self._inserter.insert(
            transaction, access, memory, pending.indexed, pending.simhash
        )
        question = self._settle(transaction, access, stored, pending)
        return Written(WriteOutcome.STORED, stored, question=question)

    def _forgotten_until(
        self, transaction: Transaction, access: Access, pending: PendingWrite
    ) -> datetime | None:
        """Time until which a text is not learned again; None when it may be."""
        if not access.forgot:
            return None
        memory, vector = pending.memory, unpack_one(pending.indexed.vector)
        stones = near_tombstones(transaction, access, memory.content, vector, memory.updated_at)
        if stones and not pending.policy.anyway:
            return max(stone.expires_at for stone in stones)
        if stones:
            drop_tombstones(transaction, access, [stone.id for stone in stones])
        return None

    def _repeated(
        self, transaction: Transaction, access: Access, pending: PendingWrite
    ) -> Memory | None:
        """The memory that already says this: by SimHash first, then by meaning."""
        ids = rows.near_duplicates(transaction, access.space_id, pending.simhash, NEAR_BITS)
        wanted = [*ids[:_HASHED], *pending.same]
        if not wanted:
            return None
        found = reads.get_memories(transaction, access, wanted)
        mine = read(pending.memory.content)
        for memory_id in wanted:
            known = found.get(memory_id)
            if (
                known is not None
                and counts_repeat(
                    known, pending.memory, pending.policy.tags, dated=pending.policy.dated
                )
                and not are_distinct(read(known.content), mine)
                and same_sources(
                    transaction, known, pending.memory, any_open_page=pending.policy.any_open_page
                )
            ):
                return known
        return None

    def _merge(
        self, transaction: Transaction, access: Access, known: Memory, pending: PendingWrite
    ) -> Written:
        """Merge a repeat into its memory: raise the importance, add the new details."""
        if pending.policy.repeats is OnRepeat.SKIP:
            return Written(WriteOutcome.KNOWN, known)
        check_pointers(transaction, access, pending.memory)
        new = with_repeat(known, pending.memory, pending.memory.updated_at)
        change = MemoryUpdate(known, new, Action.UPDATED)
        if self._writer.change_within(transaction, access, change) is None:
            raise Conflict(
                "Others changed the memory at the same time. Nothing was changed.",
                hint="Try again.",
            )
        return Written(WriteOutcome.MERGED, new, before=known)

    def _settle(
        self, transaction: Transaction, access: Access, stored: Memory, pending: PendingWrite
    ) -> Question | None:
        """Record every contradiction; if the policy says so, ask about the most certain one."""
        if not pending.against:
            return None
        standing = [one for one in pending.against if reads.is_active(transaction, access, one)]
        known = reads.get_memories(transaction, access, standing)
        for known_id in standing:
            note_contradiction(
                transaction,
                access.space_id,
                (known_id, stored.id),
                pending.against[known_id],
                stored.updated_at,
                apart=known_id in known and may_contradict(known[known_id], stored),
            )
        if pending.policy.contradictions is not OnContradiction.ASK:
            return None
        asked = [
            one
            for one in standing
            if one in pending.told or may_be_asked_about(pending.near[one], stored.content)
        ]
        if not asked:
            return None
        now, known_id = stored.updated_at, asked[0]
        reason = question_of(pending.near[known_id], stored.content)
        question = Question(new_id(QUESTION, now), known_id, stored.id, reason, now)
        questions.put_question(transaction, access, question)
        return question


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


def _writer(
    transaction: Transaction, viewer: Viewer, space: Space, *, exclusive: bool = True
) -> Access:
    """The viewer's access, if they may write in the space."""
    access = authorise(transaction, viewer, space, exclusive=exclusive)
    return require_role(access, Role.MEMBER, "keep memories")


def compares(policy: WritePolicy) -> bool:
    """Whether known memories are compared before the write."""
    return looks_for_repeats(policy) or policy.contradictions is not OnContradiction.IGNORE


def looks_for_repeats(policy: WritePolicy) -> bool:
    """Whether a known text is not stored a second time."""
    return policy.repeats is not OnRepeat.KEEP


def _at_commit(transaction: Transaction, access: Access, memory: Memory) -> Memory:
    """The memory, if it is about files, with its commit: where none is given, the one that was
    checked out when the code was last indexed."""
    if not memory.files or memory.provenance.commit is not None:
        return memory
    index = code_graph.get_index(transaction, access)
    if index is None or index.commit_sha is None:
        return memory
    return replace(memory, provenance=replace(memory.provenance, commit=index.commit_sha))
