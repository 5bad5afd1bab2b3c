"""Embedders for tests: quick, without weights, and with faults on demand."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.vocabulary.errors import EmbedderFailed

Vectors = NDArray[np.float32]


class WordEmbedder:
    """Texts that share words lie near each other. Words are told apart by a hash, so any is known.

    Two models differ in the directions they give to words: their vectors must not be compared.
    """

    local = True
    matryoshka = False

    def __init__(self, model_id: str = "words", dims: int = 48) -> None:
        self.model_id = model_id
        self.dims = dims
        self._known: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dims), np.float32)
        for row, text in enumerate(texts):
            for word in text[:5_000].lower().split():
                if word not in self._known:
                    self._known[word] = self._direction(word)
                rows[row] += self._known[word]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)

    def describe(self) -> str:
        return f"{self.model_id} for tests"

    def _direction(self, word: str) -> Vectors:
        name = f"{self.model_id}\n{word}".encode("utf-8", "surrogatepass")
        seed = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest())
        return np.random.default_rng(seed).standard_normal(self.dims).astype(np.float32)


class RemoteEmbedder(WordEmbedder):
    """The same at the end of a wire that a test can cut. It knows what it was asked."""

    local = False

    def __init__(self, model_id: str = "remote", dims: int = 48, *, down: bool = False) -> None:
        super().__init__(model_id, dims)
        self.down = down
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise EmbedderFailed("The wire is cut.", hint="Ask again later.")
        self.asked += texts
        return super().embed(texts)
