"""What a question may be answered from: its collections, and what its filters let through."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from recollect.recall.state import RecallState
from recollect.storage.code import chunks
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import events
from recollect.storage.search.sessions import slots_during
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import shown
from recollect.vocabulary.results import Filters

COLLECTIONS: Final = {"memory": "memories", "event": "events", "chunk": "chunks"}
CHUNKS: Final = chunks.COLLECTION


def collections_of(kinds: object, filters: Filters) -> list[str]:
    named = list(kinds) if isinstance(kinds, Iterable) else [kinds]
    unknown = [kind for kind in named if not isinstance(kind, str) or kind not in COLLECTIONS]
    if unknown or not named:
        raise InvalidInput(
            "recall searches memories, events and chunks of code, "
            f"not {shown(unknown[0] if unknown else '')}.",
            hint="Give kinds among: memory, event, chunk.",
        )
    chosen = [COLLECTIONS[kind] for kind in COLLECTIONS if kind in named]
    return [name for name in chosen if name == "memories" or not _says_nothing(name, filters)]


def _says_nothing(collection: str, filters: Filters) -> bool:
    """Whether a collection has nothing that the filters could be about."""
    if collection == CHUNKS:
        left = replace(filters, files=frozenset(), has_code=filters.has_code is False or None)
        return left != Filters()
    return _only_memories_have(filters)


def _only_memories_have(filters: Filters) -> bool:
    """Whether a filter asks for something that an event has not."""
    return bool(
        filters.types
        or filters.sources
        or filters.scopes
        or filters.tags
        or filters.files
        or filters.modules
        or filters.minimum_confidence is not None
        or filters.pinned is not None
        or filters.needs_review is not None
        or filters.as_of is not None
    )


def let_through(
    transaction: Transaction, access: Access, collection: str, asked: RecallState, now: int
) -> list[int] | None:
    """The slots that the filters let through; None when there is nothing to filter by."""
    filters, slots = asked.plan.filters, None
    if filters != Filters():
        if collection == "memories":
            slots = reads.slots_let_through(transaction, access, filters, now)
        else:
            slots = events.slots_let_through(transaction, access, filters)
    if asked.sessions is None:
        return slots
    during = slots_during(transaction, access, collection, asked.sessions)
    return during if slots is None else sorted(set(slots).intersection(during))
