"""Operations of nightly maintenance: run a night, consolidate, read reports, undo.

A night changes memories of everybody in a space, so only stewards start and undo it; every member
may read its counts, and its changes of memories that they may see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.evolution.night import Night
from recollect.evolution.night_batch import ACTOR
from recollect.evolution.undo import NightUndoing
from recollect.jobs.handler import Write
from recollect.memories.writer import MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import runs
from recollect.storage.memories import reads
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.arguments import whole
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport, NightUndone
from recollect.vocabulary.ids import NIGHT
from recollect.vocabulary.jobs import Job
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
            result = self.night.plan_consolidation(space.id)
        else:
            result = self.night.consolidate(space.id)
        return self._seen(viewer, space, result)

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
            undoing = NightUndoing(
                transaction, self.writer, space.id, run_id, viewer.user, self.clock()
            )
            return undoing.undo(memory_id)

        return self.database.write(undo, all_spaces=True)

    def _steward(self, viewer: Viewer, space: Space, what: str) -> None:
        with self.database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.STEWARD, what)

    def _seen(self, viewer: Viewer, space: Space, result: Consolidation) -> Consolidation:
        """The result with the ids that the viewer may see; it counts all."""
        every = {one for ids in result.memories.values() for one in ids}
        every |= {one for pairs in result.pairs.values() for pair in pairs for one in pair}
        wanted, seen = sorted(every), set[str]()
        with self.database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            for start in range(0, len(wanted), PAGE_LIMIT):
                part = wanted[start : start + PAGE_LIMIT]
                seen |= set(reads.get_memories(transaction, access, part))
        return replace(
            result,
            memories={
                name: tuple(one for one in ids if one in seen)
                for name, ids in result.memories.items()
            },
            pairs={
                name: tuple(pair for pair in pairs if seen.issuperset(pair))
                for name, pairs in result.pairs.items()
            },
        )


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


__all__ = ["ACTOR", "EvolutionServices", "NightHandler"]
