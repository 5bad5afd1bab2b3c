"""Causal chains: what is remembered of files that must be touched together comes along.

Two sources say which files those are. The code graph knows what has changed together: a memory
about such a file is brought in behind the best results, with its reason, and never passes what
brought it (``brought_along``). What was learned is kept as links between files and as memories tied
by ``required_with``: whoever asks for the chain gets what they lead to after all results
(``coming_along``).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.recall.graph import Neighbours
from recollect.storage.database import Transaction
from recollect.storage.memories import reads, required_files
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.results import Filters, Found

#: From which weight on two files, or two memories, are taken to belong together.
TOGETHER: Final = 0.6
#: How many of the best results bring others in, how many they bring, and at which share.
LEADERS: Final = 5
_MOST_BROUGHT: Final = 3
_SHARE: Final = 0.5
#: How many come with the chain, and from how many files it is followed.
_MOST_COMING: Final = 5
_MOST_FILES: Final = 50
_READ: Final = 50
_TYPES: Final = frozenset(
    kind.value for kind in (MemoryType.GOTCHA, MemoryType.PATTERN, MemoryType.ERROR_PATTERN)
)


def brought_along(
    transaction: Transaction,
    access: Access,
    neighbours: Neighbours,
    ordered: Sequence[RecallCandidate],
    *,
    files: dict[str, Sequence[str]],
    now: int,
) -> list[RecallCandidate]:
    """Memories that the files of the best results bring along; ``files`` are by id."""
    links = neighbours.of(transaction, access)
    if not links:
        return []
    wanted: dict[str, tuple[float, str]] = {}
    for leader in ordered[:LEADERS]:
        for path in files.get(leader.item_id, ()):
            for other, (weight, how) in links.get(path, {}).items():
                if how == "changes with" and weight >= TOGETHER:
                    score = leader.score * weight * _SHARE
                    if score > wanted.get(other, (0.0, ""))[0]:
                        wanted[other] = score, path
    if not wanted:
        return []
    found = reads.list_memories(
        transaction, access, Filters(files=frozenset(wanted)), now=now, before=None, limit=_READ
    )
    there = {one.item_id for one in ordered}
    made = [_candidate(one, wanted) for one in found if one.id not in there]
    return sorted(made, key=lambda one: -one.score)[:_MOST_BROUGHT]


def _candidate(memory: Memory, wanted: dict[str, tuple[float, str]]) -> RecallCandidate:
    score, path, own = max((*wanted[file], file) for file in memory.files if file in wanted)
    one = RecallCandidate("memories", -1, -1, {"neighbours": score}, item_id=memory.id)
    one.text, one.score, one.relevance = memory.content, score, score
    one.parts = {"neighbours": score}
    one.reason = f"about {own}, which changes with {path}"
    return one


def coming_along(
    transaction: Transaction,
    access: Access,
    found: Sequence[Found],
    *,
    files: Sequence[str],
    now: datetime,
) -> tuple[Found, ...]:
    """What comes along with the found, surest first."""
    kept = [hit.item for hit in found if isinstance(hit.item, Memory)]
    start = sorted({path for one in kept for path in one.files} | set(files))[:_MOST_FILES]
    linked = required_files.linked_files(transaction, access, start, TOGETHER)
    known = {one.id for one in kept}
    ties = required_files.required_memories(transaction, access, sorted(known), TOGETHER)
    came = [
        (sure * one.current_confidence(now), one, "tied to what was found")
        for one, sure in _tied(transaction, access, ties, now)
    ]
    came += [
        (linked[path] * one.current_confidence(now), one, f"{path} goes with what was found")
        for one, path in _of_files(transaction, access, linked, now)
    ]
    best: dict[str, Found] = {}
    for worth, one, reason in sorted(came, key=lambda entry: (-entry[0], entry[1].id)):
        if one.id not in known and one.id not in best:
            best[one.id] = Found(item=one, score=worth * _least(found), along=reason)
    return tuple(best.values())[:_MOST_COMING]


def _tied(
    transaction: Transaction, access: Access, ties: Mapping[str, float], now: datetime
) -> list[tuple[Memory, float]]:
    there = reads.get_memories(transaction, access, sorted(ties)) if ties else {}
    return [
        (one, ties[name])
        for name, one in there.items()
        if not one.archived and one.superseded_by is None and one.valid_at(now)
    ]


def _of_files(
    transaction: Transaction, access: Access, linked: Mapping[str, float], now: datetime
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
    """What came along stands under what was found."""
    return min((hit.score for hit in found), default=1.0)
