"""Similarity of two questions, from 0 to 1, on a calibrated scale.

Over 0.9: the same question, in these or other words; nothing distinguishes them (another name, a
number, a negation, a word that has no match in the other). About 0.7: most of the topic is matched.
Under 0.5: a word in common. Below 0.9 the score is the share of each text's content words that is
matched in the other, by the same stem or by a word of nearly the same meaning; the words being
typed count more than those they are compared with, because a question that is being typed is not
complete.
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms
from recollect.memories.text_comparison import WordVectors, alike, are_distinct, read

SAME: Final = 0.9
_TYPED: Final = 0.7
_LEAST_COSINE: Final = 0.75
_READ: Final = 600


def likeness(question: str, text: str, vectors: WordVectors | None) -> float:
    """Similarity of a question and a text."""
    asked, stated = terms_of(question[:_READ]), terms_of(text[:_READ])
    if not asked or not stated:
        return 0.0
    if set(asked) == set(stated) and not are_distinct(read(question[:_READ]), read(text[:_READ])):
        return 1.0
    here, there = _met(asked, stated, vectors)
    score = _TYPED * _share(asked, here) + (1.0 - _TYPED) * _share(stated, there)
    matched = all(here) and all(there)
    if matched and score > 0.6 and alike(question[:_READ], text[:_READ], vectors):
        return round(SAME + 0.1 * score, 4)
    return round(min(score, 0.89), 4)


def best_likeness(question: str, texts: Sequence[str], vectors: WordVectors | None) -> float:
    """The greatest similarity among several texts, each of which may stand for the whole."""
    return max((likeness(question, text, vectors) for text in texts), default=0.0)


@lru_cache(16_384)
def terms_of(text: str) -> tuple[str, ...]:
    """The stems of the content words, each once."""
    return tuple(dict.fromkeys(query_terms(text)))


def _met(
    asked: tuple[str, ...], stated: tuple[str, ...], vectors: WordVectors | None
) -> tuple[list[float], list[float]]:
    """How well each term of one side is matched on the other side, from 0 to 1."""
    if vectors is None:
        here, there = set(asked), set(stated)
        return [float(term in there) for term in asked], [float(term in here) for term in stated]
    near = (
        np.stack([_unit(vectors, term) for term in asked])
        @ np.stack([_unit(vectors, term) for term in stated]).T
    )
    near[near < _LEAST_COSINE] = 0.0
    for row, term in enumerate(asked):  # a word without a vector still matches itself
        if term in stated:
            near[row, stated.index(term)] = 1.0
    return near.max(axis=1).tolist(), near.max(axis=0).tolist()


def _share(terms: Sequence[str], met: Sequence[float]) -> float:
    """The share of the terms that is matched; longer words count more."""
    weights = [min(2.0, 0.5 + len(term) / 6.0) for term in terms]
    return float(sum(map(mul, weights, met))) / sum(weights)


@lru_cache(32_768)
def _unit(vectors: WordVectors, term: str) -> NDArray[np.float32]:
    """The vector of a term, of length one."""
    (vector,) = vectors([term])
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)
