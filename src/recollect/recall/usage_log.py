"""Usage log: notes what was served, and writes the notes to the store in batches by a thread.

A recall notes in memory what it returned. A thread of this process writes the notes
(``usage_batches.py``), many at once, when there are enough of them or the oldest has waited long
enough; closing writes the rest. Reading never waits for this writing: nothing here can make a
recall fail or wait.

Counts wait longer than the log of questions: each count rewrites a page of the store, and a memory
that is served a hundred times meanwhile is written once. Notes that the store cannot take now wait
for the next time. Only a process that dies loses its last notes.

The ledger of uses (served, cited, ignored, edited, and predicted) is noted and written here too:
what was only served with the counts, the rest with the log. A memory that is served, cited or
edited makes a pending prediction of it true; being put into a context because it was predicted does
not.
"""

import logging
import math
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from recollect.recall.usage_batches import (
    LedgerNotes,
    Match,
    MemoryKey,
    NotesPortion,
    portions_of,
    without_secrets,
)
from recollect.storage.database import Database
from recollect.storage.metrics.daily_counts import add_counts
from recollect.storage.search.usage_log import Use
from recollect.storage.search.use_ledger import Key
from recollect.storage.writer_lock import lock_timeout
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import CommitUnknown, RecollectError
from recollect.vocabulary.ids import RETRIEVAL, new_id
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.results import Recalled
from recollect.vocabulary.retrievals import ANSWER, Retrieval, ServedItem
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.uses import Channel, Usage, UseCounts

#: Notes are written when there are this many, or this many seconds after the first.
ENOUGH: Final = 256
PATIENCE: Final = 20.0
#: Counts are written this many seconds after the first of them, or when there are this many.
PATIENCE_FOR_COUNTS: Final = 120.0
MAX_COUNTS: Final = 50_000
#: Maximum number of results of an answer that the log keeps.
MAX_LOGGED: Final = 100
#: Maximum number of questions, and of memories, held in memory while the store cannot be written.
MAX_HELD: Final = 10_000
_MAX_MEMORIES_HELD: Final = 2 * MAX_COUNTS
#: Seconds to wait for other writers on closing before the last notes are given up.
_CLOSING: Final = 2.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class UseLedger:
    """Pending ledger notes of one process, until they are written."""

    _uses: dict[Key, UseCounts] = field(default_factory=dict)
    _verdicts: dict[Key, UseCounts] = field(default_factory=dict)
    _predicted: set[Key] = field(default_factory=set)
    #: Memories whose use makes a prediction true, since the last notes were taken.
    _used: set[MemoryKey] = field(default_factory=set)
    #: Whether the uses are more than that something was served, and do not wait with the counts.
    _urgent: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self._uses) + len(self._predicted)

    def note(
        self,
        space_id: str,
        memory_ids: Collection[str],
        channel: Channel,
        usage: Usage,
        *,
        counted: bool = False,
    ) -> None:
        """Note the use of memories; ``counted`` when the memories' own counts include it."""
        one = UseCounts(**{usage.value: 1})
        is_verdict = not counted and usage in (Usage.CITED, Usage.IGNORED)
        fulfils = usage in (Usage.CITED, Usage.EDITED) or (
            usage is Usage.SERVED and channel != Channel.ASSEMBLE
        )
        with self._lock:
            self._urgent = self._urgent or (bool(memory_ids) and usage is not Usage.SERVED)
            for memory_id in memory_ids:
                key = (space_id, memory_id, channel.value)
                old = self._uses.get(key)
                if old is None and len(self._uses) >= _MAX_MEMORIES_HELD:
                    return
                self._uses[key] = _sum(old, one)
                if fulfils:
                    self._used.add((space_id, memory_id))
                if is_verdict:
                    self._verdicts[key] = _sum(self._verdicts.get(key), one)

    def predicted(self, space_id: str, made: Iterable[tuple[str, str]]) -> None:
        """Note which memories were predicted, and by which signal."""
        with self._lock:
            if len(self._predicted) < _MAX_MEMORIES_HELD:
                self._predicted.update((space_id, memory_id, signal) for memory_id, signal in made)

    def take(self, now: datetime, *, counts: bool) -> LedgerNotes | None:
        """Return the notes that are due and forget them here; None if none are. Without ``counts``
        those of what was only served wait, and only the predictions that it made true are due.
        """
        with self._lock:
            uses: dict[Key, UseCounts] = {}
            if counts or self._urgent:
                uses, self._uses, self._urgent = self._uses, {}, False
            taken = LedgerNotes(uses, self._verdicts, self._predicted, self._used, now)
            self._verdicts, self._predicted, self._used = {}, set(), set()
        return taken if any(taken[:4]) else None

    def take_back(self, notes: LedgerNotes) -> None:
        """Take back notes that could not be written, until the next time."""
        with self._lock:
            for mine, theirs in ((self._uses, notes.uses), (self._verdicts, notes.verdicts)):
                for key, one in theirs.items():
                    mine[key] = _sum(mine.get(key), one)
            self._predicted |= notes.predicted
            self._used |= notes.used
            self._urgent = self._urgent or bool(notes.uses)


def _sum(old: UseCounts | None, one: UseCounts) -> UseCounts:
    if old is None:
        return one
    return UseCounts(
        old.served + one.served,
        old.cited + one.cited,
        old.ignored + one.ignored,
        old.edited + one.edited,
    )


class UsageLog:
    """Notes what this process served, and the thread that writes the notes."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        logged: bool = True,
        counts: PendingCounts | None = None,
        enough: int = ENOUGH,
        patience: float = PATIENCE,
        patience_for_counts: float = PATIENCE_FOR_COUNTS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._kept = not database.read_only
        self._logged = logged and self._kept
        self._counts = PendingCounts() if counts is None else counts
        self._enough = enough
        self._patience = patience
        self._patience_for_counts = patience_for_counts
        self.ledger = UseLedger()
        self._uses: dict[MemoryKey, Use] = {}
        self._relevance: dict[MemoryKey, Match] = {}
        self._log: list[tuple[str, Retrieval]] = []
        self._notes = 0
        self._noted_at = self._counted_at = 0.0  # time of the first waiting note
        self._closed = False
        self._changed = threading.Condition()
        self._flushing = threading.Lock()
        self._thread: threading.Thread | None = None

    def answered(
        self, viewer: Viewer, space: Space, answer: Recalled, *, explicit: bool, phase: str | None
    ) -> Recalled:
        """Note an answer; return it with its id in the log when its question is logged."""
        now = self._clock()
        kept = [hit.id for hit in answer if hit.kind == "memory"]
        if self._kept:
            channel = Channel.CHAT if answer.profile == "chat" else Channel.RECALL
            self.ledger.note(space.id, kept, channel, Usage.SERVED)
        if not (explicit and self._logged):
            self._note(space.id, kept, now, None)
            return answer
        question = Retrieval(
            id=new_id(RETRIEVAL, now),
            user=viewer.user,
            query=repaired_text(answer.query),
            profile=answer.profile,
            at=now,
            phase=phase,
            client=viewer.client,
            served=tuple(
                ServedItem(hit.id, hit.kind, hit.score) for hit in answer.found[:MAX_LOGGED]
            ),
        )
        self._note(space.id, kept, now, question)
        return replace(answer, id=question.id)

    def gave(
        self, viewer: Viewer, space: Space, question: str, kept: Sequence[ServedItem]
    ) -> str | None:
        """Note an answer from personal memory and the items it rests on; return its id where it is
        logged.
        """
        memories = [one.id for one in kept if one.kind == "memory"]
        self.used(space, memories, Channel.CHAT, Usage.SERVED)
        if not self._logged:
            return None
        now = self._clock()
        asked = Retrieval(
            id=new_id(RETRIEVAL, now),
            user=viewer.user,
            query=repaired_text(question),
            profile=ANSWER,
            at=now,
            client=viewer.client,
            served=tuple(kept),
        )
        self._note(space.id, (), now, asked)
        return asked.id

    def opened(self, space: Space, memory_id: str) -> None:
        """Note that a memory was opened."""
        self._note(space.id, [memory_id], self._clock(), None, retrieved=False)

    def used(self, space: Space, memory_ids: Sequence[str], channel: Channel, usage: Usage) -> None:
        """Note the use of memories elsewhere; every use except being ignored keeps them fresh."""
        if not self._kept or not memory_ids:
            return
        self.ledger.note(space.id, memory_ids, channel, usage)
        if usage is not Usage.IGNORED:
            served = usage is Usage.SERVED
            self._note(space.id, memory_ids, self._clock(), None, retrieved=served)

    def _note(
        self,
        space_id: str,
        memory_ids: Sequence[str],
        now: datetime,
        question: Retrieval | None,
        *,
        retrieved: bool = True,
    ) -> None:
        """Note that memories were served or opened, and the question where it is logged."""
        if not self._kept or (not memory_ids and question is None):
            return
        moment = time.monotonic()
        with self._changed:
            first = not self._notes
            if first:
                self._noted_at = moment
            if not self._uses:
                self._counted_at = moment
            for memory_id in memory_ids:
                _add(self._uses, (space_id, memory_id), Use(1, int(retrieved), now))
            if question is not None:
                self._log.append((space_id, question))
                del self._log[:-MAX_HELD]
                self._relevance.update(
                    ((space_id, one.id), Match(min(1.0, max(0.0, one.score)), now))
                    for one in question.served
                    if one.kind == "memory"
                )
            self._notes += 1
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(
                    target=self._run, name="recollect-serving", daemon=True
                )
                self._thread.start()
            elif first or self._notes == self._enough:
                self._changed.notify_all()

    def flush(self, *, gently: bool = False) -> int:
        """Write the notes; return their number. If the store cannot be written, this is logged and
        the notes wait for the next time.

        With ``gently``, sleep after each portion as long as the portion took.
        """
        with self._flushing:
            uses, relevance, questions, notes = self._taken(everything=not gently)
            self._write_counts(everything=bool(questions or uses))
            if not (questions or uses or (len(self.ledger) and not gently)):
                return notes
            portions = portions_of(uses, relevance, without_secrets(questions))
            ledger = self.ledger.take(self._clock(), counts=bool(uses) or not gently)
            if ledger is not None and ledger.uses:
                portions += [NotesPortion({}, {}, [], part) for part in ledger.parts()]
            elif ledger is not None:
                portions[-1] = portions[-1]._replace(ledger=ledger)
            for done, portion in enumerate(portions):
                began = time.monotonic()
                try:
                    self._database.write(portion.write, all_spaces=True)
                except CommitUnknown:
                    log.warning("Whether some notes of what was served were kept is not known.")
                except RecollectError as error:
                    log.warning("%d notes of what was served wait: %s", notes, error)
                    self._take_back(portions[done:], notes)
                    return 0
                if gently and not self._closed:
                    time.sleep(time.monotonic() - began)
            return max(1, notes)

    def write_counts(self) -> None:
        """Write all metric counts so far, durations included."""
        with self._flushing:
            self._write_counts(everything=True)

    def _write_counts(self, *, everything: bool) -> None:
        taken = self._counts.take(everything=everything) if self._kept else {}
        if not taken:
            return
        day = int(self._clock().timestamp()) // 86_400
        try:
            self._database.write(lambda one: add_counts(one, day, taken), all_spaces=True)
        except RecollectError as error:
            log.warning("What was counted waits: %s", error)
            for (space_id, name), count in taken.items():
                self._counts.add(space_id, name, count)

    def close(self) -> None:
        """Write the remaining notes, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        with lock_timeout(_CLOSING):  # closing does not wait long for other writers
            self.flush()

    def _taken(
        self, *, everything: bool
    ) -> tuple[dict[MemoryKey, Use], dict[MemoryKey, Match], list[tuple[str, Retrieval]], int]:
        """The notes that are due: uses, relevance, questions, and the number of notes."""
        with self._changed:
            questions, notes = self._log, self._notes
            self._log, self._notes = [], 0
            if not (everything or self._counts_due_in() <= 0):
                return {}, {}, questions, notes
            uses, relevance = self._uses, self._relevance
            self._uses, self._relevance = {}, {}
            return uses, relevance, questions, notes

    def _due_in(self) -> float:
        """Seconds until something has to be written."""
        if not self._notes:
            return self._counts_due_in()
        if self._notes >= self._enough:
            return 0.0
        left = self._noted_at + self._patience - time.monotonic()
        return min(left, self._counts_due_in())

    def _counts_due_in(self) -> float:
        if not self._uses:
            return math.inf
        if max(len(self._uses), len(self.ledger)) >= MAX_COUNTS:
            return 0.0
        return self._counted_at + self._patience_for_counts - time.monotonic()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (left := self._due_in()) > 0:
                    self._changed.wait(None if left == math.inf else left)
                if self._closed:
                    return
            if not self.flush(gently=True):
                self._pause()

    def _pause(self) -> None:
        """Wait for a while before another attempt to write to the store."""
        with self._changed:
            if not self._closed:
                self._changed.wait(self._patience)

    def _take_back(self, waiting: Sequence["NotesPortion"], notes: int) -> None:
        with self._changed:
            for portion in waiting:
                if portion.ledger is not None:
                    self.ledger.take_back(portion.ledger)
                for key, use in portion.uses.items():
                    _add(self._uses, key, use)
                self._relevance = {**portion.relevance, **self._relevance}
            questions = [one for portion in waiting for one in portion.questions]
            self._log = [*questions, *self._log][-MAX_HELD:]
            self._notes += notes


def _add(uses: dict[MemoryKey, Use], key: MemoryKey, use: Use) -> None:
    old = uses.get(key)
    if old is not None:
        last = max(old.last, use.last)
        use = Use(old.opened + use.opened, old.retrieved + use.retrieved, last)
    uses[key] = use
