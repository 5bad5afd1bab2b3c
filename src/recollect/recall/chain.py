"""Causal chains: memories of files that must be touched together come along.

The files of what was found lead to the files that go with them, and those to their gotchas,
patterns and errors; memories that are tied to a found one by ``required_with`` come too. They stand
after what was found, and each says with what it came.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from recollect.storage.database import Transaction
from recollect.storage.memories import reads, required_files
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.results import Filters, Found

#: An arrow, or a count of files opened together, that says less than this leads nowhere.
LEAST: Final = 0.6
MOST: Final = 5
_MOST_FILES: Final = 50
_READ: Final = 50
_TYPES: Final = frozenset(
    kind.value for kind in (MemoryType.GOTCHA, MemoryType.PATTERN, MemoryType.ERROR_PATTERN)
)

#: Files that go with others by how often they were opened together, where that is watched.
LinkedFiles = Callable[[Transaction, Access, Sequence[str]], Mapping[str, float]]


def coming_along(
    transaction: Transaction,
    sight: Access,
    found: Sequence[Found],
    *,
    files: Sequence[str],
    now: datetime,
    watched: LinkedFiles | None = None,
) -> tuple[Found, ...]:
    """What comes along with the found, surest first."""
    kept = [hit.item for hit in found if isinstance(hit.item, Memory)]
    start = sorted({path for one in kept for path in one.files} | set(files))[:_MOST_FILES]
    linked = required_files.linked_files(transaction, sight, start, LEAST)
    for path, sure in (watched(transaction, sight, start) if watched and start else {}).items():
        if sure > LEAST and path not in start:
            linked[path] = max(linked.get(path, 0.0), sure)
    known = {one.id for one in kept}
    ties = required_files.required_memories(transaction, sight, sorted(known), LEAST)
    came = [
        (sure * one.current_confidence(now), one, "tied to what was found")
        for one, sure in _tied(transaction, sight, ties, now)
    ]
    came += [
        (linked[path] * one.current_confidence(now), one, f"{path} goes with what was found")
        for one, path in _of_files(transaction, sight, linked, now)
    ]
    best: dict[str, Found] = {}
    for worth, one, reason in sorted(came, key=lambda entry: (-entry[0], entry[1].id)):
        if one.id not in known and one.id not in best:
            best[one.id] = Found(item=one, score=worth * _least(found), along=reason)
    return tuple(best.values())[:MOST]


def _tied(
    transaction: Transaction, sight: Access, ties: Mapping[str, float], now: datetime
) -> list[tuple[Memory, float]]:
    there = reads.get_memories(transaction, sight, sorted(ties)) if ties else {}
    return [
        (one, ties[name])
        for name, one in there.items()
        if not one.archived and one.superseded_by is None and one.valid_at(now)
    ]


def _of_files(
    transaction: Transaction, sight: Access, linked: Mapping[str, float], now: datetime
) -> list[tuple[Memory, str]]:
    if not linked:
        return []
    filters = Filters(types=_TYPES, files=frozenset(linked))
    listed = reads.list_memories(
        transaction, sight, filters, now=to_microseconds(now), before=None, limit=_READ
    )
    return [
        (one, max((path for path in one.files if path in linked), key=linked.__getitem__))
        for one in listed
    ]


def _least(found: Sequence[Found]) -> float:
    """What came along stands under what was found."""
    return min((hit.score for hit in found), default=1.0)
