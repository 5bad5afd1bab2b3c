"""Rows of forgotten entries as text for encryption, and their restoration by an undo.

The rows are restored in the transaction that undoes the forgetting: the same ids, history and
relations, and the messages that the entries came from.
"""

import json
from collections.abc import Mapping, Sequence
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
    """Decrypted contents of a seal: rows of memories, rows of events, and the ids of the
    tombstones.
    """

    memories: Sequence[Mapping[str, Any]]
    events: Mapping[str, Mapping[str, Any]]
    stones: Sequence[str]


def purpose_of(access: Access, seal_id: str) -> str:
    """The purpose that a seal is bound to: it opens only for this person in this space."""
    return f"forgotten {access.space_id} {access.viewer.user} {seal_id}"


def kept_rows(
    transaction: Transaction,
    access: Access,
    lost: Sequence[Memory],
    sources: Sequence[str],
    stones: Sequence[str],
) -> str:
    """All rows that a forgetting erases, as JSON text."""
    space_id = access.space_id
    told: dict[str, Mapping[str, Any]] = {}
    for event_id in sources:
        row = events.event_row(transaction, access, event_id)
        if row is not None:
            told[event_id] = {
                "text": row.text,
                "payload": row.payload,
                "found": row.slot is not None,
                "rows": whole_rows.event_rows(transaction, space_id, event_id),
            }
    rows = [whole_rows.memory_rows(transaction, space_id, memory.id) for memory in lost]
    whole = {"memories": rows, "events": told, "stones": list(stones)}
    return json.dumps(whole, ensure_ascii=False)


def kept_of(text: str) -> Sealed:
    """Parse the rows of a sealed text."""
    whole = json.loads(text)
    return Sealed(whole["memories"], whole["events"], whole["stones"])


def put_back(
    transaction: Transaction, access: Access, kept: Sealed, *, writer: MemoryWriter, pages: Events
) -> int:
    """Restore all rows; return the number of memories."""
    for event_id, one in kept.events.items():
        pages.restore_within(transaction, access, event_id, one)
    for rows in kept.memories:
        writer.restore_within(transaction, access, rows)
    whole_rows.restore_relations(transaction, access.space_id, kept.memories)
    return len(kept.memories)
