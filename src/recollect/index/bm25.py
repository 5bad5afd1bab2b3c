"""BM25, the one keyword ranking formula for memories, events, sessions, code and chat entries.

A term counts by how rare it is among the documents, by how often it occurs in one of them, and less
in a long document. The caller defines what a document is: a row, a row with the turns before it, a
whole session, a file, or a piece of a file.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Saturation of repeated terms (k1), and weight of the document length (b).
K1: Final = 1.2
B: Final = 0.75
LEAST_RARITY_SHARE: Final = 0.01

Weights = NDArray[np.float32]


class Bm25:
    """BM25 over documents of known lengths. Immutable."""

    __slots__ = ("_damping", "live")

    def __init__(
        self, lengths: NDArray[Any], *, live: int, average: float, length_share: float = B
    ) -> None:
        """``live`` is the number of documents for rarity, ``average`` their mean length."""
        self.live = live
        factor = np.float32(K1 * length_share / average)
        self._damping: Weights = (K1 * (1 - length_share) + factor * lengths).astype(np.float32)

    def rarity(self, holding: int) -> float:
        """Inverse document frequency of a term that ``holding`` documents contain."""
        return rarity(self.live, holding)

    def scores(
        self, documents: NDArray[np.int64], counts: NDArray[Any], term_weight: float
    ) -> Weights:
        """Scores that a term adds to each of these documents, which contain it ``counts`` times.

        ``term_weight`` is the rarity of the term, times its weight in the question if it has one.
        """
        return _saturated(counts, self._damping.take(documents), term_weight)

    def all_scores(self, counts: NDArray[Any], term_weight: float) -> Weights:
        """Scores that a term adds to every document; zero where the count is zero."""
        return _saturated(counts, self._damping, term_weight)


def rarity(live: int, holding: int) -> float:
    """Inverse document frequency of a term, as in FTS5.

    A term in most texts counts next to nothing, but never less than zero: in a store of three
    memories, a word of two of them must still find them.
    """
    odds = (max(live, holding) - holding + 0.5) / (holding + 0.5)
    return max(math.log(odds), LEAST_RARITY_SHARE * math.log1p(odds))


def _saturated(counts: NDArray[Any], damping: Weights, term_weight: float) -> Weights:
    frequency = counts.astype(np.float32, copy=False)
    scores: Weights = np.float32(term_weight * (K1 + 1)) * frequency / (frequency + damping)
    return scores
