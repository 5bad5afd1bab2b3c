"""Compares each memory with its nearest: finds duplicates, contradictions and related memories.

The comparison only reads and returns its findings, so that a dry run and a run find the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import numpy as np

from recollect.evolution.rules import ALIKE, LINKED
from recollect.inference.tasks import Tasks
from recollect.memories.contradictions.judge import PairJudgement, judge_pair
from recollect.memories.contradictions.tasks import CONTRADICTION, Claims
from recollect.memories.near_duplicates import (
    alike,
    are_distinct,
    comparable,
    counts_repeat,
    read,
    same_sources,
    states_something,
)
from recollect.memories.write_path import SERIES, WritePath
from recollect.storage.access.row_security import enter
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import contradictions, reads, relations
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Role

#: Range of the rules' scores within which a pair is given to the model, where there is one.
_UNSURE: Final = (0.15, 0.85)
_READ: Final = 500  # words


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two contradicting memories, the older first, and the judge: the rules or a model."""

    pair: tuple[str, str]
    judgement: PairJudgement
    by: str


@dataclass(slots=True)
class NeighbourFindings:
    """Findings of a comparison."""

    #: A memory that stays, and one that says the same and is merged into it.
    merges: list[tuple[str, str]] = field(default_factory=list)
    #: Two memories of one file that are near each other, and their nearness.
    links: list[tuple[str, str, float]] = field(default_factory=list)
    contradictions: list[JudgedPair] = field(default_factory=list)
    #: Verdicts of a model, to be stored: the pair, a digest of the words, the verdict, the model.
    judged: list[tuple[tuple[str, str], str, bool, str]] = field(default_factory=list)


class NeighbourComparison:
    """Compares memories with their neighbours; each only with those that its own owner may see."""

    def __init__(self, database: Database, path: WritePath, tasks: Tasks) -> None:
        self._database = database
        self._path = path
        self._tasks = tasks

    def look(self, space_id: str, ids: Sequence[str], gone: set[str]) -> NeighbourFindings:
        """The findings for these memories; ``gone`` are the memories that merges remove."""
        found = NeighbourFindings()
        with self._database.reading(all_spaces=True) as transaction:
            known = {one.id: one for one in reads.memories_for_jobs(transaction, space_id, ids)}
            settled = contradictions.pairs_with(transaction, space_id, ids)
            for memory_id in ids:
                memory = known.get(memory_id)
                if memory is not None and memory_id not in gone:
                    self._look_around(transaction, memory, gone, settled, found)
        return found

    def _look_around(
        self,
        transaction: Transaction,
        memory: Memory,
        gone: set[str],
        settled: set[frozenset[str]],
        found: NeighbourFindings,
    ) -> None:
        access = _own_access(memory)
        # Read as the owner sees the space: what the index learns under the system's rights must not
        # be used by a search.
        with self._database.reading() as own:
            enter(own, memory.space_id, access.viewer)
            near = self._path.neighbours(own, access, memory)
        others = reads.get_memories(transaction, access, [one for one in near if one != memory.id])
        tied = {
            frozenset((one.source_id, one.target_id or ""))
            for one in relations.relations_of(transaction, memory)
        }
        begun = len(found.contradictions)
        for other in others.values():
            if other.id in gone or memory.id in gone or not comparable(other, memory):
                continue
            nearness = self._nearness(memory.content, other.content)
            pair = frozenset((memory.id, other.id))
            if self._repeats(transaction, other, memory, nearness):
                stays, goes = _which_stays(memory, other)
                found.merges.append((stays.id, goes.id))
                gone.add(goes.id)
            elif pair not in settled and self._contradicts(transaction, other, memory, found):
                settled.add(pair)
            elif pair not in tied and nearness >= LINKED and set(memory.files) & set(other.files):
                found.links.append((memory.id, other.id, round(nearness, 3)))
                tied.add(pair)
        if len(found.contradictions) - begun >= SERIES:  # items of a series, no change
            del found.contradictions[begun:]

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
        self, transaction: Transaction, other: Memory, memory: Memory, found: NeighbourFindings
    ) -> bool:
        """Judge a pair by the rules, or by the model where the rules are unsure and there is a
        model.
        """
        if not (states_something(other) and states_something(memory)):
            return False
        old, new = sorted((other, memory), key=lambda one: (one.valid_from, one.id))
        judged = judge_pair(old.content, new.content, self._path.lexicon.word_vectors)
        verdict, by = judged.contradicts, "rules"
        if self._tasks.has_model and _UNSURE[0] < judged.score < _UNSURE[1]:
            verdict, by = self._asked(transaction, old, new, found)
        if verdict:
            found.contradictions.append(JudgedPair((old.id, new.id), judged, by))
        return verdict

    def _asked(
        self, transaction: Transaction, old: Memory, new: Memory, found: NeighbourFindings
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
            found.judged.append((pair, digest, done.value.contradicts, by))
        return done.value.contradicts, by

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
