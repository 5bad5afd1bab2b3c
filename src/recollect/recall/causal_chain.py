"""Causal chains: adds memories about files that must be changed together with the files found.

Three sources say which files belong together: memories that name several files as depending on each
other, memories linked by ``required_with``, and sessions that nearly always open two files
together. A caller who asks for the chain gets these memories after all results.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from recollect.recall.graph import opened_together
from recollect.storage.database import Transaction
from recollect.storage.memories import reads, required_files
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.results import Filters, Found

#: Weight from which two files, or two memories, are taken to belong together.
TOGETHER: Final = 0.6
#: Maximum number of memories that the chain adds, and of files that it is followed from.
_MAX_COMING: Final = 5
_MAX_FILES: Final = 50
_READ: Final = 50
_TYPES: Final = frozenset(
    kind.value for kind in (MemoryType.GOTCHA, MemoryType.PATTERN, MemoryType.ERROR_PATTERN)
)


def memories_along_chain(
    transaction: Transaction,
    access: Access,
    found: Sequence[Found],
    *,
    files: Sequence[str],
    now: datetime,
) -> tuple[Found, ...] | None:
    """The memories that the chain adds to the results, surest first; None where no files or
    memories are known to go with the results, found anyway or not.
    """
    kept = [hit.item for hit in found if isinstance(hit.item, Memory)]
    start = sorted({path for one in kept for path in one.files} | set(files))[:_MAX_FILES]
    linked = {
        path: (sure, f"{path} goes with what was found")
        for path, sure in required_files.linked_files(transaction, access, start, TOGETHER).items()
    }
    among = False
    for (first, second), sure in opened_together(transaction, access, start).items():
        among |= sure > TOGETHER and first in start and second in start
        other = second if first in start else first
        if sure > max(TOGETHER, linked.get(other, (0.0, ""))[0]) and other not in start:
            linked[other] = sure, f"sessions open {other} together with what was found"
    known = {one.id for one in kept}
    ties = required_files.required_memories(transaction, access, sorted(known), TOGETHER)
    came = [
        (sure * one.current_confidence(now), one, "tied to what was found")
        for one, sure in _linked_memories(transaction, access, ties, now)
    ]
    came += [
        (linked[path][0] * one.current_confidence(now), one, linked[path][1])
        for one, path in _of_files(transaction, access, linked, now)
    ]
    if not (came or linked or among):
        return None
    best: dict[str, Found] = {}
    for worth, one, reason in sorted(came, key=lambda entry: (-entry[0], entry[1].id)):
        if one.id not in known and one.id not in best:
            best[one.id] = Found(item=one, score=worth * _least(found), along=reason)
    return tuple(best.values())[:_MAX_COMING]


def _linked_memories(
    transaction: Transaction, access: Access, ties: Mapping[str, float], now: datetime
) -> list[tuple[Memory, float]]:
    there = reads.get_memories(transaction, access, sorted(ties)) if ties else {}
    return [
        (one, ties[name])
        for name, one in there.items()
        if not one.archived and one.superseded_by is None and one.valid_at(now)
    ]


def _of_files(
    transaction: Transaction, access: Access, linked: Mapping[str, tuple[float, str]], now: datetime
) -> list[tuple[Memory, str]]:
    if not linked:
        return []
    filters = Filters(types=_TYPES, files=frozenset(linked))
    listed = reads.list_memories(
        transaction, access, filters, now=to_microseconds(now), before=None, limit=_READ
    )
    return [
        (one, max((path for path in one.files if path in linked), key=linked.__getitem__))
        for one in listed
    ]


def _least(found: Sequence[Found]) -> float:
    """Lowest score among the results: memories added by the chain rank below it."""
    return min((hit.score for hit in found), default=1.0)
