"""Rows of forgotten entries as text for encryption, and their restoration by an undo.

The rows are restored in the transaction that undoes the forgetting: the same ids, history and
relations, and the messages that the entries came from.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.memories.writer import MemoryWriter
from recollect.pages.events import Events
from recollect.storage.database import Transaction
from recollect.storage.memories import whole_rows
from recollect.storage.pages import events
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory


@dataclass(frozen=True, slots=True)
class Sealed:
    """Decrypted contents of a seal: rows of memories, rows of events that were erased and of those
    that were masked, and the ids of the tombstones.
    """

    memories: Sequence[Mapping[str, Any]]
    events: Mapping[str, Mapping[str, Any]]
    masked: Mapping[str, Mapping[str, Any]]
    stones: Sequence[str]


def purpose_of(access: Access, seal_id: str) -> str:
    """The purpose that a seal is bound to: it opens only for this person in this space."""
    return f"forgotten {access.space_id} {access.viewer.user} {seal_id}"


def kept_rows(
    transaction: Transaction,
    access: Access,
    lost: Sequence[Memory],
    *,
    sources: Sequence[str],
    masked: Iterable[str],
    stones: Sequence[str],
) -> str:
    """All rows that a forgetting erases or masks, as JSON text."""
    space_id = access.space_id
    rows = [whole_rows.memory_rows(transaction, space_id, memory.id) for memory in lost]
    whole = {
        "memories": rows,
        "events": _event_rows(transaction, access, sources),
        "masked": _event_rows(transaction, access, masked),
        "stones": list(stones),
    }
    return json.dumps(whole, ensure_ascii=False)


def _event_rows(
    transaction: Transaction, access: Access, ids: Iterable[str]
) -> dict[str, Mapping[str, Any]]:
    """The text of each event, and its other rows."""
    told: dict[str, Mapping[str, Any]] = {}
    for event_id in ids:
        row = events.event_row(transaction, access, event_id)
        if row is not None:
            told[event_id] = {
                "text": row.text,
                "payload": row.payload,
                "found": row.slot is not None,
                "rows": whole_rows.event_rows(transaction, access.space_id, event_id),
            }
    return told


def kept_of(text: str) -> Sealed:
    """Parse the rows of a sealed text."""
    whole = json.loads(text)
    return Sealed(whole["memories"], whole["events"], whole.get("masked", {}), whole["stones"])


def put_back(
    transaction: Transaction, access: Access, kept: Sealed, *, writer: MemoryWriter, pages: Events
) -> int:
    """Restore all rows; return the number of memories."""
    for event_id, one in kept.events.items():
        pages.restore_within(transaction, access, event_id, one)
    for event_id, one in kept.masked.items():
        pages.unmask_within(transaction, access, event_id, one)
    for rows in kept.memories:
        writer.restore_within(transaction, access, rows)
    whole_rows.restore_relations(transaction, access.space_id, kept.memories)
    return len(kept.memories)
