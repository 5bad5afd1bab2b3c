"""Search of archived memories, for those who ask for them: by their words, most telling ones first.

Archived memories are not in the index, so that no other search pays for them. They are read and
compared one after the other here; a word counts for more the fewer of them hold it (BM25).
"""

import math
from collections import Counter
from typing import Final, NamedTuple

from recollect.index.analyser import analyse
from recollect.memories.index_entries import searched_words
from recollect.recall.candidates import RecallCandidate
from recollect.recall.results import full_items
from recollect.recall.state import RecallState
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.results import Found

#: Number of memories that are read at once.
_PAGE: Final = 500
#: How soon a repeated word counts no more, and how much a long text counts less for one.
_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
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
    holding = Counter(term for one in found for term in one.counts)
    weights = {term: math.log(1 + (read + 1) / (holding[term] + 0.5)) for term in terms}
    whole = sum(weights.values()) or 1.0
    candidates: list[RecallCandidate] = []
    for one in found:
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * one.length / max(1.0, mean))
        words = sum(weights[term] * times / (times + damping) for term, times in one.counts.items())
        share = sum(weights[term] for term in one.counts) / whole
        score = (share + words / whole) / 2
        candidate = RecallCandidate("memories", -1, -1, {}, keyword=words, item_id=one.memory_id)
        candidate.text, candidate.score, candidate.relevance = one.text, score, score
        candidate.parts = {"keywords": score}
        candidates.append(candidate)
    candidates.sort(key=lambda one: (one.score, one.item_id), reverse=True)
    for rank, candidate in enumerate(candidates, 1):
        candidate.keyword_rank = rank
    return candidates
