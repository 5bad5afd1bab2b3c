"""Nightly maintenance of a space: feedback, uses, forgetting, consolidation, deletion, logs.

A night is a row that holds its current step and position. Every batch is one transaction that does
its work and advances that row, under a lock, so a night that is killed continues where it stopped,
and two nights at once do each batch once. Each step marks what it has done (feedback that was
applied, uses that were counted, memories that are archived), so that running again changes nothing.

Decay is never written: `vocabulary.memory.faded` computes it from the time of the last use. A night
writes only where a threshold is crossed, and its changes can be undone until the memory is deleted.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.evolution import rules
from recollect.evolution.confidence import ConfidenceSteps
from recollect.evolution.consolidation import ConsolidationSteps
from recollect.evolution.neighbours import NeighbourComparison
from recollect.evolution.night_batch import NightBatch, NightBatchOutcome, NightChanges, Write
from recollect.evolution.plan import ConsolidationPlan, ConsolidationTally, planned
from recollect.evolution.retention import ForgettingSteps
from recollect.index.analyser import analyse
from recollect.inference.tasks import Tasks
from recollect.memories.writer import MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import runs
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import Consolidation, NightReport, NightStep
from recollect.vocabulary.ids import NIGHT, new_id


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

    def run(self, space_id: str) -> NightReport:
        """Run a night, or continue one that was begun; return its report.

        A consolidation that was begun and not finished is finished first.
        """
        with self._database.reading(all_spaces=True) as transaction:
            known = runs.open_run(transaction, space_id, consolidates=True)
        if known is not None:
            self._run_batches(space_id, known.run_id)
        run_id = self._begin(space_id, consolidates=False)
        self._run_batches(space_id, run_id)
        with self._database.reading(all_spaces=True) as transaction:
            row = runs.get_run(transaction, space_id, run_id)
        if row is None:
            return NightReport(run_id, self._clock(), None)
        return runs.report_of(row)

    def consolidate(self, space_id: str) -> Consolidation:
        """Consolidate now, or continue a consolidation that was begun; what this call did."""
        tally, waiting = self._run_batches(space_id, self._begin(space_id, consolidates=True))
        return tally.result(dry_run=False, waiting=waiting)

    def plan_consolidation(self, space_id: str) -> Consolidation:
        """What ``consolidate`` would do now; nothing is changed."""
        now = self._clock()
        with self._database.reading(all_spaces=True) as transaction:
            known = runs.open_run(transaction, space_id, consolidates=True)
            counts = self._clock_counts(transaction, space_id, now)
        first = NightBatch(space_id, "", now, rules.CONSOLIDATING[0], None, counts)
        plan = self.consolidation.plan(first if known is None else _batch_of(known))
        return planned(plan).result(dry_run=True, waiting=plan.waiting)

    def _run_batches(self, space_id: str, run_id: str) -> tuple[ConsolidationTally, int]:
        """Do the batches of a run until it is finished; what was consolidated here, and how many
        memories are left for the next time.

        The consolidation is planned when its first batch is due, and by every process for itself.
        """
        plan: ConsolidationPlan | None = None
        tally = ConsolidationTally()
        while True:
            with self._database.reading(all_spaces=True) as transaction:
                row = runs.get_run(transaction, space_id, run_id)
            if row is None or row.finished_at is not None:
                return tally, plan.waiting if plan is not None else 0
            batch = _batch_of(row)
            if plan is None and batch.step in rules.CONSOLIDATING:
                plan = self.consolidation.plan(batch)
            done = self._do(replace(batch, plan=plan))
            if done is not None:
                tally.join(done.tally)

    def _begin(self, space_id: str, *, consolidates: bool) -> str:
        """Id of the open night or consolidation, or of a new one."""
        now = self._clock()
        run_id = new_id(NIGHT, now)

        def work(transaction: Transaction) -> str:
            self._hold(transaction, space_id)
            known = runs.open_run(transaction, space_id, consolidates=consolidates)
            if known is not None:
                return str(known.run_id)
            step = (rules.CONSOLIDATING if consolidates else rules.STEPS)[0]
            runs.begin(transaction, space_id, run_id, step.value, now)
            counts: dict[str, Any] = {runs.CONSOLIDATES: True} if consolidates else {}
            counts |= self._clock_counts(transaction, space_id, now)
            runs.store_progress(
                transaction, space_id, run_id, step=step.value, position=None, counts=counts
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

    def _do(self, batch: NightBatch) -> NightBatchOutcome | None:
        """Run one batch; None if another process ran it meanwhile."""
        write = self._steps[batch.step](batch) if batch.wants(batch.step) else _nothing

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
        return outcome

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
            steps = rules.CONSOLIDATING if counts.get(runs.CONSOLIDATES) else rules.STEPS
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


def _batch_of(row: Any) -> NightBatch:
    """The next batch of a run."""
    return NightBatch(
        row.space_id,
        row.run_id,
        row.started_at,
        NightStep(row.step),
        row.position,
        row.counts or {},
    )
