"""The causal chain: what is remembered of files that must be touched together comes along.

A memory about a file that changes with the files of the best results is brought in behind them,
with its reason; it never passes what brought it.
"""

from collections.abc import Sequence
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.recall.graph import Neighbours
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters

LEADERS: Final = 5
MOST: Final = 3
#: From which weight on two files are taken to belong together.
TOGETHER: Final = 0.6
_SHARE: Final = 0.5


def brought_along(
    transaction: Transaction,
    sight: Access,
    neighbours: Neighbours,
    ordered: Sequence[RecallCandidate],
    *,
    files: dict[str, Sequence[str]],
    now: int,
) -> list[RecallCandidate]:
    """Memories that the files of the best results bring along; ``files`` are by id."""
    links = neighbours.of(transaction, sight)
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
        transaction, sight, Filters(files=frozenset(wanted)), now=now, before=None, limit=50
    )
    there = {one.item_id for one in ordered}
    made = [_candidate(one, wanted) for one in found if one.id not in there]
    return sorted(made, key=lambda one: -one.score)[:MOST]


def _candidate(memory: Memory, wanted: dict[str, tuple[float, str]]) -> RecallCandidate:
    score, path, own = max((*wanted[file], file) for file in memory.files if file in wanted)
    one = RecallCandidate("memories", -1, -1, {"neighbours": score}, item_id=memory.id)
    one.text, one.score, one.relevance = memory.content, score, score
    one.parts = {"neighbours": score}
    one.reason = f"about {own}, which changes with {path}"
    return one
