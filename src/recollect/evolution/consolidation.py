"""Nightly steps that consolidate: shorten episodes, merge duplicates, link, find contradictions.

A dry run reports what a consolidation would do without doing it.
"""

from dataclasses import replace
from typing import Any, Final

from recollect.evolution import rules
from recollect.evolution.neighbours import NeighbourComparison, NeighbourFindings
from recollect.evolution.night_batch import (
    NightBatch,
    NightBatchOutcome,
    NightChanges,
    Write,
    memories_of,
    revised,
)
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import SUMMARY, Text
from recollect.memories.changes import differences
from recollect.memories.levels import compressed_form, filled_levels, index_line
from recollect.memories.near_duplicates import with_repeat
from recollect.memories.write_path import note_contradiction
from recollect.memories.writer import MemoryUpdate, MemoryWriter, ended
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import due, runs
from recollect.storage.memories import contradictions, relations
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import Consolidation, NightStep
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType

_SUMMARY_WORDS: Final = 60
_SCANNED: Final = "scanned"
_LOOKED_AT: Final = "looked_at"
_ALL: Final = 1_000_000


class ConsolidationSteps:
    """Shortens, merges and links."""

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
        self._writer = writer
        self._changes = NightChanges(writer)
        self._neighbours = neighbours
        self._tasks = tasks
        self._clock = clock

    def plan(self, space_id: str) -> Consolidation:
        """Report what a consolidation would do now; nothing is changed."""
        now = self._clock()
        with self._database.reading(all_spaces=True) as transaction:
            after, everything = (
                _scanned_before(transaction, space_id),
                due.StepCursor(space_id, "", _ALL),
            )
            listed = {
                NightStep.FORGET.value: due.superseded_unused(
                    transaction, everything, now - rules.SUPERSEDED_AFTER
                ),
                NightStep.SUMMARISE.value: due.episodes_to_shorten(
                    transaction, everything, NightStep.SUMMARISE, now - rules.SUMMARISED_AFTER
                ),
                NightStep.COMPRESS.value: due.episodes_to_shorten(
                    transaction, everything, NightStep.COMPRESS, now - rules.COMPRESSED_AFTER
                ),
            }
            ids = due.stored_after(transaction, space_id, after, now, rules.MAX_SCANNED)
        gone = set(listed[NightStep.FORGET.value])
        listed |= {"merge": [], "link": [], "contradictions": []}
        for start in range(0, len(ids), rules.SCAN_BATCH):
            found = self._neighbours.look(space_id, ids[start : start + rules.SCAN_BATCH], gone)
            listed["merge"] += [goes for _, goes in found.merges]
            listed["link"] += [one for one, _, _ in found.links]
            listed["contradictions"] += [one.pair[1] for one in found.contradictions]
        return Consolidation(
            dry_run=True,
            counts={name: len(ids) for name, ids in listed.items() if ids},
            memories={name: tuple(ids) for name, ids in listed.items() if ids},
        )

    def shorten(self, batch: NightBatch) -> Write:
        """Give old episodes their shorter forms; the full text stays."""
        older = (
            rules.SUMMARISED_AFTER if batch.step is NightStep.SUMMARISE else rules.COMPRESSED_AFTER
        )
        with self._database.reading(all_spaces=True) as transaction:
            past = due.StepCursor(batch.space_id, batch.position or "", rules.SCAN_BATCH)
            ids = due.episodes_to_shorten(transaction, past, batch.step, batch.started_at - older)
            known = memories_of(transaction, batch.space_id, ids)
        shorter = [self._shortened(batch, memory) for memory in known]

        def write(transaction: Transaction) -> NightBatchOutcome:
            done = 0
            for old, new in zip(known, shorter, strict=True):
                if differences(old, new):
                    update = MemoryUpdate(old, new, Action.UPDATED)
                    done += self._changes.change(transaction, batch, update)
                    continue
                runs.add_change(
                    transaction,
                    (batch.space_id, batch.run_id),
                    (old.id, old.revision),
                    batch.step,
                    before={},
                    at=batch.started_at,
                )
                done += 1
            return NightBatchOutcome(
                {batch.step.value: done},
                position=ids[-1] if ids else None,
                more=len(ids) == rules.SCAN_BATCH,
            )

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
            short = compressed_form(levels.summary)
            levels = replace(levels, compressed=short, index=levels.index or index_line(short))
        return revised(memory, self._clock(), levels=filled_levels(memory.content, levels))

    def merge(self, batch: NightBatch) -> Write:
        """Compare the memories kept since the last night with their neighbours."""
        with self._database.reading(all_spaces=True) as transaction:
            after = batch.position or _scanned_before(transaction, batch.space_id)
            ids = due.stored_after(
                transaction, batch.space_id, after, batch.started_at, rules.SCAN_BATCH
            )
        found = self._neighbours.look(batch.space_id, ids, set())
        looked_at = int(batch.counts.get(_LOOKED_AT, 0)) + len(ids)

        def write(transaction: Transaction) -> NightBatchOutcome:
            counts = self._keep_findings(transaction, batch, found)
            if ids:
                counts |= {_SCANNED: ids[-1], _LOOKED_AT: len(ids)}
            more = len(ids) == rules.SCAN_BATCH and looked_at < rules.MAX_SCANNED
            return NightBatchOutcome(counts, position=ids[-1] if ids else None, more=more)

        return write

    def _keep_findings(
        self, transaction: Transaction, batch: NightBatch, found: NeighbourFindings
    ) -> dict[str, Any]:
        space_id, now = batch.space_id, self._clock()
        merged = sum(
            self._merge_pair(transaction, batch, stays, goes) for stays, goes in found.merges
        )
        for one, other, nearness in found.links:
            relation = Relation(
                RelationType.REQUIRED_WITH,
                one,
                target_id=other,
                confidence=nearness,
                automatic=True,
            )
            relations.put_relation(transaction, space_id, relation)
        noted = sum(
            note_contradiction(transaction, space_id, one.pair, one.judgement, now, by=one.by)
            for one in found.contradictions
        )
        for pair, digest, verdict, by in found.judged:
            contradictions.put_judgement(
                transaction, space_id, pair, digest=digest, contradicts=verdict, by=by, at=now
            )
        return {"merge": merged, "link": len(found.links), "contradictions": noted}

    def _merge_pair(
        self, transaction: Transaction, batch: NightBatch, stays_id: str, goes_id: str
    ) -> bool:
        """Supersede one memory by another, which takes over its relations."""
        pair = memories_of(transaction, batch.space_id, [stays_id, goes_id])
        known = {one.id: one for one in pair}
        stays, goes = known.get(stays_id), known.get(goes_id)
        if stays is None or goes is None or goes.superseded_by or stays.superseded_by:
            return False
        now = self._clock()
        both = with_repeat(stays, goes, now)
        both = replace(both, type=stays.type, half_life_days=stays.half_life_days)
        update = MemoryUpdate(stays, both, Action.UPDATED)
        if self._writer.change_within(transaction, batch.access, update) is None:
            return False
        over = replace(ended(goes, stays, now), valid_to=now)
        relation = Relation(RelationType.SUPERSEDES, stays.id, target_id=goes.id)
        relations.put_relation(transaction, batch.space_id, relation)
        return self._changes.change(
            transaction, batch, MemoryUpdate(goes, over, Action.SUPERSEDED), NightStep.MERGE
        )


def _scanned_before(transaction: Transaction, space_id: str) -> str:
    """Id of the last memory that an earlier night compared with its neighbours."""
    last = runs.last_finished(transaction, space_id)
    return str((last.counts or {}).get(_SCANNED, "")) if last is not None else ""
