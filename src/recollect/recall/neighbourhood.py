"""Memories by the file graph: those of files connected to the results are added and move up.

The starting points are the files of the best results and recently touched files.

A file gives the files one hop away (by import, call, history, or because sessions open both) a
share of its score. A memory about such a file moves up if the search found it, and is added with
that share if not. Neither passes the result that the share came from, and each states the reason.
The share depends on the type of the question: it is largest where the question asks how code is
connected.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from heapq import merge
from itertools import accumulate
from typing import Final, NamedTuple

from recollect.recall.candidates import RecallCandidate
from recollect.recall.changed_code import files_changed
from recollect.recall.graph import LENDERS, Neighbours
from recollect.recall.plan import CHUNKS, Plan
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory

#: Maximum number of memories that the graph adds, of memories read to choose them, and of files to
#: start from.
BROUGHT: Final = 15
_READ: Final = 60
_FILES: Final = 200
#: Score to share from where the question itself found nothing.
_ALONE: Final = 0.5
#: Factor that keeps a neighbour below the result that it came from.
_BELOW: Final = 0.99
SIGNAL: Final = "neighbours"


class _SharedScore(NamedTuple):
    """Score given to a file, the highest score that it may bring a memory to, the reason, the
    result that gives it, and the file whose edge is the reason, if an edge of the code is.
    """

    value: float
    most: float
    reason: str
    by: str = ""
    edge_of: str = ""


def with_neighbours(
    transaction: Transaction,
    access: Access,
    neighbours: Neighbours,
    ordered: list[RecallCandidate],
    *,
    plan: Plan,
    files: Mapping[str, Sequence[str]],
    recent: Sequence[str],
    now: int,
) -> list[RecallCandidate]:
    """All candidates with those that the graph adds, by score; pieces of code keep their order.

    ``files`` are the files of the best results, by id; ``recent`` are the files touched lately.
    """
    shares = _shared_scores(
        transaction, access, neighbours, ordered, plan=plan, files=files, recent=recent
    )
    if not shares:
        return ordered
    chosen = sorted(shares, key=lambda path: -shares[path].value)[:_FILES]
    filters = replace(plan.filters, files=frozenset(chosen))
    tied = reads.list_memories(transaction, access, filters, now=now, before=None, limit=_READ)
    shares = _current_shares(
        transaction, access, shares, {path for one in tied for path in one.files}
    )
    there = {one.item_id: one for one in ordered if one.collection == "memories"}
    brought = []
    for memory in tied:
        if not any(path in shares for path in memory.files):
            continue
        path, shared = max(
            ((path, shares[path]) for path in memory.files if path in shares),
            key=lambda entry: entry[1].value,
        )
        reason = f"about {path}, which {shared.reason}"
        if memory.id not in there:
            brought.append(_candidate(memory, shared.value, reason))
        elif shared.by != memory.id:
            _lift(there[memory.id], shared, reason)
    brought.sort(key=lambda one: -one.score)
    pieces = [one for one in ordered if one.collection == CHUNKS]
    others = [one for one in ordered if one.collection != CHUNKS]
    return merged_by_score([*others, *brought[:BROUGHT]], pieces)


def merged_by_score(
    others: Sequence[RecallCandidate], pieces: Sequence[RecallCandidate]
) -> list[RecallCandidate]:
    """Merge results by score with pieces of code, which keep the order of their ranking.

    The score of a piece says how much of the question it covers, and is not what code is ranked by.
    Each piece stands as high as the best score among it and those behind it, so that no other
    result passes a piece with a higher score.
    """
    best = list(accumulate((one.score for one in reversed(pieces)), max))[::-1]
    ranked = sorted(((-one.score, one) for one in others), key=lambda entry: entry[0])
    placed = [(-score, one) for score, one in zip(best, pieces, strict=True)]
    return [one for _, one in merge(ranked, placed, key=lambda entry: entry[0])]


_TOUCHED: Final = "was touched lately"


def _shared_scores(
    transaction: Transaction,
    access: Access,
    neighbours: Neighbours,
    ordered: Sequence[RecallCandidate],
    *,
    plan: Plan,
    files: Mapping[str, Sequence[str]],
    recent: Sequence[str],
) -> dict[str, _SharedScore]:
    """Score given to each file by the best results and by recently touched files."""
    share = plan.profile.graph_shares.get(plan.query_type, 0.0)
    if not share:
        return {}
    best = ordered[0].score if ordered else _ALONE
    lenders = {path: (best, f"{path}, touched lately", "") for path in recent}
    shares = {path: _SharedScore(best * share, best * _BELOW, _TOUCHED) for path in recent}
    for leader in ordered[:LENDERS]:
        for path in files.get(leader.item_id, ()):
            if leader.score > lenders.get(path, (0.0, "", ""))[0]:
                lenders[path] = leader.score, path, leader.item_id
    if not lenders:
        return {}
    for path, links in neighbours.around(transaction, access, list(lenders)).items():
        score, told, by = lenders[path]
        for other, (weight, how) in links.items():
            value = score * weight * share
            if value > shares.get(other, _NOTHING).value:
                edge_of = {"imports": other, "calls": other}.get(how, path)
                edge_of = edge_of if how in _EDGES else ""
                shares[other] = _SharedScore(
                    value, score * _BELOW, f"{_verb(how)} {told}", by, edge_of
                )
    return shares


def _current_shares(
    transaction: Transaction,
    access: Access,
    shares: Mapping[str, _SharedScore],
    paths: Collection[str],
) -> dict[str, _SharedScore]:
    """The shared scores of these files, without those whose reason is an edge of a changed file."""
    wanted = {path: shares[path] for path in paths if path in shares}
    owners = {shared.edge_of for shared in wanted.values()} - {""}
    changed = files_changed(transaction, access, owners)
    return {path: shared for path, shared in wanted.items() if shared.edge_of not in changed}


#: Kinds of connection that come from an edge of one of the two files.
_EDGES: Final = frozenset({"imports", "imported by", "calls", "called by"})
_NOTHING: Final = _SharedScore(0.0, 0.0, "")


def _verb(how: str) -> str:
    return f"is {how}" if how.endswith(" by") else how


def _candidate(memory: Memory, value: float, reason: str) -> RecallCandidate:
    one = RecallCandidate("memories", -1, -1, {SIGNAL: value}, item_id=memory.id)
    one.text, one.score, one.relevance = memory.content, value, value
    one.parts = {SIGNAL: value}
    one.reason = reason
    return one


def _lift(one: RecallCandidate, shared: _SharedScore, reason: str) -> None:
    """Move a candidate up by the shared score, but not past the result that gives it."""
    raised = min(one.score + shared.value, shared.most)
    if raised > one.score:
        one.from_neighbours = raised - one.score
        one.score, one.reason = raised, reason
