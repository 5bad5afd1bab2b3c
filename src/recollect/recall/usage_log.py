"""Serving is counted, and reading is not writing: what was returned is noted here, and kept later.

A recall notes in memory what it returned. A thread of this process writes the notes down, many at
once, when there are enough of them or the oldest has waited long enough; closing writes the rest.
Counts wait longer than the log of questions: each is a page of the store to write again, and a
memory that is served a hundred times meanwhile is one. Only a process that dies loses its last
notes. Nothing here can make a recall fail or wait.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from recollect.recall.use_ledger import LedgerNotes, UseLedger
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries
from recollect.storage.metrics.daily_counts import add_counts
from recollect.storage.search import usage_log, use_ledger
from recollect.storage.search.usage_log import Use
from recollect.storage.writer_lock import hurried
from recollect.trust.visibility import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import (
    CommitUnknown,
    InvalidInput,
    RecollectError,
    RetrievalNotFound,
)
from recollect.vocabulary.ids import FEEDBACK, RETRIEVAL, is_id, new_id
from recollect.vocabulary.metrics import PendingCounts
from recollect.vocabulary.numbers import shown, whole
from recollect.vocabulary.results import Page, Recalled
from recollect.vocabulary.retrievals import RESEARCH, Feedback, Retrieval, ServedItem, Verdict
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.text import checked_text, repaired_text
from recollect.vocabulary.uses import Channel, PredictionFigures, Usage, UseCounts, UseFigures

#: Notes are written when there are so many, or so many seconds after the first of them.
ENOUGH: Final = 256
PATIENCE: Final = 20.0
#: Counts are written when there are so many, or so many seconds after the first of them.
MOST_COUNTS: Final = 50_000
PATIENCE_FOR_COUNTS: Final = 120.0
#: So many memories or questions are written at a time: others who write wait for no more.
PORTION: Final = 250
#: More than so many questions are not held for a store that cannot be written.
MOST_HELD: Final = 10_000
#: Of an answer the log keeps the first so many.
MOST_LOGGED: Final = 100
PAGE_LIMIT: Final = 1_000
_NOTE: Final = 2_000

_Key = tuple[str, str]
#: Told which messages of an answer were of use, and how.
Useful = Callable[[Viewer, Space, Sequence[str], str], object]

#: So many seconds are waited for other writers before what was noted last is given up.
_CLOSING: Final = 2.0
log = logging.getLogger(__name__)


class UsageLog:
    """Notes of what this process served, on their way into the store."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        logged: bool = True,
        useful: "Useful | None" = None,
        counts: PendingCounts | None = None,
        enough: int = ENOUGH,
        patience: float = PATIENCE,
        patience_for_counts: float = PATIENCE_FOR_COUNTS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._kept = not database.read_only
        self._logged = logged and self._kept
        self._useful = useful
        self._counts = PendingCounts() if counts is None else counts
        self._enough = enough
        self._patience = patience
        self._patience_for_counts = patience_for_counts
        self.ledger = UseLedger()
        self._uses: dict[_Key, Use] = {}
        self._relevance: dict[_Key, float] = {}
        self._log: list[tuple[str, Retrieval]] = []
        self._notes = 0
        self._noted_at = self._counted_at = 0.0  # when the first of those that wait came
        self._closed = False
        self._changed = threading.Condition()
        self._flushing = threading.Lock()
        self._thread: threading.Thread | None = None

    def answered(
        self, viewer: Viewer, space: Space, answer: Recalled, *, explicit: bool, phase: str | None
    ) -> Recalled:
        """Note an answer; the same answer, with its id in the log when its question is logged."""
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
            served=tuple(
                ServedItem(hit.id, hit.kind, hit.score) for hit in answer.found[:MOST_LOGGED]
            ),
        )
        self._note(space.id, kept, now, question)
        return replace(answer, id=question.id)

    def opened(self, space: Space, memory_id: str) -> None:
        """Note that somebody looked at one memory."""
        self._note(space.id, [memory_id], self._clock(), None, retrieved=False)

    def used(self, space: Space, memory_ids: Sequence[str], channel: Channel, usage: Usage) -> None:
        """Note what became of memories elsewhere; all but being passed over keeps them fresh."""
        if not self._kept or not memory_ids:
            return
        self.ledger.note(space.id, memory_ids, channel, usage)
        if usage is not Usage.IGNORED:
            served = usage is Usage.SERVED
            self._note(space.id, memory_ids, self._clock(), None, retrieved=served)

    def uses(self, viewer: Viewer, space: Space, memory_id: str) -> dict[str, UseCounts]:
        """What became of one memory, by channel."""
        self.flush()
        with self._database.reading() as transaction:
            return use_ledger.uses_of(transaction, authorise(transaction, viewer, space), memory_id)

    def figures(self, viewer: Viewer, space: Space) -> UseFigures:
        """The ledger in figures."""
        self.flush()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.use_figures(transaction, access, self._clock())

    def prediction_figures(self, viewer: Viewer, space: Space) -> dict[str, PredictionFigures]:
        """How predictions fared, by signal, as far as it is written down."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.prediction_figures(transaction, access, self._clock())

    def served_times(
        self, viewer: Viewer, space: Space, since: datetime, limit: int
    ) -> Sequence[tuple[str, datetime]]:
        """When which memories were served, the newest first."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return use_ledger.served_times(transaction, access, since, limit)

    def retrievals(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[Retrieval]:
        """The viewer's own questions, newest first."""
        whole(limit, 1, PAGE_LIMIT, "A page has")
        if cursor is not None and not is_id(cursor, RETRIEVAL):
            raise InvalidInput("That cursor is not one that a list gave.")
        self.flush()
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found = usage_log.list_retrievals(transaction, access, before=cursor, limit=limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return Page(tuple(found[:limit]), more)

    def feedback(
        self,
        viewer: Viewer,
        space: Space,
        retrieval_id: str,
        verdict: str,
        *,
        items: str | Sequence[str],
        note: str | None,
    ) -> Retrieval:
        """Write down what the asker makes of an answer, or of single things in it."""
        wanted = choice(Verdict, verdict, "verdict")
        named = _named(items)
        if wanted in {Verdict.CITED, Verdict.IGNORED} and not named:
            raise InvalidInput(f"Say what was {wanted}: give the ids of the items.")
        said = None if note is None else checked_text(note, "note", _NOTE)
        from recollect.trust.secrets import refuse_secrets

        refuse_secrets([said], "note")
        self.flush()
        now = self._clock()

        def work(transaction: Transaction) -> Retrieval:
            access = authorise(transaction, viewer, space, alone=False)
            found = _own(transaction, access, retrieval_id)
            _check_items(found, named)
            of: Sequence[str | None] = named or (None,)
            rows = [Feedback(new_id(FEEDBACK, now), wanted, now, item, said) for item in of]
            usage_log.add_feedback(transaction, access, found, rows)
            usage_log.count_verdict(transaction, access, named, wanted)
            return replace(found, feedback=(*found.feedback, *rows))

        told = self._database.write(work)
        if wanted in {Verdict.CITED, Verdict.IGNORED}:
            kept = {one.id for one in told.served if one.kind == "memory"}
            channel = Channel.RESEARCH if told.profile == RESEARCH else Channel.RECALL
            of_memories = [one for one in named if one in kept]
            self.ledger.note(space.id, of_memories, channel, Usage(wanted.value), counted=True)
        self._tell(viewer, space, told, named, wanted)
        return told

    def _tell(
        self,
        viewer: Viewer,
        space: Space,
        told: Retrieval,
        named: Sequence[str],
        verdict: Verdict,
    ) -> None:
        """Let the messages that were cited, or found helpful, count for it."""
        if self._useful is None or verdict not in {Verdict.CITED, Verdict.HELPFUL}:
            return
        served = {one.id for one in told.served if one.kind == "event"}
        wanted = [one for one in named if one in served]
        if not named and verdict is Verdict.HELPFUL:
            wanted = [one.id for one in told.served[:1] if one.kind == "event"]
        if wanted:
            self._useful(viewer, space, wanted, verdict.value)

    def flush(self, *, gently: bool = False) -> int:
        """Write down what was noted; how many notes. A store that will not be written is told of
        in the log of the program, and the notes wait for the next time.

        Gently, it rests after each portion as long as the portion took.
        """
        with self._flushing:
            uses, relevance, questions, notes = self._taken(everything=not gently)
            self._write_counts(everything=bool(questions or uses))
            if not (questions or uses or (len(self.ledger) and not gently)):
                return notes
            portions = _portions(uses, relevance, _without_secrets(questions))
            if len(self.ledger):
                portions.append(_Portion({}, {}, [], self.ledger.take(self._clock())))
            for done, portion in enumerate(portions):
                began = time.monotonic()
                try:
                    self._database.write(portion.write, house=True)
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
        """Write down everything that was counted so far, durations too."""
        with self._flushing:
            self._write_counts(everything=True)

    def _write_counts(self, *, everything: bool) -> None:
        taken = self._counts.take(everything=everything) if self._kept else {}
        if not taken:
            return
        day = int(self._clock().timestamp()) // 86_400
        try:
            self._database.write(lambda one: add_counts(one, day, taken), house=True)
        except RecollectError as error:
            log.warning("What was counted waits: %s", error)
            for (space_id, name), count in taken.items():
                self._counts.add(space_id, name, count)

    def close(self) -> None:
        """Write down the rest, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        with hurried(_CLOSING):  # a recall does not wait for whoever holds the store
            self.flush()

    def _taken(
        self, *, everything: bool
    ) -> tuple[dict[_Key, Use], dict[_Key, float], list[tuple[str, Retrieval]], int]:
        """The notes that are due: counts, how well things were found, questions, how many."""
        with self._changed:
            questions, notes = self._log, self._notes
            self._log, self._notes = [], 0
            if not (everything or self._counts_due_in() <= 0):
                return {}, {}, questions, notes
            uses, relevance = self._uses, self._relevance
            self._uses, self._relevance = {}, {}
            return uses, relevance, questions, notes

    def _due_in(self) -> float:
        """In how many seconds something has to be written."""
        if not self._notes:
            return self._counts_due_in()
        if self._notes >= self._enough:
            return 0.0
        left = self._noted_at + self._patience - time.monotonic()
        return min(left, self._counts_due_in())

    def _counts_due_in(self) -> float:
        if not self._uses:
            return math.inf
        if len(self._uses) >= MOST_COUNTS:
            return 0.0
        return self._counted_at + self._patience_for_counts - time.monotonic()

    def _note(
        self,
        space_id: str,
        memory_ids: Sequence[str],
        now: datetime,
        question: Retrieval | None,
        *,
        retrieved: bool = True,
    ) -> None:
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
                del self._log[:-MOST_HELD]
                self._relevance.update(
                    ((space_id, one.id), min(1.0, max(0.0, one.score)))
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
        """A store that would not be written is left alone for a while."""
        with self._changed:
            if not self._closed:
                self._changed.wait(self._patience)

    def _take_back(self, waiting: Sequence["_Portion"], notes: int) -> None:
        with self._changed:
            for portion in waiting:
                if portion.ledger is not None:
                    self.ledger.take_back(portion.ledger)
                for key, use in portion.uses.items():
                    _add(self._uses, key, use)
                self._relevance = {**portion.relevance, **self._relevance}
            questions = [one for portion in waiting for one in portion.questions]
            self._log = [*questions, *self._log][-MOST_HELD:]
            self._notes += notes


def _add(uses: dict[_Key, Use], key: _Key, use: Use) -> None:
    old = uses.get(key)
    if old is not None:
        last = max(old.last, use.last)
        use = Use(old.opened + use.opened, old.retrieved + use.retrieved, last)
    uses[key] = use


class _Portion(NamedTuple):
    """What is written in one transaction."""

    uses: dict[_Key, Use]
    relevance: dict[_Key, float]
    questions: list[tuple[str, Retrieval]]
    ledger: LedgerNotes | None = None

    def write(self, transaction: Transaction) -> None:
        """Count the uses, note how well entries were found, put the questions in the log."""
        usage_log.count_uses(transaction, self.uses)
        entries.note_relevance(transaction, self.relevance)
        if self.questions:
            usage_log.add_retrievals(transaction, self.questions)
        if self.ledger is not None:
            self.ledger.write(transaction)


def _without_secrets(questions: Sequence[tuple[str, Retrieval]]) -> list[tuple[str, Retrieval]]:
    """The questions as they may be written down; the rules are loaded where there are any."""
    if not questions:
        return []
    from recollect.trust.secrets import redacted

    return [
        (home, replace(one, query=redacted(one.query), profile=redacted(one.profile)))
        for home, one in questions
    ]


def _portions(
    uses: dict[_Key, Use], relevance: dict[_Key, float], questions: list[tuple[str, Retrieval]]
) -> list[_Portion]:
    """Everything in portions: the log comes last, so that what it tells of waits with it."""
    if max(len(uses), len(questions)) <= PORTION:
        return [_Portion(uses, relevance, questions)]
    counted, noted = sorted(uses.items()), sorted(relevance.items())
    of_memories = [
        _Portion(dict(counted[start : start + PORTION]), dict(noted[start : start + PORTION]), [])
        for start in range(0, max(len(counted), len(noted)), PORTION)
    ]
    of_log = [
        _Portion({}, {}, questions[start : start + PORTION])
        for start in range(0, len(questions), PORTION)
    ]
    return of_memories + of_log


def _own(transaction: Transaction, access: Access, retrieval_id: str) -> Retrieval:
    found = (
        usage_log.get_retrieval(transaction, access, retrieval_id)
        if is_id(retrieval_id, RETRIEVAL)
        else None
    )
    if found is None:
        raise RetrievalNotFound(
            f"No question {shown(retrieval_id)} is in your log.",
            hint="'recollect log' lists them; they are kept for 90 days.",
        )
    return found


def _named(items: object) -> tuple[str, ...]:
    """Ids, as one or as a list of them."""
    if isinstance(items, str):
        return (items,)
    given = tuple(items) if isinstance(items, list | tuple | set | frozenset) else (None,)
    if not all(isinstance(item, str) for item in given):
        raise InvalidInput(f"Give the ids of items, or a list of them, not {shown(items)}.")
    return tuple(dict.fromkeys(given))


def _check_items(found: Retrieval, items: Sequence[str]) -> None:
    served = {one.id for one in found.served}
    strange = [item for item in items if item not in served]
    if strange:
        raise InvalidInput(
            f"{shown(strange[0])} was not among what {found.id} brought. Nothing was changed."
        )
