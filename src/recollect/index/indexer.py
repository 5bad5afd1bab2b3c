"""Turns texts into index entries: tokens always, vectors if the embedder is local.

A local embedder runs in the write itself. A remote one is never waited for: the caller enqueues a
job in the same transaction, and until it is done the text is found by keywords only.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from recollect.index.analyser import analyse, tokens_of_word
from recollect.index.vector_index import Vector, pack
from recollect.inference.embedder import Embedder, Lexicon
from recollect.vocabulary.errors import EmbedderUnavailable
from recollect.vocabulary.vectors import VectorModel

SCANNED_DIMENSIONS: Final = 256

_SHORT: Final = 2_000  # characters; so few can never reach the analyser's limit of tokens
_LONGEST_KEPT: Final = 32
_WORDS_KEPT: Final = 32_768

#: The kind of job that embeds later, and its attempts: with the queue's delays, about a day.
EMBED: Final = "index.embed"
EMBED_ATTEMPTS: Final = 48


class Indexed(NamedTuple):
    """What the index keeps of one text; ``summary`` is the vector of its shorter form, where that
    has one of its own."""

    tokens: str
    length: int
    vector: bytes | None
    summary: bytes | None = None


class Indexer:
    """The analyser with one embedder, or none.

    Somebody waits for a question, but nobody for a text; so questions may have an embedder of their
    own: the same model with a shorter timeout.
    """

    def __init__(self, embedder: Embedder | None, asker: Embedder | None = None) -> None:
        self.embedder = embedder
        self._asker = asker or embedder
        self._own_words = _as_lexicon(embedder)

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """Vectors of words: the embedder's own, or the bundled ones beside another embedder.

        A neural model compares whole texts; single words are compared by word vectors whatever
        model is chosen. None where there are to be no vectors at all.
        """
        if self.embedder is None or self._own_words is not None:
            return self._own_words
        from recollect.inference.bundled import bundled_folder

        if bundled_folder() is None:
            return None
        from recollect.inference.static_embedder import StaticEmbedder

        return StaticEmbedder()

    @property
    def weighs_words(self) -> bool:
        """Whether the vector of a question can be made of its words, each with a weight."""
        return self._own_words is not None

    @property
    def model_id(self) -> str | None:
        """The name of the model; known without a request."""
        return None if self.embedder is None else self.embedder.model_id

    @property
    def model(self) -> VectorModel:
        """The model of the vectors; a remote embedder may have to be asked for its dimensions."""
        if self.embedder is None:
            raise EmbedderUnavailable("No embedder is in use.")
        return _model(self.embedder, self.embedder.dims)

    @property
    def embeds_later(self) -> bool:
        """Whether vectors are computed by a job and not in the write."""
        return self.embedder is not None and not self.embedder.local

    @property
    def paid(self) -> bool:
        """Whether every embedded text costs money."""
        return bool(getattr(self.embedder, "paid", False))

    def index(self, words: Sequence[str], texts: Sequence[str]) -> list[Indexed]:
        """Tokens of the words to search by; vectors of the texts, if available at once."""
        vectors: Sequence[bytes | None] = [None] * len(texts)
        if self.embedder is not None and self.embedder.local:
            vectors = self.vectors(texts)
        return [
            Indexed(*_tokens(text), vector) for text, vector in zip(words, vectors, strict=True)
        ]

    @staticmethod
    def words_only(text: str) -> Indexed:
        """The tokens alone, for a text whose vector is stored already."""
        return Indexed(*_tokens(text), None)

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts in stored form; errors of the embedder are raised."""
        if self.embedder is None or not texts:
            return []
        packed = pack(self.embedder.embed(texts))
        size = len(packed) // max(1, len(texts))
        return [packed[start : start + size] for start in range(0, len(packed), size)]

    def question(self, text: str) -> tuple[VectorModel, Vector] | None:
        """The vector of a question and its model; None if it has no known word."""
        if self._asker is None:
            return None
        return self._question(self._asker, self._asker.embed([text])[0])

    def weighted_question(
        self, words: Sequence[str], weights: Sequence[float]
    ) -> tuple[VectorModel, Vector] | None:
        """The vector of a question with a weight for each word; only for a lexicon."""
        if self.embedder is None or self._own_words is None or not words:
            return None
        vector = np.asarray(weights, np.float32) @ self._own_words.word_vectors(words)
        length = float(np.linalg.norm(vector))
        return self._question(self.embedder, vector / length) if length > 0 else None

    @staticmethod
    def _question(embedder: Embedder, vector: Vector) -> tuple[VectorModel, Vector] | None:
        return (_model(embedder, len(vector)), vector) if np.any(vector) else None


def _as_lexicon(embedder: object) -> Lexicon | None:
    return embedder if isinstance(embedder, Lexicon) else None


def _model(embedder: Embedder, dims: int) -> VectorModel:
    scanned = min(dims, SCANNED_DIMENSIONS) if embedder.matryoshka else dims
    return VectorModel(embedder.model_id, dims, scanned)


class _TokenCache(dict[str, str]):
    """Cache of the tokens of recent words, each with a space after it; entries may be lost."""

    def __missing__(self, word: str) -> str:
        if len(word) > _LONGEST_KEPT:
            return "".join([f"{token} " for token in analyse(word)])
        if len(self) >= _WORDS_KEPT:
            self.clear()
        self[word] = tokens = "".join([f"{token} " for token in tokens_of_word(word)])
        return tokens


_words: Final = _TokenCache()


def _tokens(text: str) -> tuple[str, int]:
    """The tokens of a text in stored form, and their number; analysed word by word."""
    if len(text) > _SHORT:
        found = analyse(text)
        return " ".join(found), len(found)
    tokens = "".join(map(_words.__getitem__, text.split()))
    return tokens[:-1], tokens.count(" ")
