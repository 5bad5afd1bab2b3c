"""How alike two questions are, from 0 to 1, on a scale that means something.

Over 0.9: the same question, in these or other words; nothing tells them apart (another name, a
number, a negation). About 0.7: most of what is asked about is met. Under 0.5: a word in common.
Below 0.9 the score is how much of each text's telling words is met in the other, by the same stem
or by a word that means nearly the same; the words that are being typed count more than those they
are compared with, because a question that is being typed is not complete.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from recollect.index.analyser import query_terms
from recollect.memories.near_duplicates import WordVectors, alike, read, told_apart

SAME: Final = 0.9
_TYPED: Final = 0.7
_NEAR: Final = 0.75
_READ: Final = 600


def likeness(question: str, text: str, vectors: WordVectors | None) -> float:
    """How alike a question and a text are."""
    asked, told = terms_of(question[:_READ]), terms_of(text[:_READ])
    if not asked or not told:
        return 0.0
    if set(asked) == set(told) and not told_apart(read(question[:_READ]), read(text[:_READ])):
        return 1.0
    forth, back = _met(asked, told, vectors), _met(told, asked, vectors)
    score = _TYPED * forth + (1.0 - _TYPED) * back
    if score > 0.6 and alike(question[:_READ], text[:_READ], vectors):
        return round(SAME + 0.1 * score, 4)
    return round(min(score, 0.89), 4)


def best_likeness(question: str, texts: Sequence[str], vectors: WordVectors | None) -> float:
    """The greatest likeness among several texts, each of which may stand for the whole."""
    return max((likeness(question, text, vectors) for text in texts), default=0.0)


@lru_cache(16_384)
def terms_of(text: str) -> tuple[str, ...]:
    """The stems of the words that say something, each once."""
    return tuple(dict.fromkeys(query_terms(text)))


def _met(some: Sequence[str], others: Sequence[str], vectors: WordVectors | None) -> float:
    """The share of some terms that are met by others; a longer word says more."""
    known = set(others)
    total = met = 0.0
    for term in some:
        weight = min(2.0, 0.5 + len(term) / 6.0)
        total += weight
        if term in known:
            met += weight
        elif vectors is not None:
            near = _nearest(term, tuple(others), vectors)
            met += weight * near if near >= _NEAR else 0.0
    return met / total if total else 0.0


@lru_cache(65_536)
def _nearest(term: str, others: tuple[str, ...], vectors: WordVectors) -> float:
    rows = np.asarray(vectors([term, *others]), np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return float((rows[1:] @ rows[0]).max()) if len(rows) > 1 else 0.0
