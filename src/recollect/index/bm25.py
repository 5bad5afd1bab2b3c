"""BM25, the one formula by which words rank: memories, events, sessions, code, and chat entries.

A term counts by how rare it is among the documents, by how often it stands in one of them, and less
in a document that is long. The caller says what a document is: a row, a row with the turns before
it, a whole session, a file, or a piece of a file.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: How soon further occurrences of a term stop counting, and how much of a length counts.
K1: Final = 1.2
B: Final = 0.75
NEXT_TO_NOTHING: Final = 0.01

Weights = NDArray[np.float32]


class Bm25:
    """BM25 over documents of known lengths. Nothing in it changes."""

    __slots__ = ("_damping", "live")

    def __init__(
        self, lengths: NDArray[Any], *, live: int, average: float, length_share: float = B
    ) -> None:
        """``live`` of the documents count in how rare a term is, and are so long on average."""
        self.live = live
        factor = np.float32(K1 * length_share / average)
        self._damping: Weights = (K1 * (1 - length_share) + factor * lengths).astype(np.float32)

    def rarity(self, holding: int) -> float:
        """How much a term tells that so many of the documents hold."""
        return rarity(self.live, holding)

    def scores(self, documents: NDArray[np.int64], counts: NDArray[Any], tells: float) -> Weights:
        """What a term adds to each of these documents, which hold it so many times.

        ``tells`` is the rarity of the term, times its weight in the question if it has one.
        """
        return _saturated(counts, self._damping.take(documents), tells)

    def all_scores(self, counts: NDArray[Any], tells: float) -> Weights:
        """What a term adds to every document; nothing where the count is zero."""
        return _saturated(counts, self._damping, tells)


def rarity(live: int, holding: int) -> float:
    """How much a term tells, as FTS5 reckons it.

    A term of most texts tells next to nothing, but never less: in a store of three memories a word
    of two of them must still find them.
    """
    odds = (max(live, holding) - holding + 0.5) / (holding + 0.5)
    return max(math.log(odds), NEXT_TO_NOTHING * math.log1p(odds))


def _saturated(counts: NDArray[Any], damping: Weights, tells: float) -> Weights:
    frequency = counts.astype(np.float32, copy=False)
    scores: Weights = np.float32(tells * (K1 + 1)) * frequency / (frequency + damping)
    return scores
