"""The postings of terms that questions asked for, packed; the longest unused go first.

A large collection has more postings than fit. Dropping all of them when there is no more room would
read the frequent terms again with every other question; the longest unused are mostly rare terms,
which are read quickly.
"""

from collections import OrderedDict
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Weights = NDArray[np.float32]

#: Number of bytes kept.
LIMIT: Final = 48_000_000
#: Up to so many postings of a term are kept as they are used: packing takes time, too.
SHORT: Final = 1_000


class _Kept(NamedTuple):
    """Postings; those of a long list packed: no row is 2**31, no count more than 255."""

    rows: NDArray[Any]
    counts: NDArray[Any]
    retirements: int

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.counts.nbytes


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
        rows, counts, retirements = self._by_term[term]
        if len(rows) > SHORT:
            rows, counts = rows.astype(np.int64), counts.astype(np.float32)
        return rows, counts, retirements

    def put(self, term: str, rows: Rows, counts: Weights, retirements: int) -> None:
        """Keep the postings of a term, in place of those that were kept."""
        self._drop(term)
        if len(rows) > SHORT:
            kept = _Kept(rows.astype(np.int32), counts.astype(np.uint8), retirements)
        else:  # copies: what is given may be a part of a larger array
            kept = _Kept(rows.copy(), counts.copy(), retirements)
        self._held += kept.nbytes
        while self._by_term and self._held > LIMIT:
            self._drop(next(iter(self._by_term)))
        self._by_term[term] = kept

    def clear(self) -> None:
        """Keep nothing."""
        self._by_term.clear()
        self._held = 0

    def _drop(self, term: str) -> None:
        kept = self._by_term.pop(term, None)
        if kept is not None:
            self._held -= kept.nbytes
