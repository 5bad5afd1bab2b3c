"""Nightly steps that consolidate: shorten episodes, merge duplicates, link, find contradictions.

All of it is planned at once and then applied in batches; a dry run reports the plan. What others
changed between the plan and its application is left alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.evolution import rules
from recollect.evolution.neighbours import NeighbourComparison
from recollect.evolution.night_batch import (
    NightBatch,
    NightBatchOutcome,
    NightChanges,
    Write,
    memories_of,
    revised,
)
from recollect.evolution.plan import (
    ComparedMemory,
    ConsolidationPlan,
    ConsolidationTally,
    JudgedPair,
)
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import SUMMARY, Text
from recollect.memories.changes import differences
from recollect.memories.contradictions.memory_pairs import note_contradiction
from recollect.memories.repeats import is_active, with_repeat
from recollect.memories.short_forms import filled_levels, typed_form
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import due, runs
from recollect.storage.memories import relations
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import NightStep
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType

_SUMMARY_WORDS: Final = 60
_SCANNED: Final = "scanned"
_LOOKED_AT: Final = "looked_at"
_ALL: Final = 1_000_000
_NOTHING_FOUND: Final = {
    one.value: 0 for one in (NightStep.MERGE, NightStep.LINK, NightStep.CONTRADICTIONS)
}


class ConsolidationSteps:
    """Plans a consolidation, and applies its plan."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        neighbours: NeighbourComparison,
        *,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._database = database
        self._changes = NightChanges(writer)
        self._neighbours = neighbours
        self._tasks = tasks
        self._clock = clock

    def plan(self, batch: NightBatch) -> ConsolidationPlan:
        """Plan what is left to do from the beginning of a batch; nothing is changed.

        Where a model judges contradictions, its verdicts are stored, so that it judges each pair
        once.
        """
        space_id, until = batch.space_id, batch.started_at
        with self._database.reading(all_spaces=True) as transaction:
            forget = self._due(transaction, batch, NightStep.FORGET)
            gone = set(forget)
            single = {NightStep.FORGET: forget} | {
                step: [one for one in self._due(transaction, batch, step) if one not in gone]
                for step in (NightStep.SUMMARISE, NightStep.COMPRESS)
            }
            begin = _position(transaction, batch)
            most = max(0, rules.MAX_SCANNED - int(batch.counts.get(_LOOKED_AT, 0)))
            slots = due.stored_after(transaction, space_id, begin, until, most)
            last = max(slots.values(), default=begin)
            waiting = due.count_stored_after(transaction, space_id, last, until)
        compared, words = self._neighbours.look(space_id, slots, gone)
        return ConsolidationPlan(single, compared, words, waiting)

    def _due(self, transaction: Transaction, batch: NightBatch, step: NightStep) -> list[str]:
        """Memories that a step of a single memory still has to process."""
        order = rules.CONSOLIDATING.index
        if order(step) < order(batch.step) or not batch.wants(step):
            return []
        after = batch.position or "" if step is batch.step else ""
        past, now = due.StepCursor(batch.space_id, after, _ALL), batch.started_at
        if step is NightStep.FORGET:
            return due.superseded_unused(transaction, past, now - rules.SUPERSEDED_AFTER)
        return due.episodes_to_shorten(transaction, past, step, now - _AGES[step])

    def shorten(self, batch: NightBatch) -> Write:
        """Give old episodes their shorter forms; the full text stays."""
        with self._database.reading(all_spaces=True) as transaction:
            past = due.StepCursor(batch.space_id, batch.position or "", rules.SCAN_BATCH)
            older = batch.started_at - _AGES[batch.step]
            ids = due.episodes_to_shorten(transaction, past, batch.step, older)
            known = memories_of(transaction, batch.space_id, batch.planned(ids))
        shorter = [self._shortened(batch, memory) for memory in known]

        def write(transaction: Transaction) -> NightBatchOutcome:
            tally = ConsolidationTally()
            for old, new in zip(known, shorter, strict=True):
                if not differences(old, new):
                    self._changes.record(transaction, batch, batch.step, old, {})
                    tally.add(batch.step, old.id)
                elif self._changes.change(
                    transaction, batch, MemoryUpdate(old, new, Action.UPDATED)
                ):
                    tally.add(batch.step, old.id)
            return NightBatchOutcome.scanned(batch, ids, rules.SCAN_BATCH, tally)

        return write

    def _shortened(self, batch: NightBatch, memory: Memory) -> Memory:
        """An episode with the shorter form for its age; the form is made from its own words, or by
        the model.
        """
        levels = memory.levels
        if batch.step is NightStep.SUMMARISE and self._tasks.has_model:
            given = Text(memory.content, _SUMMARY_WORDS)
            told = self._tasks.run(batch.space_id, SUMMARY, given)
            if not told.why:
                levels = replace(levels, summary=told.value.summary, summary_tokens=None)
        if batch.step is NightStep.COMPRESS and levels.summary:
            short = typed_form(levels.summary, memory.type, memory.extras)
            levels = replace(levels, compressed=short, compressed_tokens=None)
        made = filled_levels(memory.content, levels, memory.type, memory.extras)
        return revised(memory, self._clock(), levels=made)

    def merge(self, batch: NightBatch) -> Write:
        """Apply what was found about the memories kept since the last night."""
        plan = batch.plan or self.plan(batch)

        def write(transaction: Transaction) -> NightBatchOutcome:
            begin = _position(transaction, batch)
            part = plan.after(begin, rules.SCAN_BATCH)
            last = part[-1].slot if part else begin
            more = bool(plan.after(last, 1))
            tally = self._apply(transaction, batch, part, plan)
            counts: dict[str, Any] = {**_NOTHING_FOUND, **tally.counts()}
            counts |= {_SCANNED: str(last), _LOOKED_AT: len(part)}
            if not more and plan.waiting:
                counts["waiting"] = plan.waiting
            return NightBatchOutcome(counts, position=str(last), more=more, tally=tally)

        return write

    def _apply(
        self,
        transaction: Transaction,
        batch: NightBatch,
        part: Sequence[ComparedMemory],
        plan: ConsolidationPlan,
    ) -> ConsolidationTally:
        """Merge, link and note contradictions; memories that were changed since are left alone."""
        tally = ConsolidationTally()
        ids = sorted({memory_id for one in part for memory_id in one.found.ids()})
        standing = {
            one.id: one
            for one in memories_of(transaction, batch.space_id, ids)
            if is_active(one) and one.content == plan.words.get(one.id)
        }
        for one in part:
            for pair in one.found.merges:
                if standing.keys() >= set(pair) and self._merge_pair(
                    transaction, batch, standing, pair
                ):
                    tally.add_pair(NightStep.MERGE, pair)
            for source, target, nearness in one.found.links:
                if standing.keys() >= {source, target}:
                    self._link(transaction, batch, standing[source], target, nearness)
                    tally.add_pair(NightStep.LINK, (source, target))
            for judged in one.found.contradictions:
                if standing.keys() >= set(judged.pair) and self._contradict(
                    transaction, batch, standing, judged
                ):
                    tally.add_pair(NightStep.CONTRADICTIONS, judged.pair)
        return tally

    def _link(
        self,
        transaction: Transaction,
        batch: NightBatch,
        source: Memory,
        target: str,
        nearness: float,
    ) -> None:
        """Link two memories of one file."""
        relation = Relation(
            RelationType.REQUIRED_WITH,
            source.id,
            target_id=target,
            confidence=nearness,
            automatic=True,
        )
        relations.put_relation(transaction, batch.space_id, relation)
        before = {runs.OTHER: target}
        self._changes.record(transaction, batch, NightStep.LINK, source, before)

    def _contradict(
        self,
        transaction: Transaction,
        batch: NightBatch,
        standing: Mapping[str, Memory],
        judged: JudgedPair,
    ) -> bool:
        """Note that two memories contradict each other."""
        now = self._clock()
        if not note_contradiction(
            transaction, batch.space_id, judged.pair, judged.judgement, now, by=judged.by
        ):
            return False
        older, newer = judged.pair
        before = {runs.OTHER: older}
        self._changes.record(transaction, batch, NightStep.CONTRADICTIONS, standing[newer], before)
        return True

    def _merge_pair(
        self,
        transaction: Transaction,
        batch: NightBatch,
        standing: dict[str, Memory],
        pair: tuple[str, str],
    ) -> bool:
        """Supersede one memory by another, which takes over its tags, files and sources."""
        stays, goes = standing[pair[0]], standing[pair[1]]
        now = self._clock()
        both = with_repeat(stays, goes, now)
        both = replace(both, type=stays.type, half_life_days=stays.half_life_days)
        update = MemoryUpdate(stays, both, Action.UPDATED)
        if not self._changes.change(transaction, batch, update):
            return False
        over = replace(ended(goes, stays, now), valid_to=now)
        relation = Relation(RelationType.SUPERSEDES, stays.id, target_id=goes.id)
        relations.put_relation(transaction, batch.space_id, relation)
        standing[stays.id] = both
        del standing[goes.id]
        return self._changes.change(transaction, batch, MemoryUpdate(goes, over, Action.SUPERSEDED))


_AGES: Final = {
    NightStep.SUMMARISE: rules.SUMMARISED_AFTER,
    NightStep.COMPRESS: rules.COMPRESSED_AFTER,
}


def _position(transaction: Transaction, batch: NightBatch) -> int:
    """Slot of the last memory that was compared with its neighbours, tonight or before."""
    if batch.step is NightStep.MERGE and (batch.position or "").isdecimal():
        return int(batch.position or 0)
    last = runs.last_finished(transaction, batch.space_id)
    compared = str((last.counts or {}).get(_SCANNED, "")) if last is not None else ""
    if compared and not compared.isdecimal():  # earlier versions noted the id of a memory
        return due.slot_until(transaction, batch.space_id, compared)
    return int(compared or 0)
