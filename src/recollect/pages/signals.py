"""Signals that raise a message to tier 2, where it gets a header that describes its context.

A message in tier 0 is found by its words as soon as it is stored, in tier 1 also by its vector, in
tier 2 by a vector of the message with its header. The number of reactions or replies that this
takes follows the month's budget for enrichments: more when it is tight, fewer when it is loose.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from recollect.index.indexer import Indexer
from recollect.inference.budgets import Spending
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import HEADER, MessageInContext
from recollect.jobs.handler import Write
from recollect.jobs.queue import enqueue
from recollect.pages.append import COLLECTION
from recollect.pages.value import value_of
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import event_jobs, event_signals, streams
from recollect.storage.pages.event_signals import Signals
from recollect.storage.search import places
from recollect.storage.search.places import Place, VectorRow
from recollect.storage.space_clock import tick
from recollect.trust.fence import without_fenced
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.events import day_of
from recollect.vocabulary.jobs import MEMO_FROM_EXCHANGE, Job

ENRICH: Final = "pages.enrich"
BACKFILL: Final = "pages.backfill"
#: Number of messages of an imported history that are counted at a time, and in a run.
BACKFILL_BATCH: Final = 50
BACKFILL_MOST: Final = 1_000
BEFORE: Final = 5
AFTER: Final = 2
TIGHT: Final = 0.5
LOOSE: Final = 1.5


class Thresholds(NamedTuple):
    """Number of reactions or replies that raise a message."""

    reactions: int = 2
    replies: int = 2


USUAL: Final = Thresholds()


def thresholds(ease: float) -> Thresholds:
    """Thresholds from the remaining share of the budget and the remaining share of the month."""
    if ease < TIGHT:
        return Thresholds(4, 5)
    return Thresholds(1, 2) if ease > LOOSE else Thresholds()


def notice(
    transaction: Transaction,
    space_id: str,
    ids: Iterable[str],
    *,
    now: datetime,
    wanted: Thresholds = USUAL,
    retrieved: bool = False,
    referenced: bool = False,
) -> list[str]:
    """Count the signals of events again, and schedule a header for those that earn one.

    ``retrieved``: a search served them and they were useful. ``referenced``: another event names
    them.
    """
    raised = []
    for event_id in sorted(set(ids)):
        old = event_signals.signals_of(transaction, space_id, event_id)
        if old is not None and old.tier >= 2:
            continue
        reactions, replies, mentions = event_signals.counted(transaction, space_id, event_id)
        if old is not None:  # what other events said of it is in no table
            mentions = max(mentions, old.mentions)
        mentions += referenced
        text = event_jobs.texts_for_jobs(transaction, space_id, [event_id]).get(event_id, "")
        new = Signals(
            reactions,
            replies,
            mentions,
            (old.retrievals if old else 0) + retrieved,
            value_of(text),
            1,
            None,
        )
        event_signals.put_signals(transaction, space_id, event_id, new, now)
        earns = reactions >= wanted.reactions or replies >= wanted.replies
        if text and (earns or mentions or new.retrievals):
            enqueue(transaction, space_id, ENRICH, {"event": event_id}, now=now)
            raised.append(event_id)
    return raised


def revalue(
    transaction: Transaction, space_id: str, event_id: str, text: str, now: datetime
) -> None:
    """Store the value of an event's new words."""
    value = value_of(text)
    old = event_signals.signals_of(transaction, space_id, event_id)
    if old is None and not value:
        return
    new = (old or Signals(0, 0, 0, 0, 0, 1, None))._replace(value=value)
    event_signals.put_signals(transaction, space_id, event_id, new, now)


class Enrich:
    """The handler of ``pages.enrich``: gives a message its header, and a vector with it."""

    def __init__(self, database: Database, indexer: Indexer, tasks: Tasks, clock: Clock) -> None:
        self._database = database
        self._indexer = indexer
        self._tasks = tasks
        self._clock = clock

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Ask for headers and vectors; write those that are still needed."""
        wanted = dict.fromkeys((job.space_id, job.payload["event"]) for job in jobs)
        made = [self._made(*one) for one in wanted]  # two signals pay for one header
        now = self._clock()

        def write(transaction: Transaction) -> None:
            for one in made:
                if one is not None:
                    self._keep(transaction, *one, now=now)

        return write

    def _made(self, space_id: str, event_id: str) -> tuple[str, str, str, bytes | None] | None:
        with self._database.reading(all_spaces=True) as transaction:
            old = event_signals.signals_of(transaction, space_id, event_id)
            given = event_jobs.surroundings_for_jobs(
                transaction, space_id, event_id, before=BEFORE, after=AFTER
            )
            if given is None or (old is not None and old.tier >= 2):
                return None
            event, before, after = given
            name = streams.name_for_jobs(transaction, space_id, event.stream_id)
            purpose = streams.purpose_for_jobs(transaction, space_id, event.stream_id)
        around = MessageInContext(
            name,
            event.author,
            day_of(event),
            without_fenced(event.text),
            tuple(f"{one.author}: {without_fenced(one.text)}" for one in before),
            tuple(f"{one.author}: {without_fenced(one.text)}" for one in after),
            tuple(dict.fromkeys(one.author for one in (*before, *after))),
            purpose or "",
        )
        header = self._tasks.run(space_id, HEADER, around).value.header
        vectors = self._indexer.vectors([f"{header}\n\n{around.message}"])
        return space_id, event_id, header, vectors[0] if vectors else None

    def _keep(
        self,
        transaction: Transaction,
        space_id: str,
        event_id: str,
        header: str,
        vector: bytes | None,
        *,
        now: datetime,
    ) -> None:
        """Store the header, and the new vector in a new slot: a slot's entry is immutable."""
        old = event_signals.signals_of(transaction, space_id, event_id)
        place = event_jobs.place_for_jobs(transaction, space_id, event_id)
        if old is None or old.tier >= 2 or place is None:
            return
        raised = old._replace(tier=2, header=header)
        event_signals.put_signals(transaction, space_id, event_id, raised, now)
        enqueue(transaction, space_id, MEMO_FROM_EXCHANGE, {"event": event_id}, now=now)
        if vector is None:
            return
        number, slot = tick(transaction, space_id)
        text, audience, former = place
        tokens, length = Indexer.words_only(without_fenced(text))[:2]
        home = (space_id, number)
        dialect = self._database.dialect
        event_jobs.move_slot(transaction, space_id, event_id, slot)
        new = Place(slot, event_id, audience, tokens, length)
        places.put_places(transaction, dialect, home, COLLECTION, [new])
        model = self._indexer.model
        places.put_vectors(
            transaction, space_id, COLLECTION, (model.id, model.dims), [VectorRow(slot, vector)]
        )
        places.retire(transaction, dialect, home, COLLECTION, [former])


class Backfill:
    """The handler of ``pages.backfill``: counts the signals in an imported history."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Count a batch in each space and schedule the next; nothing here is slow."""
        now = self._clock()
        begun = {job.space_id: int(job.payload.get("done", 0)) for job in jobs}

        def write(transaction: Transaction) -> None:
            for space_id, done in begun.items():
                found = event_signals.uncounted_messages(transaction, space_id, BACKFILL_BATCH)
                notice(transaction, space_id, found, now=now, wanted=Thresholds(1, 1))
                total = done + len(found)
                if len(found) == BACKFILL_BATCH and total < BACKFILL_MOST:
                    enqueue(transaction, space_id, BACKFILL, {"done": total}, now=now)

        return write


def current(spending: Spending | None, space_id: str) -> Thresholds:
    """Thresholds from the amount spent; the defaults where there is no budget."""
    return Thresholds() if spending is None else thresholds(spending.ease(space_id, "enrichments"))
