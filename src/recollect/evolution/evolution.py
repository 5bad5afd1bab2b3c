"""Operations of nightly maintenance: run a night, consolidate, read reports, undo.

A night changes memories of everybody in a space, so only stewards start and undo it; every member
may read its counts, and its changes of memories that they may see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from recollect.evolution.night import Night
from recollect.evolution.night_batch import ACTOR
from recollect.jobs.handler import Write
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import reads
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport, NightUndone
from recollect.vocabulary.ids import NIGHT
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.numbers import whole
from recollect.vocabulary.pagination import PAGE_LIMIT, Page, check_page, page_of
from recollect.vocabulary.spaces import Role, Space


@dataclass(frozen=True, slots=True)
class EvolutionServices:
    """Services that the operations use."""

    database: Database
    writer: MemoryWriter
    night: Night
    clock: Clock

    def run(self, viewer: Viewer, space: Space) -> NightReport:
        """Run a night now."""
        self._steward(viewer, space, "run a night")
        return self.night.run(space.id)

    def consolidate(self, viewer: Viewer, space: Space, *, dry_run: bool) -> Consolidation:
        """Consolidate now, or report what that would do."""
        self._steward(viewer, space, "consolidate")
        if dry_run:
            plan = self.night.consolidation.plan(space.id)
            return replace(plan, memories=self._seen(viewer, space, plan.memories))
        done = self.night.run(space.id, consolidate_only=True)
        named = ("forget", "summarise", "compress", "merge", "link", "contradictions")
        counts = {name: count for name, count in done.counts.items() if name in named and count}
        return Consolidation(dry_run=False, counts=counts)

    def reports(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[NightReport]:
        """Reports of the nights, the latest first."""
        check_page(cursor, limit, NIGHT)
        with self.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.READER, "read reports")
            found = runs.reports(transaction, space.id, before=cursor, limit=limit + 1)
        return page_of(found, limit)

    def changes(
        self, viewer: Viewer, space: Space, run_id: str, *, limit: int
    ) -> tuple[NightChange, ...]:
        """Changes of a night to memories that the viewer may see."""
        whole(limit, 1, PAGE_LIMIT, "A list has")
        with self.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.READER, "read reports")
            if runs.get_run(transaction, space.id, run_id) is None:
                raise NotFound(f"No night {run_id!r} is known here.")
            return tuple(runs.visible_changes(transaction, access, run_id, limit))

    def undo(
        self, viewer: Viewer, space: Space, run_id: str, *, memory_id: str | None
    ) -> NightUndone:
        """Undo a night, or its changes to one memory; memories that others changed since are left
        as they are.
        """

        def work(transaction: Transaction) -> NightUndone:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "undo a night")
            return NightUndone(0, 0)

        self.database.write(work)  # check the rights before anything is read

        def undo(transaction: Transaction) -> NightUndone:
            if runs.get_run(transaction, space.id, run_id) is None:
                raise NotFound(f"No night {run_id!r} is known here.")
            now = self.clock()
            access = Access(space.id, Viewer(viewer.user), Role.STEWARD)
            restored = changed = 0
            for row in runs.changes_of(transaction, space.id, run_id):
                if memory_id is not None and row.memory_id != memory_id:
                    continue
                known = reads.memories_for_jobs(transaction, space.id, [row.memory_id])
                if not known or (row.before and not _untouched(known[0], row)):
                    changed += 1
                    continue
                if row.before:
                    old = known[0]
                    new = replace(
                        old,
                        **_restored(row.before, old),
                        updated_at=now,
                        revision=old.revision + 1,
                    )
                    update = MemoryUpdate(old, new, Action.RESTORED)
                    self.writer.write(transaction, access, update)
                    restored += 1
                runs.mark_undone(transaction, space.id, run_id, row.change_id, now)
            return NightUndone(restored, changed)

        return self.database.write(undo, all_spaces=True)

    def _steward(self, viewer: Viewer, space: Space, what: str) -> None:
        with self.database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.STEWARD, what)

    def _seen(
        self, viewer: Viewer, space: Space, listed: Mapping[str, Sequence[str]]
    ) -> dict[str, tuple[str, ...]]:
        """The ids that the viewer may see."""
        with self.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            every = [one for ids in listed.values() for one in ids]
            seen: set[str] = set()
            for start in range(0, len(every), PAGE_LIMIT):
                part = every[start : start + PAGE_LIMIT]
                seen |= set(reads.get_memories(transaction, access, part))
        return {name: tuple(one for one in ids if one in seen) for name, ids in listed.items()}


class NightHandler:
    """Handler of the job ``evolution.night``: runs a night in each space that has the job."""

    def __init__(self, night: Night) -> None:
        self._night = night

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Run the nights; running twice is harmless, so this happens here and nothing is left to
        write.
        """
        for space_id in sorted({job.space_id for job in jobs}):
            self._night.run(space_id)
        return _nothing


def _nothing(transaction: Transaction) -> None:
    """Write nothing: the night has made its own writes."""


def _untouched(memory: Memory, row: Any) -> bool:
    """Whether only the night, and those who undid it, changed a memory since."""
    return bool(memory.revision == row.revision)


_TIMES: Final = frozenset({"archived_at", "valid_to", "valid_from", "stale_at"})
_LISTS: Final = frozenset({"tags", "files", "modules"})
_LEVELS: Final = frozenset({"summary", "compressed", "index"})


def _restored(before: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    """The earlier values of the changed fields, from the night's record."""
    fields: dict[str, Any] = {}
    levels: dict[str, Any] = {}
    for name, value in before.items():
        if name in _LEVELS:
            levels[name] = value
        elif name in _TIMES:
            fields[name] = None if value is None else datetime.fromisoformat(str(value))
        elif name in _LISTS:
            fields[name] = tuple(value)
        else:
            fields[name] = MemoryType(value) if name == "type" else value
    if levels:
        fields["levels"] = replace(memory.levels, **levels)
    return fields


__all__ = ["ACTOR", "EvolutionServices", "NightHandler"]
