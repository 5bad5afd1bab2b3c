"""Appends prepared events to their streams, inside the caller's transaction.

One tick of the space's clock per event gives its order of arrival and its slot. An event that
exists already is left alone. Jobs for a remote embedder are added in the same transaction.
"""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Final

from recollect.index.indexer import EMBED, EMBED_ATTEMPTS, Indexed, Indexer
from recollect.jobs.queue import enqueue
from recollect.pages.prepared import PreparedEvent
from recollect.pages.transcript_duplicates import without_duplicates
from recollect.pages.value import is_trivial, value_of
from recollect.storage.access.quarantine import mark_events
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import events
from recollect.storage.pages.event_signals import put_values
from recollect.storage.search import places
from recollect.storage.space_clock import tick
from recollect.trust.fence import without_fenced
from recollect.vocabulary.clock import from_microseconds

COLLECTION: Final = "events"
_JOB_SLOTS: Final = 256


def append(
    transaction: Transaction,
    database: Database,
    indexer: Indexer,
    space_id: str,
    *,
    audiences: Mapping[str, int],
    batch: Sequence[PreparedEvent],
) -> list[PreparedEvent]:
    """Write the new events of a batch, in order. ``audiences`` are by stream."""
    fresh = _fresh(transaction, space_id, batch)
    if not fresh:
        return []
    number, first = tick(transaction, space_id, len(fresh))
    events.add_events(
        transaction,
        [
            (
                space_id,
                event.id,
                event.stream_id,
                audiences[event.stream_id],
                arrival,
                arrival if event.indexed else None,
                *event[2:9],
            )
            for arrival, event in enumerate(fresh, first)
        ],
    )
    marks = [
        (space_id, event.id, event.stream_id, arrival, event.origin, event.suspect)
        for arrival, event in enumerate(fresh, first)
        if event.origin
    ]
    if marks:
        mark_events(transaction, marks)
    worth = [
        (space_id, event.id, 0, 0, 0, 0, value, 1, None, event.recorded_at)
        for event in fresh
        if (value := value_of(event.text))
    ]
    if worth:
        put_values(transaction, worth)
    rows = [
        (slot, event.id, audiences[event.stream_id], event.indexed)
        for slot, event in enumerate(fresh, first)
        if event.indexed
    ]
    if rows:
        now = from_microseconds(fresh[0].recorded_at)
        trivial = (
            {event.id for event in fresh if is_trivial(without_fenced(event.text))}
            if indexer.embeds_later
            else set()
        )
        _index(transaction, database, indexer, (space_id, number), rows, trivial=trivial, now=now)
    return fresh


def _fresh(
    transaction: Transaction, space_id: str, batch: Sequence[PreparedEvent]
) -> list[PreparedEvent]:
    """Events that are not stored yet, each once: the first with an id wins, and an event that came
    through the other source (hooks or transcript) counts as stored."""
    unique = {event.id: event for event in reversed(batch)}
    known = events.existing_ids(transaction, space_id, list(unique))
    fresh = [event for event in reversed(unique.values()) if event.id not in known]
    return without_duplicates(transaction, space_id, fresh)


def _index(
    transaction: Transaction,
    database: Database,
    indexer: Indexer,
    space: tuple[str, int],
    rows: Sequence[tuple[int, str, int, Indexed]],
    *,
    trivial: Set[str],
    now: datetime,
) -> None:
    """Index slots: the id of each slot's event, its audience, and its index entry."""
    placed = [
        (slot, event, audience, kept.tokens, kept.length, None, None)
        for slot, event, audience, kept in rows
    ]
    places.put_places(transaction, database.dialect, space, COLLECTION, placed)
    if indexer.embeds_later:
        worth = [row[0] for row in rows if row[1] not in trivial]
        enqueue_vectors(transaction, space[0], worth, now)
        return
    vectors = [(slot, kept.vector) for slot, _, _, kept in rows if kept.vector is not None]
    if vectors:
        model = indexer.model
        places.put_vectors(transaction, space[0], COLLECTION, (model.id, model.dims), vectors)


def enqueue_vectors(
    transaction: Transaction, space_id: str, slots: Sequence[int], now: datetime
) -> None:
    """Schedule the vectors of slots, some hundreds per job."""
    for start in range(0, len(slots), _JOB_SLOTS):
        enqueue(
            transaction,
            space_id,
            EMBED,
            {"collection": COLLECTION, "slots": list(slots[start : start + _JOB_SLOTS])},
            now=now,
            max_attempts=EMBED_ATTEMPTS,
        )
