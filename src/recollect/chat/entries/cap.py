"""Soft cap on a person's entries: archives the entries with the lowest total scores first.

The query for candidates leaves out everything pinned or saved by hand, so a trim cannot archive it.
Each candidate is checked again before it is archived; a violation stops the write with an error.
"""

from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.chat.entries.audit import note
from recollect.memories.entry_scores import FRESH, scores
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.chat.personal_settings import entry_limit_and_clock
from recollect.storage.database import Transaction
from recollect.storage.memories import entries, reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import Conflict
from recollect.vocabulary.memory import Action, Memory

_MAX_KNOWN: Final = 10_000


class Headroom:
    """Tracks how far people are from their caps, and counts entries only when a cap may be near.

    Every new entry advances the clock of its space, so a person has at most the entries of the last
    count plus the clock ticks since then. A write that was rolled back also rolled back its tick.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[int, int]] = {}
        self._fresh: dict[tuple[str, str], datetime] = {}

    def over(self, transaction: Transaction, access: Access) -> int:
        """Number of entries above the viewer's cap; 0 or negative when there is room."""
        key = access.space_id, access.viewer.user
        cap, clock = entry_limit_and_clock(transaction, access)
        count, then = self._known.get(key, (cap, clock - 1))
        if clock >= then and count + clock - then <= cap:
            return 0
        count = entries.count_entries(transaction, access)
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[key] = count, clock
        return count - cap

    def freshen(self, transaction: Transaction, access: Access, now: datetime) -> None:
        """Recompute scores that are older than a day, if there can be any."""
        key = access.space_id, access.viewer.user
        if now < self._fresh.get(key, now):
            return
        oldest = entries.oldest_scores(transaction, access)
        if oldest is None or now - FRESH <= oldest:
            if len(self._fresh) >= _MAX_KNOWN:
                self._fresh.clear()
            self._fresh[key] = (oldest or now) + FRESH
            return
        for row in entries.trimmable(transaction, access):
            if entries.stale(row, now - FRESH):
                fresh = scores(row.importance, row.created_at, now, row.relevance)
                entries.put_scores(transaction, row, fresh)


def trim(
    transaction: Transaction,
    access: Access,
    writer: MemoryWriter,
    headroom: Headroom,
    now: datetime,
) -> tuple[str, ...]:
    """Archive the entries above the cap and return their ids. They can be restored."""
    over = headroom.over(transaction, access)
    if over <= 0:
        return ()
    headroom.freshen(transaction, access, now)
    victims = entries.lowest(transaction, access, over)
    found = reads.get_memories(transaction, access, victims)
    for memory_id in victims:
        _put_away(transaction, access, writer, found[memory_id], now)
    if len(victims) < over:
        note(
            transaction,
            access,
            "cap_exceeded",
            detail={"over": over - len(victims), "because": "the rest is pinned or saved by hand"},
            now=now,
        )
    return tuple(victims)


def _put_away(
    transaction: Transaction,
    access: Access,
    writer: MemoryWriter,
    memory: Memory,
    now: datetime,
) -> None:
    if memory.pinned or memory.manually_saved:
        raise Conflict(
            f"Trimming would remove {memory.id}, which is pinned or saved. Nothing was changed.",
            hint="This is a fault of the program: please report it.",
        )
    archived = replace(memory, archived_at=now, updated_at=now, revision=memory.revision + 1)
    writer.change_within(transaction, access, MemoryUpdate(memory, archived, Action.ARCHIVED))
    entries.drop_entry(transaction, access, memory.id)
    note(transaction, access, "trim", memory.id, now=now)
