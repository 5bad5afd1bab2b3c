"""Nightly steps that change confidence: by feedback on answers, and by use."""

from recollect.evolution import rules
from recollect.evolution.night_batch import (
    NightBatch,
    NightBatchOutcome,
    NightChanges,
    Write,
    memories_of,
    revised,
)
from recollect.memories.writer import MemoryUpdate
from recollect.storage.database import Transaction
from recollect.storage.evolution import due, runs
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Action
from recollect.vocabulary.retrievals import Verdict


class ConfidenceSteps:
    """Changes confidence by feedback and by use."""

    def __init__(self, changes: NightChanges, clock: Clock) -> None:
        self._changes = changes
        self._clock = clock

    def feedback(self, batch: NightBatch) -> Write:
        """Apply feedback on answers, each row once."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id, now = batch.space_id, self._clock()
            rows = due.feedback_to_apply(transaction, space_id, batch.started_at, rules.BATCH)
            whole = [row.retrieval_id for row in rows if row.item_id is None]
            served = due.served_memories(transaction, space_id, whole) if whole else {}
            said: dict[str, list[float]] = {}
            for row in rows:
                move = rules.VERDICTS.get(Verdict(row.verdict))
                items = [row.item_id] if row.item_id else served.get(row.retrieval_id, [])
                for item in items if move else ():
                    said.setdefault(item, []).append(move or 0.0)
            moved = 0
            for memory in memories_of(transaction, space_id, list(said)):
                sure = memory.confidence
                for move in said[memory.id]:
                    sure = min(rules.MAX_CONFIDENCE, max(rules.LEAST_CONFIDENCE, sure + move))
                new = revised(memory, now, confidence=round(sure, 6))
                update = MemoryUpdate(memory, new, Action.CONFIDENCE)
                moved += self._changes.change(transaction, batch, update)
            due.mark_applied(transaction, space_id, [row.feedback_id for row in rows], now)
            counts = {"feedback": moved, "feedback_rows": len(rows)}
            return NightBatchOutcome(counts, more=len(rows) == rules.BATCH)

        return write

    def uses(self, batch: NightBatch) -> Write:
        """Raise the confidence of memories that were used often and never corrected."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id, now = batch.space_id, self._clock()
            rows = due.often_used(
                transaction, space_id, batch.position or "", step=rules.USES, limit=rules.BATCH
            )
            ids = [row.memory_id for row in rows]
            wrong = due.corrected(transaction, space_id, ids) if ids else set()
            known = {one.id: one for one in memories_of(transaction, space_id, ids)}
            moved = 0
            for row in rows:
                memory = known.get(row.memory_id)
                if memory is None or row.memory_id in wrong or memory.disputed:
                    continue
                times = row.access_count // rules.USES - row.counted // rules.USES
                new = revised(
                    memory,
                    now,
                    confidence=_trusted(memory.confidence, times),
                    needs_review=memory.needs_review and row.access_count < rules.USES_LIFT_REVIEW,
                )
                moved += self._changes.change(
                    transaction, batch, MemoryUpdate(memory, new, Action.CONFIDENCE)
                )
            runs.put_counted(
                transaction, space_id, {row.memory_id: row.access_count for row in rows}
            )
            more = len(rows) == rules.BATCH
            return NightBatchOutcome({"uses": moved}, position=ids[-1] if ids else None, more=more)

        return write


def _trusted(confidence: float, times: int) -> float:
    """A confidence after this number of rewards for use; unchanged where it is already higher than
    rewards can reach.
    """
    if confidence >= rules.USES_UP_TO:
        return confidence
    return round(min(rules.USES_UP_TO, confidence + times * rules.USES_ADD), 6)
