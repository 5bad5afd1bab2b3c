"""Erases the words of events, for deletion and for retention limits.

An event keeps its position in its stream; its words, its revisions and its index entry are removed
in one transaction. The caller finishes the erasure once the transaction has ended.
"""

import json
from datetime import datetime
from typing import Any

from recollect.jobs.queue import enqueue
from recollect.pages.append import COLLECTION
from recollect.storage.access.quarantine import reduce_origin_to_kind
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import event_signals, events
from recollect.storage.search import places
from recollect.storage.space_clock import tick
from recollect.vocabulary.jobs import MEMO_REFRESH


def erase_older(
    transaction: Transaction,
    database: Database,
    space_id: str,
    before: datetime,
    *,
    now: datetime,
    limit: int,
) -> dict[str, list[str]]:
    """Erase the words of events older than a time, for the system; return the texts of each. The
    caller finishes the erasure once the transaction has ended."""
    rows = events.rows_before(transaction, space_id, before, limit)
    return {row.event_id: erase_row(transaction, database, row, now) for row in rows}


def erase_row(transaction: Transaction, database: Database, row: Any, now: datetime) -> list[str]:
    """Erase an event's words and its index entry; it keeps its position in the stream."""
    texts = [row.text, *(one.text for one in events.revisions_of(transaction, row))]
    if row.payload:
        texts.append(json.dumps(row.payload, ensure_ascii=False, default=str))
    number, _ = tick(transaction, row.space_id)
    events.erase_event(transaction, row, now)
    reduce_origin_to_kind(transaction, row.space_id, row.event_id)
    places.retire(transaction, database.dialect, (row.space_id, number), COLLECTION, [row.slot])
    database.erasure.mark(transaction, now)
    return [text for text in texts if text]


def refresh_memos(transaction: Transaction, space_id: str, event_id: str, now: datetime) -> None:
    """Schedule a refresh of the memos that refer to an event."""
    if event_signals.is_pointed_at(transaction, space_id, event_id):
        enqueue(transaction, space_id, MEMO_REFRESH, {"event": event_id}, now=now)
