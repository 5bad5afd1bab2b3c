"""Entries that held at an earlier time: those that something told later has replaced since."""

from datetime import datetime
from itertools import chain
from typing import Final

from recollect.storage.database import Transaction
from recollect.storage.memories import reads, relations
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Entry, Noticed, Scores

_VERSIONS: Final = 20  # how many versions back a fact is followed


def held_at(
    transaction: Transaction, access: Access, later: list[str], at: datetime
) -> list[Entry]:
    """Entries told by a time whose replacement was told after it; ``later`` are the ids of entries
    that were told after it.
    """
    found: dict[str, Entry] = {}
    for _ in range(_VERSIONS):
        replaced = relations.replaced_by(transaction, access.space_id, later)
        older = reads.get_memories(transaction, access, list(chain(*replaced.values())))
        found.update(
            (one, _entry_of(memory))
            for one, memory in older.items()
            if memory.valid_from <= at and not memory.archived
        )
        later = [one for one, memory in older.items() if memory.valid_from > at]
        if not later:
            break
    return list(found.values())


def _entry_of(memory: Memory) -> Entry:
    """A replaced memory as the entry that it was; its scores are no longer kept."""
    return Entry(memory, Noticed(), Scores(0.0, 0.0, memory.importance, 0.0, memory.valid_from))
