"""Words seen before and the sums of their token vectors, so that a known word costs one look-up.

Invariant: the table holds at most `capacity` words; when a batch would not fit, everything is
forgotten and learnt again. An array handed out is never moved or cleared under its reader: growing
and forgetting replace the array, they do not reuse it. The caller holds the lock.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FIRST_SIZE: Final = 4_096


class WordTable:
    """A bounded table from words to vectors, filled by the function it is given."""

    def __init__(
        self, vector_of: Callable[[str], NDArray[np.float32]], *, dims: int, capacity: int
    ) -> None:
        self._vector_of = vector_of
        self._dims = dims
        self._capacity = capacity
        self._forget()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The array that the row numbers of the last `rows` call point into."""
        return self._vectors

    def rows(self, sentences: Iterable[Sequence[str]]) -> NDArray[np.intp]:
        """The row of every word, in order. KeyError when a word has not been learnt."""
        words = chain.from_iterable(sentences)
        return np.fromiter(map(self._rows.__getitem__, words), np.intp)

    def learn(self, sentences: Iterable[Sequence[str]]) -> None:
        """Make sure that every one of these words has a row."""
        distinct = dict.fromkeys(chain.from_iterable(sentences))
        unknown = [word for word in distinct if word not in self._rows]
        if len(self._rows) + len(unknown) > self._capacity:
            self._forget()
            unknown = list(distinct)
        self._make_room(len(self._rows) + len(unknown))
        for word in unknown:
            row = len(self._rows)
            self._vectors[row] = self._vector_of(word)
            self._rows[word] = row

    def _forget(self) -> None:
        self._rows: dict[str, int] = {}
        first_size = min(_FIRST_SIZE, self._capacity)
        self._vectors = np.zeros((first_size, self._dims), np.float32)

    def _make_room(self, needed: int) -> None:
        size = len(self._vectors)
        if needed <= size:
            return
        while size < needed:
            size *= 2
        grown = np.zeros((size, self._dims), np.float32)
        grown[: len(self._rows)] = self._vectors[: len(self._rows)]
        self._vectors = grown
