"""One batch of a night: where the night stands, what the batch did, and how it changes a memory.

Every change that a batch makes is written down with what undoes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from recollect.memories.changes import differences
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.spaces import Role

#: Who did it, as the history of a memory tells it.
ACTOR: Final = "night"


@dataclass(frozen=True, slots=True)
class NightBatch:
    """Where a night stands as a batch of it begins."""

    space_id: str
    run_id: str
    started_at: datetime
    step: NightStep
    position: str | None
    counts: Mapping[str, Any]

    @property
    def access(self) -> Access:
        """The system's own hand in the space."""
        return Access(self.space_id, Viewer(ACTOR), Role.STEWARD)


@dataclass(slots=True)
class NightBatchOutcome:
    """What a batch did: how much, where the step stands after it, and whether the step is over."""

    counts: dict[str, Any]
    position: str | None = None
    more: bool = False
    #: Texts and ids of what was deleted, for the files to be rid of.
    erased: tuple[list[str], list[str]] | None = None


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
        step: NightStep | None = None,
    ) -> bool:
        """Write a changed memory, with what undoes it."""
        changed = differences(update.old, update.new)
        if not changed or not self._writer.write(transaction, batch.access, update):
            return False
        runs.add_change(
            transaction,
            (batch.space_id, batch.run_id),
            (update.new.id, update.new.revision),
            step or batch.step,
            before={name: before for name, (before, _) in changed.items()},
            at=batch.started_at,
        )
        return True

    def change_again(
        self, transaction: Transaction, batch: NightBatch, update: MemoryUpdate
    ) -> bool:
        """Write a change of a step that may meet a memory in several batches of one night.

        What undoes it was written down the first time.
        """
        run = (batch.space_id, batch.run_id)
        if not runs.is_changed(transaction, run, batch.step, update.old.id):
            return self.change(transaction, batch, update)
        return bool(differences(update.old, update.new)) and self._writer.write(
            transaction, batch.access, update
        )


def memories_of(transaction: Transaction, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """Memories of the system's work, in the order of their ids."""
    found = reads.memories_for_jobs(transaction, space_id, list(ids)) if ids else []
    return sorted(found, key=lambda one: one.id)


def revised(memory: Memory, now: datetime, **changed: Any) -> Memory:
    """A memory with something changed, one revision further."""
    return replace(memory, updated_at=now, revision=memory.revision + 1, **changed)
