"""Matches the words of a question with those of a text, by themselves or by their meaning."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.embedder import Lexicon
from recollect.research.questions import content_words_of, term_of

_WORDS_OF_TEXT: Final = 200
#: Least length of a word's vector: a word without one says next to nothing.
_LEAST_LENGTH: Final = 1.0


class WordMatcher:
    """Measures how nearly a text holds each word: by the word itself, or one of similar meaning."""

    def __init__(self, words: Sequence[str], lexicon: Lexicon | None) -> None:
        self._words = list(words)
        self._terms = [term_of(word) for word in words]
        self._lexicon = lexicon
        vectors = self._vectors(self._words)
        lengths = np.ones(len(self._words), np.float32)
        if vectors is not None:
            lengths = np.maximum(np.linalg.norm(vectors, axis=1), _LEAST_LENGTH)
        #: How much each word says: the length of its vector, which is small for words that stand
        #: in texts about anything ("think", "kind") and large for names and rare things.
        self.says = lengths
        self._rows = None if vectors is None else _unit(vectors)

    def matches(self, text: str) -> NDArray[np.float32]:
        """One value per word, from 0 to 1."""
        theirs = content_words_of(text)[:_WORDS_OF_TEXT]
        terms = {term_of(word) for word in theirs}
        exact = np.array([float(term in terms) for term in self._terms], np.float32)
        vectors = self._vectors(theirs)
        if self._rows is None or vectors is None:
            return exact
        near = np.clip(self._rows @ _unit(vectors).T, 0.0, 1.0).max(axis=1)
        return np.asarray(np.maximum(exact, near), np.float32)

    def exact_matches(self, text: str) -> NDArray[np.float32]:
        """For each word 1 where the text holds the word itself, in any form, else 0."""
        terms = {term_of(word) for word in content_words_of(text)[:_WORDS_OF_TEXT]}
        return np.array([float(term in terms) for term in self._terms], np.float32)

    def _vectors(self, words: list[str]) -> NDArray[np.float32] | None:
        return self._lexicon.word_vectors(words) if self._lexicon is not None and words else None


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors / lengths, np.float32)
