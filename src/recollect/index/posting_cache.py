"""The postings of terms that questions asked for, in five bytes each; the longest unused go first.

A large collection has more postings than fit. Dropping all of them when there is no more room would
read the frequent terms again with every other question; the longest unused are mostly rare terms,
which are read quickly.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Weights = NDArray[np.float32]

#: Number of postings kept: 48 MB.
LIMIT: Final = 9_600_000


class _Kept(NamedTuple):
    """Postings in as few bytes as they need: no row is 2**31, no count more than 255."""

    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]
    retirements: int


class PostingCache:
    """The rows that contain each term, and how often; ``retirements`` says how up to date."""

    def __init__(self) -> None:
        self._by_term: OrderedDict[str, _Kept] = OrderedDict()
        self._held = 0

    def __contains__(self, term: str) -> bool:
        return term in self._by_term

    def get(self, term: str) -> tuple[Rows, Weights, int]:
        """The postings of a term that is here, and the retirements up to which they are current."""
        self._by_term.move_to_end(term)
        kept = self._by_term[term]
        return kept.rows.astype(np.int64), kept.counts.astype(np.float32), kept.retirements

    def put(self, term: str, rows: Rows, counts: Weights, retirements: int) -> None:
        """Keep the postings of a term, in place of those that were kept."""
        self._drop(term)
        while self._by_term and self._held + len(rows) > LIMIT:
            self._drop(next(iter(self._by_term)))
        few = rows.astype(np.int32), counts.astype(np.uint8)
        self._by_term[term] = _Kept(*few, retirements)
        self._held += len(rows)

    def clear(self) -> None:
        """Keep nothing."""
        self._by_term.clear()
        self._held = 0

    def _drop(self, term: str) -> None:
        kept = self._by_term.pop(term, None)
        if kept is not None:
            self._held -= len(kept.rows)
