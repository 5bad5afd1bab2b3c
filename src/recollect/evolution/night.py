"""Nightly maintenance of a space: feedback, uses, forgetting, consolidation, deletion, logs.

A night is a row that holds its current step and position. Every batch is one transaction that does
its work and advances that row, under a lock, so a night that is killed continues where it stopped,
and two nights at once do each batch once. Each step marks what it has done (feedback that was
applied, uses that were counted, memories that are archived), so that running again changes nothing.

Fading is never written: it is computed from the time of the last use. A night writes only where a
threshold is crossed, and its changes can be undone until the memory is deleted.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from recollect.evolution import rules
from recollect.evolution.confidence import ConfidenceSteps
from recollect.evolution.consolidation import ConsolidationSteps
from recollect.evolution.neighbours import NeighbourComparison
from recollect.evolution.night_batch import NightBatch, NightBatchOutcome, NightChanges, Write
from recollect.evolution.retention import ForgettingSteps
from recollect.index.analyser import analyse
from recollect.inference.tasks import Tasks
from recollect.memories.writer import MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import runs
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import NightReport, NightStep
from recollect.vocabulary.ids import NIGHT, new_id

_ONLY: Final = "only_consolidating"


class Night:
    """Runs nights."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        neighbours: NeighbourComparison,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._database = database
        self._clock = clock
        changes = NightChanges(writer)
        confidence = ConfidenceSteps(changes, clock)
        forgetting = ForgettingSteps(database, writer, changes, clock)
        self.consolidation = ConsolidationSteps(
            database, writer, neighbours, tasks=tasks, clock=clock
        )
        self._steps: dict[NightStep, Callable[[NightBatch], Write]] = {
            NightStep.FEEDBACK: confidence.feedback,
            NightStep.USES: confidence.uses,
            NightStep.PRUNE: forgetting.archive,
            NightStep.HALF_LIFE: forgetting.archive,
            NightStep.FORGET: forgetting.archive,
            NightStep.SUMMARISE: self.consolidation.shorten,
            NightStep.COMPRESS: self.consolidation.shorten,
            NightStep.MERGE: self.consolidation.merge,
            NightStep.DELETE: forgetting.delete,
            NightStep.RETENTION: forgetting.retain,
            NightStep.LOGS: forgetting.logs,
        }

    def run(self, space_id: str, *, consolidate_only: bool = False) -> NightReport:
        """Run a night, or continue one that was begun; return its report."""
        run_id = self._begin(space_id, consolidate_only=consolidate_only)
        while True:
            batch = self._batch(space_id, run_id)
            if batch is None:
                break
            self._do(batch)
        with self._database.reading(all_spaces=True) as transaction:
            row = runs.get_run(transaction, space_id, run_id)
        if row is None:
            return NightReport(run_id, self._clock(), None)
        return runs.report_of(row)

    def _begin(self, space_id: str, *, consolidate_only: bool) -> str:
        """Id of the open night, or of a new one."""
        now = self._clock()
        run_id = new_id(NIGHT, now)

        def work(transaction: Transaction) -> str:
            self._hold(transaction, space_id)
            known = runs.open_run(transaction, space_id)
            if known is not None:
                return str(known.run_id)
            steps = rules.CONSOLIDATING if consolidate_only else rules.STEPS
            runs.begin(transaction, space_id, run_id, steps[0].value, now)
            counts: dict[str, Any] = {_ONLY: True} if consolidate_only else {}
            counts |= self._clock_counts(transaction, space_id, now)
            runs.store_progress(
                transaction, space_id, run_id, step=steps[0].value, position=None, counts=counts
            )
            return run_id

        return self._database.write(work, all_spaces=True)

    def _clock_counts(
        self, transaction: Transaction, space_id: str, now: datetime
    ) -> dict[str, int]:
        """Counts that report a clock which does not fit the night before."""
        last = runs.last_finished(transaction, space_id)
        if last is None:
            return {}
        if now < last.started_at:
            return {"clock_went_back": 1}
        gap = now - last.started_at
        return {"clock_jumped_days": gap.days} if gap > rules.CLOCK_JUMP else {}

    def _hold(self, transaction: Transaction, space_id: str) -> None:
        self._database.dialect.acquire_locks(transaction, [f"night {space_id}"])

    def _batch(self, space_id: str, run_id: str) -> NightBatch | None:
        with self._database.reading(all_spaces=True) as transaction:
            row = runs.get_run(transaction, space_id, run_id)
        if row is None or row.finished_at is not None:
            return None
        return NightBatch(
            space_id, run_id, row.started_at, NightStep(row.step), row.position, row.counts or {}
        )

    def _do(self, batch: NightBatch) -> None:
        """Run one batch, unless another process ran it meanwhile."""
        write = self._steps[batch.step](batch) if _wanted(batch) else _nothing

        def work(transaction: Transaction) -> NightBatchOutcome | None:
            self._hold(transaction, batch.space_id)
            row = runs.get_run(transaction, batch.space_id, batch.run_id)
            if row is None or row.finished_at is not None:
                return None
            if (row.step, row.position) != (batch.step.value, batch.position):
                return None
            if (row.counts or {}) != batch.counts:
                return None
            outcome = write(transaction)
            self._move_on(transaction, batch, outcome)
            return outcome

        outcome = self._database.write(work, all_spaces=True)
        if outcome is not None and outcome.erased is not None and outcome.erased[1]:
            texts, ids = outcome.erased
            self._database.erasure.finish(batch.space_id, texts, ids, analyse=analyse, waits=False)

    def _move_on(
        self, transaction: Transaction, batch: NightBatch, outcome: NightBatchOutcome
    ) -> None:
        counts = dict(batch.counts)
        for name, count in outcome.counts.items():
            if isinstance(count, int):
                counts[name] = counts.get(name, 0) + count
            else:
                counts[name] = count
        step, finished = batch.step, None
        if not outcome.more:
            steps = rules.CONSOLIDATING if counts.get(_ONLY) else rules.STEPS
            place = steps.index(batch.step) + 1
            finished = self._clock() if place == len(steps) else None
            step = steps[min(place, len(steps) - 1)]
        runs.store_progress(
            transaction,
            batch.space_id,
            batch.run_id,
            step=step.value,
            position=outcome.position if outcome.more else None,
            counts=counts,
            finished_at=finished,
        )


def _nothing(_: Transaction) -> NightBatchOutcome:
    """Outcome of a step that is skipped tonight."""
    return NightBatchOutcome({})


def _wanted(batch: NightBatch) -> bool:
    """Whether a step runs tonight: steps that depend on age are skipped when the clock went back,
    and deletions also when it jumped.
    """
    if batch.counts.get("clock_went_back") and batch.step in rules.AGEING:
        return False
    deletes = batch.step in (NightStep.DELETE, NightStep.RETENTION)
    return not (batch.counts.get("clock_jumped_days") and deletes)
