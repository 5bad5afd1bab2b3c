"""One batch of a night: its start position, its outcome, and the changes it makes to memories.

Every change is recorded together with the values that undo it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from recollect.evolution import rules
from recollect.evolution.plan import ConsolidationPlan, ConsolidationTally
from recollect.memories.changes import differences
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Role

#: Actor of nightly changes in the history of a memory.
ACTOR: Final = "night"
#: What a memory points back at, and a merge adds to.
SOURCES: Final = ("events", "sessions")


@dataclass(frozen=True, slots=True)
class NightBatch:
    """State of a night at the beginning of a batch."""

    space_id: str
    run_id: str
    started_at: datetime
    step: NightStep
    position: str | None
    counts: Mapping[str, Any]
    #: What the consolidating steps do tonight.
    plan: ConsolidationPlan | None = None

    def planned(self, ids: Sequence[str]) -> list[str]:
        """Those of the memories that the plan names for this step; all, of a step without one."""
        if self.plan is None or self.step not in self.plan.single:
            return list(ids)
        wanted = frozenset(self.plan.single[self.step])
        return [one for one in ids if one in wanted]

    def wants(self, step: NightStep) -> bool:
        """Whether a step runs tonight: steps that depend on age are skipped when the clock went
        back, and deletions also when it jumped.
        """
        if self.counts.get("clock_went_back") and step in rules.AGEING:
            return False
        deletes = step in (NightStep.DELETE, NightStep.RETENTION)
        return not (self.counts.get("clock_jumped_days") and deletes)

    @property
    def access(self) -> Access:
        """Access of the system itself to the space."""
        return Access(self.space_id, Viewer(ACTOR), Role.STEWARD)


@dataclass(slots=True)
class NightBatchOutcome:
    """Outcome of a batch: counts, the position of the step after it, and whether the step has more
    to do.
    """

    counts: dict[str, Any]
    position: str | None = None
    more: bool = False
    #: What a consolidating step did.
    tally: ConsolidationTally = field(default_factory=ConsolidationTally)
    #: Texts and ids of deleted items, to be removed from the files as well.
    erased: tuple[list[str], list[str]] | None = None

    @classmethod
    def scanned(
        cls, batch: NightBatch, ids: Sequence[str], limit: int, tally: ConsolidationTally
    ) -> "NightBatchOutcome":
        """Of a batch that looked at these ids, in order: a full one may not have been the last."""
        return cls(
            {batch.step.value: 0, **tally.counts()},
            position=ids[-1] if ids else None,
            more=len(ids) == limit,
            tally=tally,
        )


Write = Callable[[Transaction], NightBatchOutcome]


class NightChanges:
    """Changes memories on behalf of a night."""

    def __init__(self, writer: MemoryWriter) -> None:
        self._writer = writer

    def change(
        self,
        transaction: Transaction,
        batch: NightBatch,
        update: MemoryUpdate,
    ) -> bool:
        """Write a changed memory, and record the values that undo the change."""
        before = values_before(update.old, update.new)
        if not before or not self._writer.change_within(transaction, batch.access, update):
            return False
        self.record(transaction, batch, batch.step, update.new, before)
        return True

    def record(
        self,
        transaction: Transaction,
        batch: NightBatch,
        step: NightStep,
        memory: Memory,
        before: Mapping[str, Any],
    ) -> None:
        """Record what undoes a change of a memory."""
        runs.add_change(
            transaction,
            (batch.space_id, batch.run_id),
            (memory.id, memory.revision),
            step,
            before=before,
            at=batch.started_at,
        )


def values_before(old: Memory, new: Memory) -> dict[str, Any]:
    """The values that a change replaces."""
    before = {name: before for name, (before, _) in differences(old, new).items()}
    for name in SOURCES:
        if getattr(old.provenance, name) != getattr(new.provenance, name):
            before[name] = list(getattr(old.provenance, name))
    return before


def memories_of(transaction: Transaction, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """Memories read with the system's rights, in the order of their ids."""
    found = reads.memories_for_jobs(transaction, space_id, list(ids)) if ids else []
    return sorted(found, key=lambda one: one.id)


def revised(memory: Memory, now: datetime, **changed: Any) -> Memory:
    """A memory with changed fields and the next revision number."""
    return replace(memory, updated_at=now, revision=memory.revision + 1, **changed)
