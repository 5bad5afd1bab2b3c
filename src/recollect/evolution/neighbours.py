"""Compares each memory with its nearest: finds duplicates, contradictions and related memories.

The comparison only reads and returns its findings: a dry run reports them, a run applies them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import numpy as np

from recollect.evolution.plan import ComparedMemory, JudgedPair, NeighbourFindings
from recollect.evolution.rules import ALIKE, LINKED, SCAN_BATCH
from recollect.inference.tasks import Tasks
from recollect.memories.contradictions.memory_pairs import SERIES, judge_memories
from recollect.memories.contradictions.tasks import CONTRADICTION, Claims
from recollect.memories.repeats import comparable, counts_repeat, same_sources, states_something
from recollect.memories.text_comparison import alike, are_distinct, read
from recollect.memories.write_path import WritePath
from recollect.storage.access.visibility_filter import enter
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import contradictions, reads, relations
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Role

#: Range of the rules' scores within which a pair is given to the model, where there is one.
_UNSURE: Final = (0.15, 0.85)
_READ: Final = 500  # words


@dataclass(slots=True)
class _State:
    """What the comparison knows so far: from the store, and from its own earlier findings."""

    #: Memories that merges remove.
    gone: set[str]
    #: Memories whose merge somebody undid: they are not merged again.
    apart: set[str] = field(default_factory=set)
    #: Pairs known as contradictions, open or resolved.
    settled: set[frozenset[str]] = field(default_factory=set)
    #: Pairs that a relation ties.
    tied: set[frozenset[str]] = field(default_factory=set)
    #: The words of every memory in a finding.
    words: dict[str, str] = field(default_factory=dict)
    #: Verdicts of a model, to be stored: the pair, a digest of the words, the verdict, the model.
    judged: list[tuple[tuple[str, str], str, bool, str]] = field(default_factory=list)


class NeighbourComparison:
    """Compares memories with their neighbours; each only with those that its own owner may see."""

    def __init__(self, database: Database, path: WritePath, tasks: Tasks, clock: Clock) -> None:
        self._database = database
        self._path = path
        self._tasks = tasks
        self._clock = clock

    def look(
        self, space_id: str, slots: Mapping[str, int], gone: set[str]
    ) -> tuple[list[ComparedMemory], dict[str, str]]:
        """Compare these memories, in their order; the findings, and the words that were compared.

        ``gone`` are memories that are not compared any more. A verdict of a model is stored at
        once, so that it is asked about a pair only once, whoever asks next.
        """
        ids, compared, state = list(slots), list[ComparedMemory](), _State(set(gone))
        for start in range(0, len(ids), SCAN_BATCH):
            part = ids[start : start + SCAN_BATCH]
            with self._database.reading(all_spaces=True) as transaction:
                state.settled |= contradictions.pairs_with(transaction, space_id, part)
                state.apart |= runs.undone_merges(transaction, space_id)
                read_now = reads.memories_for_jobs(transaction, space_id, part)
                known = {one.id: one for one in read_now}
                for memory_id in part:
                    found = NeighbourFindings()
                    if memory_id in known and memory_id not in state.gone:
                        self._look_around(transaction, known[memory_id], state, found)
                    compared.append(ComparedMemory(memory_id, slots[memory_id], found))
        self._store_verdicts(space_id, state)
        return compared, state.words

    def _look_around(
        self, transaction: Transaction, memory: Memory, state: _State, found: NeighbourFindings
    ) -> None:
        access = _own_access(memory)
        # Read as the owner sees the space: what the index learns under the system's rights must not
        # be used by a search.
        with self._database.reading() as own:
            enter(own, memory.space_id, access.viewer)
            near = self._path.neighbours(own, access, memory)
        others = reads.get_memories(transaction, access, [one for one in near if one != memory.id])
        state.tied |= {
            frozenset((one.source_id, one.target_id or ""))
            for one in relations.relations_of(transaction, memory)
        }
        for other in (others[one] for one in near if one in others):
            if other.id in state.gone or memory.id in state.gone or not comparable(other, memory):
                continue
            if self._compare(transaction, memory, other, state, found):
                state.words |= {memory.id: memory.content, other.id: other.content}
        found.drop(state.gone)  # what goes into another memory is neither linked nor decided
        if len(found.contradictions) >= SERIES:  # items of a series, no change
            found.contradictions.clear()
        state.tied |= {frozenset(one.pair) for one in found.contradictions}

    def _compare(
        self,
        transaction: Transaction,
        memory: Memory,
        other: Memory,
        state: _State,
        found: NeighbourFindings,
    ) -> bool:
        """Whether two memories are to be merged, contradict each other, or are to be linked."""
        nearness = self._nearness(memory.content, other.content)
        pair = frozenset((memory.id, other.id))
        if not pair & state.apart and self._repeats(transaction, other, memory, nearness):
            stays, goes = _which_stays(memory, other)
            found.merges.append((stays.id, goes.id))
            state.gone.add(goes.id)
        elif pair not in state.settled and (
            judged := self._contradicts(transaction, other, memory, state)
        ):
            found.contradictions.append(judged)
            state.settled.add(pair)
        elif pair not in state.tied and nearness >= LINKED and set(memory.files) & set(other.files):
            found.links.append((memory.id, other.id, round(nearness, 3)))
            state.tied.add(pair)
        else:
            return False
        return True

    def _repeats(
        self, transaction: Transaction, other: Memory, memory: Memory, nearness: float
    ) -> bool:
        """Whether two memories say the same and may be merged."""
        if nearness < ALIKE and not alike(
            other.content, memory.content, self._path.lexicon.word_vectors
        ):
            return False
        return (
            counts_repeat(other, memory)
            and not are_distinct(read(other.content), read(memory.content))
            and same_sources(transaction, other, memory)
        )

    def _contradicts(
        self, transaction: Transaction, other: Memory, memory: Memory, state: _State
    ) -> JudgedPair | None:
        """Judge a pair by the rules, or by the model where the rules are unsure and there is a
        model.
        """
        if not (states_something(other) and states_something(memory)):
            return None
        old, new = sorted((other, memory), key=lambda one: (one.valid_from, one.id))
        judged = judge_memories(old, new, self._path.lexicon.word_vectors)
        verdict, by = judged.contradicts, "rules"
        if self._tasks.has_model and _UNSURE[0] < judged.score < _UNSURE[1]:
            verdict, by = self._asked(transaction, old, new, state)
        return JudgedPair((old.id, new.id), judged, by) if verdict else None

    def _asked(
        self, transaction: Transaction, old: Memory, new: Memory, state: _State
    ) -> tuple[bool, str]:
        pair = (old.id, new.id)
        digest = blake2b(f"{old.content}\n{new.content}".encode(), digest_size=16).hexdigest()
        cached = contradictions.stored_judgement(transaction, old.space_id, pair, digest)
        if cached is not None:
            return cached
        claims = Claims(
            old.content, new.content, f"{old.valid_from:%Y-%m-%d}", f"{new.valid_from:%Y-%m-%d}"
        )
        done = self._tasks.run(old.space_id, CONTRADICTION, claims)
        by = done.by if not done.why else "rules"
        if not done.why:
            state.judged.append((pair, digest, done.value.contradicts, by))
        return done.value.contradicts, by

    def _store_verdicts(self, space_id: str, state: _State) -> None:
        """Store what a model judged."""
        if not state.judged:
            return
        asked = sorted({memory_id for pair, *_ in state.judged for memory_id in pair})

        def work(transaction: Transaction) -> None:
            known = {one.id for one in reads.memories_for_jobs(transaction, space_id, asked)}
            for pair, digest, verdict, by in state.judged:
                if known.issuperset(pair):
                    contradictions.put_judgement(
                        transaction,
                        space_id,
                        pair,
                        digest=digest,
                        contradicts=verdict,
                        by=by,
                        at=self._clock(),
                    )

        self._database.write(work, all_spaces=True)

    def _nearness(self, one: str, other: str) -> float:
        vectors = self._path.lexicon.word_vectors
        left = vectors(one.split()[:_READ] or ["-"]).sum(axis=0)
        right = vectors(other.split()[:_READ] or ["-"]).sum(axis=0)
        length = float(np.linalg.norm(left) * np.linalg.norm(right))
        return float(left @ right) / length if length else 0.0


def _own_access(memory: Memory) -> Access:
    """The access of the memory's owner, by which its neighbours are read."""
    audience = memory.audience
    viewer = Viewer(
        audience.owner,
        frozenset(one for one in (audience.team,) if one),
        frozenset(one for one in (audience.organisation,) if one),
    )
    return Access(memory.space_id, viewer, Role.MEMBER)


def _which_stays(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """The memory that stays and the one that goes, of two that say the same, by ``_worth``."""
    ranked = sorted((one, other), key=_worth, reverse=True)
    return ranked[0], ranked[1]


def _worth(memory: Memory) -> tuple[bool, int, int, float]:
    """Sort key: protected memories first, then those that say more, are used more, are older."""
    protected = memory.pinned or memory.user_verified or memory.manually_saved
    said = len(read(memory.content).stems)
    return protected, said, memory.counts.access, -memory.created_at.timestamp()
