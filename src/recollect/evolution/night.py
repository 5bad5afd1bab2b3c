"""One pass over a space: feedback, uses, forgetting, consolidation, deleting, logs.

A night is a row that says which step it is in and how far. Every batch is one transaction that does
its work and moves that row on, under a lock, so a night that is killed goes on where it stopped and
two nights at once do each batch once. Each step marks what it has done (feedback that was applied,
uses that were counted, memories that are archived), so that running again changes nothing.

Fading is never written: it is computed from the time of the last use. A night writes only what
crosses a line, and what it writes can be undone until it is deleted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from recollect.evolution import rules
from recollect.evolution.neighbours import NeighbourComparison, NeighbourFindings
from recollect.index.analyser import analyse
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import SUMMARY, Text
from recollect.memories.changes import differences
from recollect.memories.levels import compressed_form, filled_levels, index_line
from recollect.memories.merge import told_again
from recollect.memories.write_path import note_contradiction
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.pages.events import erase_older
from recollect.storage.database import Database, Transaction
from recollect.storage.evolution import due, runs
from recollect.storage.memories import contradictions, reads, relations
from recollect.storage.search.usage_log import drop_retrievals
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.evolution import Consolidation, NightReport, NightStep
from recollect.vocabulary.ids import NIGHT, new_id
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from recollect.vocabulary.retrievals import Verdict
from recollect.vocabulary.spaces import Role

#: Who did it, as the history of a memory tells it.
ACTOR: Final = "night"
_SUMMARY_WORDS: Final = 60
_ONLY: Final = "only_consolidating"
_SCANNED: Final = "scanned"
_LOOKED_AT: Final = "looked_at"


@dataclass(frozen=True, slots=True)
class NightBatch:
    """Where a night stands as a batch of it begins."""

    space_id: str
    run_id: str
    started_at: datetime
    step: NightStep
    position: str | None
    counts: Mapping[str, Any]

    @property
    def access(self) -> Access:
        """The house's own hand in the space."""
        return Access(self.space_id, Viewer(ACTOR), Role.STEWARD)


@dataclass(slots=True)
class NightBatchOutcome:
    """What a batch did: how much, where the step stands after it, and whether the step is over."""

    counts: dict[str, Any]
    position: str | None = None
    more: bool = False
    #: Texts and ids of what was deleted, for the files to be rid of.
    erased: tuple[list[str], list[str]] | None = None


Write = Callable[[Transaction], NightBatchOutcome]


class Night:
    """Does nights."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        neighbours: NeighbourComparison,
        tasks: Tasks,
        clock: Clock,
    ) -> None:
        self._database = database
        self._writer = writer
        self._neighbours = neighbours
        self._tasks = tasks
        self._clock = clock
        self._steps: dict[NightStep, Callable[[NightBatch], Write]] = {
            NightStep.FEEDBACK: self._feedback,
            NightStep.USES: self._uses,
            NightStep.PRUNE: self._archive,
            NightStep.HALF_LIFE: self._archive,
            NightStep.FORGET: self._archive,
            NightStep.SUMMARISE: self._shorten,
            NightStep.COMPRESS: self._shorten,
            NightStep.MERGE: self._merge,
            NightStep.DELETE: self._delete,
            NightStep.RETENTION: self._retain,
            NightStep.LOGS: self._logs,
        }

    def run(self, space_id: str, *, consolidate_only: bool = False) -> NightReport:
        """Do a night, or go on with one that was begun; what it did."""
        run_id = self._begin(space_id, consolidate_only=consolidate_only)
        while True:
            batch = self._batch(space_id, run_id)
            if batch is None:
                break
            self._do(batch)
        with self._database.reading(house=True) as transaction:
            row = runs.get_run(transaction, space_id, run_id)
        if row is None:
            return NightReport(run_id, self._clock(), None)
        return runs.report_of(row)

    def plan(self, space_id: str) -> Consolidation:
        """What a consolidation would do now; nothing is changed."""
        now = self._clock()
        with self._database.reading(house=True) as transaction:
            after = _scanned_before(transaction, space_id)
            listed = {
                NightStep.FORGET.value: due.superseded_unused(
                    transaction, space_id, now - rules.SUPERSEDED_AFTER, _ALL
                ),
                NightStep.SUMMARISE.value: due.episodes_to_shorten(
                    transaction, space_id, NightStep.SUMMARISE, now - rules.SUMMARISED_AFTER, _ALL
                ),
                NightStep.COMPRESS.value: due.episodes_to_shorten(
                    transaction, space_id, NightStep.COMPRESS, now - rules.COMPRESSED_AFTER, _ALL
                ),
            }
            ids = due.kept_since(transaction, space_id, after, now, rules.MOST_SCANNED)
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

    # --- the frame --------------------------------------------------------------------------------

    def _begin(self, space_id: str, *, consolidate_only: bool) -> str:
        """The night that is open, or a new one."""
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
            runs.move_on(
                transaction, space_id, run_id, step=steps[0].value, position=None, counts=counts
            )
            return run_id

        return self._database.write(work, house=True)

    def _clock_counts(
        self, transaction: Transaction, space_id: str, now: datetime
    ) -> dict[str, int]:
        """What a night says of a clock that does not fit the night before."""
        last = runs.last_finished(transaction, space_id)
        if last is None:
            return {}
        if now < last.started_at:
            return {"clock_went_back": 1}
        gap = now - last.started_at
        return {"clock_jumped_days": gap.days} if gap > rules.CLOCK_JUMP else {}

    def _hold(self, transaction: Transaction, space_id: str) -> None:
        self._database.dialect.hold(transaction, [f"night {space_id}"])

    def _batch(self, space_id: str, run_id: str) -> NightBatch | None:
        with self._database.reading(house=True) as transaction:
            row = runs.get_run(transaction, space_id, run_id)
        if row is None or row.finished_at is not None:
            return None
        return NightBatch(
            space_id, run_id, row.started_at, NightStep(row.step), row.position, row.counts or {}
        )

    def _do(self, batch: NightBatch) -> None:
        """Do one batch, unless another process did it meanwhile."""
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

        outcome = self._database.write(work, house=True)
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
        runs.move_on(
            transaction,
            batch.space_id,
            batch.run_id,
            step=step.value,
            position=outcome.position if outcome.more else None,
            counts=counts,
            finished_at=finished,
        )

    def _change(
        self,
        transaction: Transaction,
        batch: NightBatch,
        update: MemoryUpdate,
        step: NightStep | None = None,
    ) -> bool:
        """Write a changed memory, with what undoes it."""
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

    # --- confidence -------------------------------------------------------------------------------

    def _feedback(self, batch: NightBatch) -> Write:
        """Apply what people said of answers, each row once."""

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
            for memory in _memories(transaction, space_id, list(said)):
                sure = memory.confidence
                for move in said[memory.id]:
                    sure = min(rules.MOST_CONFIDENCE, max(rules.LEAST_CONFIDENCE, sure + move))
                new = _revised(memory, now, confidence=round(sure, 6))
                moved += self._once(transaction, batch, memory, new)
            due.mark_applied(transaction, space_id, [row.feedback_id for row in rows], now)
            counts = {"feedback": moved, "feedback_rows": len(rows)}
            return NightBatchOutcome(counts, more=len(rows) == rules.BATCH)

        return write

    def _once(self, transaction: Transaction, batch: NightBatch, old: Memory, new: Memory) -> int:
        """Write a change of a step that may meet a memory in several batches of one night."""
        known = {
            row.memory_id
            for row in runs.changes_of(transaction, batch.space_id, batch.run_id)
            if row.step == batch.step.value and row.memory_id == old.id
        }
        update = MemoryUpdate(old, new, Action.CONFIDENCE)
        if old.id in known:
            return int(
                bool(differences(old, new))
                and self._writer.write(transaction, batch.access, update)
            )
        return int(self._change(transaction, batch, update))

    def _uses(self, batch: NightBatch) -> Write:
        """Trust more what was used often and never corrected."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id, now = batch.space_id, self._clock()
            rows = due.often_used(
                transaction, space_id, batch.position or "", step=rules.USES, limit=rules.BATCH
            )
            ids = [row.memory_id for row in rows]
            wrong = due.corrected(transaction, space_id, ids) if ids else set()
            known = {one.id: one for one in _memories(transaction, space_id, ids)}
            moved = 0
            for row in rows:
                memory = known.get(row.memory_id)
                if memory is None or row.memory_id in wrong or memory.disputed:
                    continue
                times = row.access_count // rules.USES - row.counted // rules.USES
                new = _revised(
                    memory,
                    now,
                    confidence=_trusted(memory.confidence, times),
                    needs_review=memory.needs_review and row.access_count < rules.USES_LIFT_REVIEW,
                )
                moved += self._change(
                    transaction, batch, MemoryUpdate(memory, new, Action.CONFIDENCE)
                )
            runs.put_counted(
                transaction, space_id, {row.memory_id: row.access_count for row in rows}
            )
            more = len(rows) == rules.BATCH
            return NightBatchOutcome({"uses": moved}, position=ids[-1] if ids else None, more=more)

        return write

    # --- forgetting -------------------------------------------------------------------------------

    def _archive(self, batch: NightBatch) -> Write:
        """Archive what is due; it can be brought back until its grace is over."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            now = batch.started_at
            ids = _to_archive(transaction, batch)
            done = 0
            for memory in _memories(transaction, batch.space_id, ids):
                new = _revised(memory, now, archived_at=now)
                done += self._change(transaction, batch, MemoryUpdate(memory, new, Action.ARCHIVED))
            return NightBatchOutcome(
                {batch.step.value: done}, more=len(ids) == rules.BATCH and done > 0
            )

        return write

    def _delete(self, batch: NightBatch) -> Write:
        """Delete what nights archived and nobody brought back, when its grace is over."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id = batch.space_id
            before = batch.started_at - rules.GRACE
            nights = runs.last_finished(transaction, space_id, rules.GRACE_NIGHTS)
            if nights is None:
                return NightBatchOutcome({})
            ids = due.over_grace(transaction, space_id, min(before, nights.started_at), rules.BATCH)
            texts: list[str] = []
            for memory in _memories(transaction, space_id, ids):
                texts += self._writer.remove_within(transaction, memory)
            return NightBatchOutcome(
                {"delete": len(ids)}, more=len(ids) == rules.BATCH, erased=(texts, ids)
            )

        return write

    def _retain(self, batch: NightBatch) -> Write:
        """Delete what is older than the space keeps things: all but pinned memories."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            space_id = batch.space_id
            days = due.retention_days(transaction, space_id)
            if days is None:
                return NightBatchOutcome({})
            before = batch.started_at - timedelta(days=days)
            ids = due.older_than(transaction, space_id, before, rules.BATCH)
            texts: list[str] = []
            for memory in _memories(transaction, space_id, ids):
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

    def _logs(self, batch: NightBatch) -> Write:
        """Drop old logs."""

        def write(transaction: Transaction) -> NightBatchOutcome:
            started = batch.started_at
            gone = drop_retrievals(
                transaction, batch.space_id, started - rules.LOGS_KEPT, 50 * rules.BATCH
            )
            runs.drop_old(transaction, batch.space_id, started - rules.RUNS_KEPT)
            return NightBatchOutcome({"logs": gone}, more=gone == 50 * rules.BATCH)

        return write

    # --- consolidation ----------------------------------------------------------------------------

    def _shorten(self, batch: NightBatch) -> Write:
        """Give old episodes their shorter forms; the words themselves stay."""
        older = (
            rules.SUMMARISED_AFTER if batch.step is NightStep.SUMMARISE else rules.COMPRESSED_AFTER
        )
        with self._database.reading(house=True) as transaction:
            ids = due.episodes_to_shorten(
                transaction, batch.space_id, batch.step, batch.started_at - older, rules.SCAN_BATCH
            )
            known = _memories(transaction, batch.space_id, ids)
        shorter = [self._shortened(batch, memory) for memory in known]

        def write(transaction: Transaction) -> NightBatchOutcome:
            done = 0
            for old, new in zip(known, shorter, strict=True):
                if differences(old, new):
                    update = MemoryUpdate(old, new, Action.UPDATED)
                    done += self._change(transaction, batch, update)
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
            return NightBatchOutcome({batch.step.value: done}, more=len(ids) == rules.SCAN_BATCH)

        return write

    def _shortened(self, batch: NightBatch, memory: Memory) -> Memory:
        """An episode with the form that its age asks for; words of its own, or the model's."""
        levels = memory.levels
        if batch.step is NightStep.SUMMARISE and self._tasks.has_model:
            given = Text(memory.content, _SUMMARY_WORDS)
            told = self._tasks.run(batch.space_id, SUMMARY, given)
            if not told.why:
                levels = replace(levels, summary=told.value.summary, summary_tokens=None)
        if batch.step is NightStep.COMPRESS and levels.summary:
            short = compressed_form(levels.summary)
            levels = replace(levels, compressed=short, index=levels.index or index_line(short))
        return _revised(memory, self._clock(), levels=filled_levels(memory.content, levels))

    def _merge(self, batch: NightBatch) -> Write:
        """Hold what was kept since the last night against its neighbours."""
        with self._database.reading(house=True) as transaction:
            after = batch.position or _scanned_before(transaction, batch.space_id)
            ids = due.kept_since(
                transaction, batch.space_id, after, batch.started_at, rules.SCAN_BATCH
            )
        found = self._neighbours.look(batch.space_id, ids, set())
        looked_at = int(batch.counts.get(_LOOKED_AT, 0)) + len(ids)

        def write(transaction: Transaction) -> NightBatchOutcome:
            counts = self._keep_findings(transaction, batch, found)
            if ids:
                counts |= {_SCANNED: ids[-1], _LOOKED_AT: len(ids)}
            more = len(ids) == rules.SCAN_BATCH and looked_at < rules.MOST_SCANNED
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
        """Let one memory take over what another was tied to, and supersede it."""
        known = {one.id: one for one in _memories(transaction, batch.space_id, [stays_id, goes_id])}
        stays, goes = known.get(stays_id), known.get(goes_id)
        if stays is None or goes is None or goes.superseded_by or stays.superseded_by:
            return False
        now = self._clock()
        both = told_again(stays, goes, now)
        both = replace(both, type=stays.type, half_life_days=stays.half_life_days)
        update = MemoryUpdate(stays, both, Action.UPDATED)
        if self._writer.change_within(transaction, batch.access, update) is None:
            return False
        ended = replace(goes, superseded_by=stays.id, updated_at=now, revision=goes.revision + 1)
        relation = Relation(RelationType.SUPERSEDES, stays.id, target_id=goes.id)
        relations.put_relation(transaction, batch.space_id, relation)
        return self._change(
            transaction, batch, MemoryUpdate(goes, ended, Action.SUPERSEDED), NightStep.MERGE
        )


_ALL: Final = 1_000_000


def _nothing(_: Transaction) -> NightBatchOutcome:
    """What a step does that is left out tonight."""
    return NightBatchOutcome({})


def _wanted(batch: NightBatch) -> bool:
    """Whether a step is done tonight: not what goes by age, when the clock cannot be right."""
    if batch.counts.get("clock_went_back") and batch.step in rules.AGEING:
        return False
    deletes = batch.step in (NightStep.DELETE, NightStep.RETENTION)
    return not (batch.counts.get("clock_jumped_days") and deletes)


def _to_archive(transaction: Transaction, batch: NightBatch) -> list[str]:
    """What a step archives tonight."""
    space_id, now = batch.space_id, batch.started_at
    if batch.step is NightStep.PRUNE:
        return due.unused_inferred(transaction, space_id, now - rules.PRUNED_AFTER, rules.BATCH)
    if batch.step is NightStep.FORGET:
        before = now - rules.SUPERSEDED_AFTER
        return due.superseded_unused(transaction, space_id, before, rules.BATCH)
    return due.past_half_lives(
        transaction, space_id, now, times=rules.HALF_LIVES, limit=rules.BATCH
    )


def _memories(transaction: Transaction, space_id: str, ids: Sequence[str]) -> list[Memory]:
    """Memories of the house's work, in the order of their ids."""
    found = reads.memories_for_jobs(transaction, space_id, list(ids)) if ids else []
    return sorted(found, key=lambda one: one.id)


def _revised(memory: Memory, now: datetime, **changed: Any) -> Memory:
    return replace(memory, updated_at=now, revision=memory.revision + 1, **changed)


def _trusted(confidence: float, times: int) -> float:
    """A confidence after so many rewards for being used; one that is higher already stays."""
    if confidence >= rules.USES_UP_TO:
        return confidence
    return round(min(rules.USES_UP_TO, confidence + times * rules.USES_ADD), 6)


def _scanned_before(transaction: Transaction, space_id: str) -> str:
    """The last memory that an earlier night held against its neighbours."""
    last = runs.last_finished(transaction, space_id)
    return str((last.counts or {}).get(_SCANNED, "")) if last is not None else ""
