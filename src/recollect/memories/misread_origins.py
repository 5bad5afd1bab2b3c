"""Restores events that were hidden from search because their origin was misread, once per store.

Any ``origin`` in a payload used to count as outside text, so a person's own words that sound like
an order ("always use pnpm") were not indexed. A migration requests the repair. It finds the marks
that today's rule would not set, removes them, indexes the words of the events again and schedules
their vectors. The store records how many there were, for the doctor.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from recollect.index.indexer import Indexer
from recollect.jobs.queue import enqueue
from recollect.memories.embedding_jobs import EMBED_MISSING
from recollect.memories.index_version import MISREAD, is_pending
from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import misread_origins
from recollect.storage.pages import event_jobs, spaces
from recollect.storage.search import places
from recollect.storage.search.places import Place
from recollect.storage.space_clock import tick
from recollect.storage.store_facts import fact, put_fact
from recollect.trust.fence import without_fenced
from recollect.trust.origins import origin_of
from recollect.trust.prompt_injection import DISCOUNT

_BATCH: Final = 2_000
_COLLECTION: Final = "events"
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Restored:
    """Number of events that search finds again, and number of events with a wrong mark."""

    found_again: int = 0
    unmarked: int = 0

    @property
    def sentence(self) -> str:
        """The result as a sentence for a person."""
        return (
            f"{self.found_again:,} of {self.unmarked:,} events that had been taken for outside "
            "text by mistake were missing from search; all of them can be found again."
        )


def restored_in(transaction: Transaction) -> Restored:
    """Everything ever restored in this store."""
    found, _, unmarked = (fact(transaction, MISREAD) or "").partition("/")
    if not (found.isdigit() and unmarked.isdigit()):
        return Restored()
    return Restored(int(found), int(unmarked))


def restore_misread(database: Database, indexer: Indexer, now: datetime) -> Restored:
    """Restore everything in one transaction, unless another process has done so."""

    def work(transaction: Transaction) -> Restored:
        acquire_locks(transaction, [EVERY_SPACE])
        if not is_pending(transaction):
            return Restored()
        ids = spaces.all_space_ids(transaction)
        acquire_locks(transaction, ids)
        found_again = unmarked = 0
        for space_id in ids:
            again, marks = _restore_space(transaction, database, space_id)
            if again and indexer.model_id:
                enqueue(transaction, space_id, EMBED_MISSING, {}, now=now)
            found_again += again
            unmarked += marks
        put_fact(transaction, MISREAD, f"{found_again}/{unmarked}")
        return Restored(found_again, unmarked)

    done = database.write(work, all_spaces=True)
    if done.unmarked:
        _log.warning("%s", done.sentence)
    return done


def _restore_space(transaction: Transaction, database: Database, space_id: str) -> tuple[int, int]:
    """Number of events of a space that are found again, and number that lost their mark."""
    after, again, unmarked = "", 0, 0
    wrong: set[str] = set()
    right: set[str] = set()
    while rows := misread_origins.marked_events(transaction, space_id, after, _BATCH):
        after = rows[-1].event_id
        ours = [row for row in rows if origin_of(row.payload or {}) is None]
        wrong.update(row.origin for row in ours)
        known = {row.event_id for row in ours}
        right.update(row.origin for row in rows if row.event_id not in known)
        misread_origins.unmark_events(transaction, space_id, [row.event_id for row in ours])
        again += _index(transaction, database, space_id, ours)
        unmarked += len(ours)
    if wrong - right:
        misread_origins.unmark_memories(transaction, space_id, sorted(wrong - right), DISCOUNT)
    return again, unmarked


def _index(transaction: Transaction, database: Database, space_id: str, rows: list[Any]) -> int:
    """Index the words of events again; return how many events have any."""
    texts = [
        (row, Indexer.words_only(without_fenced(row.text)))
        for row in rows
        if row.slot is None and row.deleted_at is None
    ]
    worded = [(row, indexed) for row, indexed in texts if indexed.length]
    if not worded:
        return 0
    number, first = tick(transaction, space_id, len(worded))
    made = [
        Place(slot, row.event_id, row.audience_id, indexed.tokens, indexed.length)
        for slot, (row, indexed) in enumerate(worded, first)
    ]
    for place in made:
        event_jobs.move_slot(transaction, space_id, place.item_id, place.slot)
    places.put_places(transaction, database.dialect, (space_id, number), _COLLECTION, made)
    return len(made)
