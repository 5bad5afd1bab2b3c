"""Nightly steps that forget: archive, delete after a grace period, and drop old logs."""

from datetime import timedelta

from recollect.evolution import rules
from recollect.evolution.night_batch import (
    NightBatch,
    NightBatchOutcome,
    NightChanges,
    Write,
    memories_of,
    revised,
)
from recollect.evolution.plan import ConsolidationTally
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.pages.event_erasure import erase_older
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import due, runs
from recollect.storage.search.usage_log import drop_retrievals
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.memory import Action


class ForgettingSteps:
    """Archives, deletes, and drops logs."""

    def __init__(
        self, database: Database, writer: MemoryWriter, changes: NightChanges, clock: Clock
    ) -> None:
        self._database = database
        self._writer = writer
        self._changes = changes
        self._clock = clock

    def archive(self, batch: NightBatch) -> Write:
        """Archive memories that are due; they can be restored until their grace period is over."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            now = batch.started_at
            ids, tally = _to_archive(transaction, batch), ConsolidationTally()
            for memory in memories_of(transaction, batch.space_id, batch.planned(ids)):
                new = revised(memory, now, archived_at=now)
                change = MemoryUpdate(memory, new, Action.ARCHIVED)
                if self._changes.change(transaction, batch, change):
                    tally.add(batch.step, memory.id)
            return NightBatchOutcome.scanned(batch, ids, rules.BATCH, tally)

        return write

    def delete(self, batch: NightBatch) -> Write:
        """Delete memories that nights archived and nobody restored, after their grace period."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id = batch.space_id
            before = batch.started_at - rules.GRACE
            nights = runs.last_nights(transaction, space_id, rules.GRACE_NIGHTS)
            if len(nights) < rules.GRACE_NIGHTS:
                return NightBatchOutcome({})
            earliest = min(before, nights[-1].started_at)
            ids = due.over_grace(transaction, space_id, earliest, rules.BATCH)
            texts: list[str] = []
            for memory in memories_of(transaction, space_id, ids):
                texts += self._writer.remove_within(transaction, memory)
            return NightBatchOutcome(
                {"delete": len(ids)}, more=len(ids) == rules.BATCH, erased=(texts, ids)
            )

        return write

    def retain(self, batch: NightBatch) -> Write:
        """Delete items older than the retention period of the space, except pinned memories."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id = batch.space_id
            days = due.retention_days(transaction, space_id)
            if days is None:
                return NightBatchOutcome({})
            before = batch.started_at - timedelta(days=days)
            ids = due.older_than(transaction, space_id, before, rules.BATCH)
            texts: list[str] = []
            for memory in memories_of(transaction, space_id, ids):
                texts += self._writer.remove_within(transaction, memory)
            said = erase_older(
                transaction,
                self._database,
                space_id,
                before,
                now=self._clock(),
                limit=rules.BATCH,
            )
            texts += [text for one in said.values() for text in one]
            return NightBatchOutcome(
                {"retention": len(ids) + len(said)},
                more=rules.BATCH in (len(ids), len(said)),
                erased=(texts, [*ids, *said]),
            )

        return write

    def logs(self, batch: NightBatch) -> Write:
        """Drop old logs."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            started = batch.started_at
            gone = drop_retrievals(
                transaction, batch.space_id, started - rules.LOGS_KEPT, 50 * rules.BATCH
            )
            runs.drop_old(transaction, batch.space_id, started - rules.RUNS_KEPT)
            return NightBatchOutcome({"logs": gone}, more=gone == 50 * rules.BATCH)

        return write


def _to_archive(transaction: Transaction, batch: NightBatch) -> list[str]:
    """Ids of the memories that a step archives tonight, after its current position."""
    now, past = batch.started_at, due.StepCursor(batch.space_id, batch.position or "", rules.BATCH)
    if batch.step is NightStep.PRUNE:
        return due.unused_inferred(transaction, past, now - rules.PRUNED_AFTER)
    if batch.step is NightStep.FORGET:
        return due.superseded_unused(transaction, past, now - rules.SUPERSEDED_AFTER)
    return due.unused_for_half_lives(transaction, past, now, times=rules.HALF_LIVES)
