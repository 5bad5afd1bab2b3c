"""What a consolidation does to a space: planned once, and then either reported or applied.

A dry run prints the plan, a run applies it, so the two cannot differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.memories.contradictions.judge import PairJudgement
from recollect.vocabulary.evolution import Consolidation, NightStep

#: Steps that concern two memories, and which of the two is changed or named first.
_CONCERNED: Final = {NightStep.MERGE: 1, NightStep.LINK: 0, NightStep.CONTRADICTIONS: 1}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two contradicting memories, the older first, and the judge: the rules or a model."""

    pair: tuple[str, str]
    judgement: PairJudgement
    by: str


@dataclass(slots=True)
class NeighbourFindings:
    """Findings of comparing one memory with its neighbours."""

    #: A memory that stays, and one that says the same and is merged into it.
    merges: list[tuple[str, str]] = field(default_factory=list)
    #: Two memories of one file that are near each other, and their nearness.
    links: list[tuple[str, str, float]] = field(default_factory=list)
    contradictions: list[JudgedPair] = field(default_factory=list)

    def drop(self, gone: set[str]) -> None:
        """Drop links and contradictions of memories that are merged into others."""
        self.links = [one for one in self.links if gone.isdisjoint(one[:2])]
        self.contradictions = [one for one in self.contradictions if gone.isdisjoint(one.pair)]

    def ids(self) -> set[str]:
        """Every memory that a finding is about."""
        pairs = [*self.merges, *((one, other) for one, other, _ in self.links)]
        pairs += [one.pair for one in self.contradictions]
        return {memory_id for pair in pairs for memory_id in pair}


@dataclass(frozen=True, slots=True)
class ComparedMemory:
    """A memory that is compared with its neighbours, its slot, and the findings."""

    memory_id: str
    slot: int
    found: NeighbourFindings


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """Everything that a consolidation will do, in the order of its steps."""

    #: Memories to archive, to summarise and to compress.
    single: Mapping[NightStep, Sequence[str]]
    #: Memories to compare, by slot.
    compared: Sequence[ComparedMemory]
    #: The words that were compared, by memory; what others changed meanwhile is left alone.
    words: Mapping[str, str]
    #: Number of memories that are left for the next consolidation.
    waiting: int = 0

    def after(self, slot: int, count: int) -> Sequence[ComparedMemory]:
        """The next memories to compare."""
        return [one for one in self.compared if one.slot > slot][:count]


class ConsolidationTally:
    """Counts what a consolidation did, or would do, and names the memories."""

    def __init__(self) -> None:
        self._ids: dict[NightStep, list[str]] = {}
        self._pairs: dict[NightStep, list[tuple[str, str]]] = {}

    def add(self, step: NightStep, memory_id: str) -> None:
        """Count a memory that a step changes."""
        self._ids.setdefault(step, []).append(memory_id)

    def add_pair(self, step: NightStep, pair: tuple[str, str]) -> None:
        """Count two memories that a step handles together: the one that stays and the one that
        goes, the two ends of a link, or the older and the newer claim.
        """
        self._pairs.setdefault(step, []).append(pair)

    def join(self, other: "ConsolidationTally") -> None:
        """Add what another tally counted."""
        for step, ids in other._ids.items():
            self._ids.setdefault(step, []).extend(ids)
        for step, pairs in other._pairs.items():
            self._pairs.setdefault(step, []).extend(pairs)

    def counts(self) -> dict[str, int]:
        """Counts by step."""
        return {step.value: len(found) for step, found in (self._ids | self._pairs).items()}

    def result(self, *, dry_run: bool, waiting: int) -> Consolidation:
        """The result of a consolidation."""
        concerned = self._ids | {
            step: [pair[_CONCERNED[step]] for pair in pairs] for step, pairs in self._pairs.items()
        }
        return Consolidation(
            dry_run=dry_run,
            counts=self.counts(),
            memories={step.value: tuple(ids) for step, ids in concerned.items()},
            pairs={step.value: tuple(pairs) for step, pairs in self._pairs.items()},
            waiting=waiting,
        )


def planned(plan: ConsolidationPlan) -> ConsolidationTally:
    """What a plan would do."""
    tally = ConsolidationTally()
    for step, ids in plan.single.items():
        for memory_id in ids:
            tally.add(step, memory_id)
    for one in plan.compared:
        for pair in one.found.merges:
            tally.add_pair(NightStep.MERGE, pair)
        for source, target, _ in one.found.links:
            tally.add_pair(NightStep.LINK, (source, target))
        for judged in one.found.contradictions:
            tally.add_pair(NightStep.CONTRADICTIONS, judged.pair)
    return tally
