"""One batch of a night: its start position, its outcome, and the changes it makes to memories.

Every change is recorded together with the values that undo it.
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

#: Actor of nightly changes in the history of a memory.
ACTOR: Final = "night"


@dataclass(frozen=True, slots=True)
class NightBatch:
    """State of a night at the beginning of a batch."""

    space_id: str
    run_id: str
    started_at: datetime
    step: NightStep
    position: str | None
    counts: Mapping[str, Any]

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
    #: Texts and ids of deleted items, to be removed from the files as well.
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
        """Write a changed memory, and record the values that undo the change."""
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

        The values that undo it were recorded with the first change.
        """
        run = (batch.space_id, batch.run_id)
        if not runs.is_changed(transaction, run, batch.step, update.old.id):
            return self.change(transaction, batch, update)
        return bool(differences(update.old, update.new)) and self._writer.write(
            transaction, batch.access, update
        )


def memories_of(transaction: Transaction, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """Memories read with the system's rights, in the order of their ids."""
    found = reads.memories_for_jobs(transaction, space_id, list(ids)) if ids else []
    return sorted(found, key=lambda one: one.id)


def revised(memory: Memory, now: datetime, **changed: Any) -> Memory:
    """A memory with changed fields and the next revision number."""
    return replace(memory, updated_at=now, revision=memory.revision + 1, **changed)
