"""What the rankings of one question have in common: word vectors, nearness and features of texts.

One question ranks a person's entries up to three times: alone, together with the sentences of their
messages, and together with those told later. Nearly all of what is computed for a text depends on
the question and the text alone, so it is computed once. Nothing here outlives the question.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.question_reader import content_words_of

WordVectors = Callable[[Sequence[str]], NDArray[np.float32]]
FeatureRow = dict[str, float]


class SharedReadings:
    """Texts as one question reads them."""

    def __init__(self, vectors: WordVectors | None) -> None:
        self._vectors = vectors
        self._words: dict[str, list[str]] = {}
        self._rows: dict[str, NDArray[np.float32]] = {}
        self._nearness: dict[Hashable, dict[str, FeatureRow]] = {}
        self._unit: dict[str, NDArray[np.float32]] = {}
        self._nearest_words: dict[tuple[str, ...], dict[str, NDArray[np.float32]]] = {}
        self._features: dict[Hashable, dict[KnownEntry, FeatureRow]] = {}
        self._held: dict[Hashable, dict[KnownEntry, Any]] = {}
        self._aliases: dict[str, set[str]] | None = None

    def features(self, key: Hashable) -> dict[KnownEntry, FeatureRow]:
        """Features by entry, of all rankings that agree in ``key``."""
        return self._features.setdefault(key, {})

    def held(self, key: Hashable) -> dict[KnownEntry, Any]:
        """How each entry holds the words of ``key``, of all rankings that agree in it."""
        return self._held.setdefault(key, {})

    def aliases(self, read: Callable[[], dict[str, set[str]]]) -> dict[str, set[str]]:
        """Names and relations of the same person, as the first ranking reads them."""
        if self._aliases is None:
            self._aliases = read()
        return self._aliases

    def words(self, text: str) -> list[str]:
        """The telling words of a text."""
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = content_words_of(text)
        return found

    def rows(self, text: str) -> NDArray[np.float32]:
        """A row for each telling word of a text."""
        self._read([text])
        return self._rows[text]

    def unit_rows(self, text: str) -> NDArray[np.float32]:
        """The same, each row of the length 1."""
        found = self._unit.get(text)
        if found is None:
            found = self._unit[text] = unit(self.rows(text))
        return found

    def nearest_words(self, terms: tuple[str, ...], texts: Sequence[str]) -> NDArray[np.float32]:
        """Cosine of each of several words with the nearest word of each text."""
        near = self._nearest_words.setdefault(terms, {})
        unread = [text for text in dict.fromkeys(texts) if text not in near]
        self._read(unread)
        asked = unit(self.raw(terms))
        for text in unread:
            rows = self.unit_rows(text)
            is_read = len(rows) > 0 and rows.shape[1] == asked.shape[1]
            # One text at a time: a product of all of them would be spread over threads.
            near[text] = (rows @ asked.T).max(axis=0) if is_read else np.zeros(len(terms), "f4")
        return np.array([near[text] for text in texts], np.float32).reshape(len(texts), len(terms))

    def raw(self, words: Sequence[str]) -> NDArray[np.float32]:
        """A row for each word."""
        if self._vectors is None or not words:
            return np.zeros((len(words), 1), np.float32)
        return self._vectors(list(words))

    def nearness(
        self, whole: NDArray[np.float32], widest: int, texts: Sequence[str], key: Hashable
    ) -> list[FeatureRow]:
        """Similarity of a vector to each text as a whole and to its most similar part, which has
        at most ``widest`` words.
        """
        near = self._nearness.setdefault(key, {})
        unread = [text for text in dict.fromkeys(texts) if text not in near]
        self._read(unread)
        near.update(zip(unread, self._near(whole, widest, unread), strict=True))
        return [near[text] for text in texts]

    def _near(
        self, whole: NDArray[np.float32], widest: int, texts: Sequence[str]
    ) -> Iterable[FeatureRow]:
        read = [len(rows) > 0 and rows.shape[1] == len(whole) for rows in map(self.rows, texts)]
        told = [self._rows[text] for text, is_read in zip(texts, read, strict=True) if is_read]
        pairs = iter(zip(*_nearest(whole, widest, told), strict=True))
        for is_read in read:
            if is_read:
                near_whole, near_part = next(pairs)
                yield {"near_whole": near_whole, "near_part": near_part}
            else:
                yield {"near_whole": 0.0}

    def _read(self, texts: Sequence[str]) -> None:
        """Look up the words of several texts at once."""
        unread = [text for text in dict.fromkeys(texts) if text not in self._rows]
        rows = self.raw([word for text in unread for word in self.words(text)])
        start = 0
        for text in unread:
            end = start + len(self.words(text))
            self._rows[text] = rows[start:end]
            start = end


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows scaled to the length 1."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), np.float32)


def _nearest(
    whole: NDArray[np.float32], widest: int, told: Sequence[NDArray[np.float32]]
) -> tuple[list[float], list[float]]:
    """Cosines of a vector with the sum of the rows of each text, and with its nearest window."""
    if not told:
        return [], []
    counts = np.array([len(rows) for rows in told])
    ends = np.cumsum(counts)
    begins = ends - counts
    # In double precision, since the sums run over all texts and only their differences count.
    sums = np.zeros((int(ends[-1]) + 1, len(whole)))
    np.cumsum(np.concatenate(told), axis=0, dtype=np.float64, out=sums[1:])
    wide = np.minimum(counts, widest)
    windows = counts - wide + 1
    first = np.cumsum(windows) - windows
    inside = np.arange(int(windows.sum())) - np.repeat(first, windows)
    start = np.repeat(begins, windows) + inside
    parts = sums[start + np.repeat(wide, windows)] - sums[start]
    target = whole.astype(np.float64)
    near_part = np.maximum.reduceat(_cosines(parts, target), first)
    near_whole = _cosines(sums[ends] - sums[begins], target)
    return near_whole.tolist(), near_part.tolist()


def _cosines(rows: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine of each row with a vector of the length 1; 0 for a row of zeros."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray((rows @ target) / np.where(lengths > 1e-9, lengths, 1.0))
