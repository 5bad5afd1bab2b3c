"""Search of archived memories, for those who ask for them: by their words, most telling ones first.

Archived memories are not in the index, so that no other search pays for them. They are read and
compared one after the other here; a word counts for more the fewer of them hold it (BM25).
"""

from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from recollect.index.analyser import analyse
from recollect.index.bm25 import Bm25
from recollect.memories.inserter import searched_words
from recollect.recall.candidates import RecallCandidate
from recollect.recall.results import full_items
from recollect.recall.state import RecallState
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.results import Found

#: Number of memories that are read at once.
_PAGE: Final = 500
_NOTE: Final = "archived memories are compared by their words alone"
_WHOLE: Final = "Archived memories are searched in all sessions: a limit to some has no effect."


class _Held(NamedTuple):
    """How often a memory holds each word of the question, and its length in words."""

    memory_id: str
    text: str
    counts: Counter[str]
    length: int


def archived_memories(
    transaction: Transaction, access: Access, asked: RecallState, now: int
) -> tuple[tuple[Found, ...], list[RecallCandidate]]:
    """The archived memories that hold words of the question, best first; all of them ranked."""
    asked.notes.append(_NOTE)
    if asked.sessions is not None:
        asked.missing.append(_WHOLE)
    if not asked.wants_memories:
        return (), []
    ranked = _ranked(asked.plan.terms, *_held(transaction, access, asked, now))
    shown = ranked[: asked.plan.limit + asked.more]
    return full_items(transaction, access, shown, asked), ranked


def _held(
    transaction: Transaction, access: Access, asked: RecallState, now: int
) -> tuple[list[_Held], int, float]:
    """The memories that hold a word of the question; how many were read, and their mean length."""
    wanted, found = set(asked.plan.terms), list[_Held]()
    read = words = 0
    before: str | None = None
    while page := reads.list_memories(
        transaction, access, asked.plan.filters, now=now, before=before, limit=_PAGE
    ):
        for memory in page:
            tokens = analyse(searched_words(memory))
            read, words = read + 1, words + len(tokens)
            counts = Counter(token for token in tokens if token in wanted)
            if counts:
                found.append(_Held(memory.id, memory.content, counts, len(tokens)))
        before = page[-1].id
    return found, read, words / max(1, read)


def _ranked(
    terms: tuple[str, ...], found: list[_Held], read: int, mean: float
) -> list[RecallCandidate]:
    """The memories as candidates, best first. A score is the share of what the question's words
    weigh, so that it does not depend on what else was found."""
    if not found:
        return []
    counts = np.array([[one.counts[term] for one in found] for term in terms], np.float32)
    bm25 = Bm25(np.array([one.length for one in found]), live=read, average=max(1.0, mean))
    rarities = [bm25.rarity(holding) for holding in np.count_nonzero(counts, axis=1).tolist()]
    keywords = bm25.scores_of_all(counts, rarities).sum(axis=0).tolist()
    weights = dict(zip(terms, rarities, strict=True))
    whole, most = sum(rarities) or 1.0, bm25.most(rarities) or 1.0
    candidates: list[RecallCandidate] = []
    for one, words in zip(found, keywords, strict=True):
        share = sum(weights[term] for term in one.counts) / whole
        score = (share + words / most) / 2
        candidate = RecallCandidate("memories", -1, -1, {}, keyword=words, item_id=one.memory_id)
        candidate.text, candidate.score, candidate.relevance = one.text, score, score
        candidate.parts = {"keywords": score}
        candidates.append(candidate)
    candidates.sort(key=lambda one: (one.score, one.item_id), reverse=True)
    for rank, candidate in enumerate(candidates, 1):
        candidate.keyword_rank = rank
    return candidates
