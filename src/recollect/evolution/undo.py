"""Undoes what a night did: the earlier values come back, links and open contradictions go.

A night may change a memory in several steps; its changes are undone together, the last one first.
What others changed since is left as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from recollect.evolution.night_batch import SOURCES
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import contradictions, reads, relations
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.evolution import NightStep, NightUndone
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import MemoryType, RelationType
from recollect.vocabulary.spaces import Role

_TIMES: Final = frozenset({"archived_at", "valid_to", "valid_from", "stale_at"})
_LISTS: Final = frozenset({"tags", "files", "modules"})
_LEVELS: Final = frozenset({"summary", "compressed", "index"})


@dataclass(frozen=True, slots=True)
class NightUndoing:
    """Undoes a run, or its changes to one memory, inside the caller's transaction."""

    transaction: Transaction
    writer: MemoryWriter
    space_id: str
    run_id: str
    user: str
    now: datetime

    def undo(self, memory_id: str | None) -> NightUndone:
        """Undo the run; how many changes were undone, and how many were left because others changed
        the memory since.
        """
        rows = [
            row
            for row in runs.changes_of(self.transaction, self.space_id, self.run_id)
            if memory_id is None or row.memory_id == memory_id
        ]
        restored = left = 0
        tying = [row for row in rows if row.step in (NightStep.LINK, NightStep.CONTRADICTIONS)]
        for row in tying:
            done = self._remove_link(row)
            restored, left = restored + done, left + (not done)
        by_memory = sorted((row for row in rows if row not in tying), key=lambda one: one.memory_id)
        for _, changes in groupby(by_memory, key=lambda one: one.memory_id):
            # sorting is stable: the last change of each memory comes first
            undone, changed = self._restore(list(changes))
            restored, left = restored + undone, left + changed
        return NightUndone(restored, left)

    def _restore(self, rows: Sequence[Any]) -> tuple[int, int]:
        """Restore one memory; how many changes were undone, and how many were left."""
        known = reads.memories_for_jobs(self.transaction, self.space_id, [rows[0].memory_id])
        if not known:
            return 0, len(rows)
        memory, before = known[0], dict[str, Any]()
        revision, undone, left = memory.revision, 0, 0
        for row in rows:
            if not row.before:  # the step only noted that it looked at the memory
                self._mark(row)
            elif row.revision == revision:
                before |= row.before
                revision -= 1
                undone += 1
                self._mark(row)
            else:
                left += 1
        if undone:
            access = Access(self.space_id, Viewer(self.user), Role.STEWARD)
            self._remove_relation(memory, before)
            new = replace(
                memory,
                **_restored(before, memory),
                updated_at=self.now,
                revision=memory.revision + 1,
            )
            update = MemoryUpdate(memory, new, Action.RESTORED)
            self.writer.change_within(self.transaction, access, update)
        return undone, left

    def _remove_relation(self, memory: Memory, before: Mapping[str, Any]) -> None:
        """Remove the relation that a merge added."""
        if "superseded_by" in before and memory.superseded_by is not None:
            relation = Relation(RelationType.SUPERSEDES, memory.superseded_by, target_id=memory.id)
            relations.drop_relation(self.transaction, self.space_id, relation)

    def _remove_link(self, row: Any) -> bool:
        """Delete a link, or a contradiction that nobody has decided."""
        other = str((row.before or {}).get(runs.OTHER))
        if row.step == NightStep.CONTRADICTIONS:
            pair = (other, row.memory_id)
            gone = contradictions.drop_open(self.transaction, self.space_id, pair)
            kind = RelationType.CONFLICTS_WITH
        else:
            gone, kind = True, RelationType.REQUIRED_WITH
        if gone:
            relation = Relation(kind, row.memory_id, target_id=other)
            gone = relations.drop_relation(self.transaction, self.space_id, relation)
            self._mark(row)
        return gone

    def _mark(self, row: Any) -> None:
        runs.mark_undone(self.transaction, self.space_id, self.run_id, row.change_id, self.now)


def _restored(before: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    """The earlier values of the changed fields, from the night's record."""
    fields: dict[str, Any] = {}
    levels: dict[str, Any] = {}
    sources: dict[str, Any] = {}
    for name, value in before.items():
        if name in _LEVELS:
            levels[name] = value
        elif name in SOURCES:
            sources[name] = tuple(value)
        elif name in _TIMES:
            fields[name] = None if value is None else datetime.fromisoformat(str(value))
        elif name in _LISTS:
            fields[name] = tuple(value)
        else:
            fields[name] = MemoryType(value) if name == "type" else value
    if levels:
        fields["levels"] = replace(memory.levels, **levels)
    if sources:
        fields["provenance"] = replace(memory.provenance, **sources)
    return fields
