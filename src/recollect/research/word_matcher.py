"""Matches the words of a question with those of a text, by themselves or by their meaning."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.embedder import Lexicon
from recollect.research.questions import telling, term_of

_WORDS_OF_TEXT: Final = 200


class WordMatcher:
    """Measures how nearly a text holds each word: by the word itself, or one of similar meaning."""

    def __init__(self, words: Sequence[str], lexicon: Lexicon | None) -> None:
        self._words = list(words)
        self._terms = [term_of(word) for word in words]
        self._lexicon = lexicon
        self._rows = self._vectors(self._words)

    def matches(self, text: str) -> NDArray[np.float32]:
        """One value per word, from 0 to 1."""
        theirs = telling(text)[:_WORDS_OF_TEXT]
        terms = {term_of(word) for word in theirs}
        exact = np.array([float(term in terms) for term in self._terms], np.float32)
        rows = self._vectors(theirs)
        if self._rows is None or rows is None:
            return exact
        near = np.clip(self._rows @ rows.T, 0.0, 1.0).max(axis=1)
        return np.asarray(np.maximum(exact, near), np.float32)

    def _vectors(self, words: list[str]) -> NDArray[np.float32] | None:
        if self._lexicon is None or not words:
            return None
        rows = self._lexicon.word_vectors(words)
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return np.asarray(rows / lengths, np.float32)
