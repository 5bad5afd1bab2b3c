"""Vector cache, so that the same text is not sent to a slow embedder twice.

Invariant: what comes out equals what the embedder would have given; the text, the model and the
dimensions are all part of the key, and a cached vector of another length is not used. Useful for
remote embedders, and for questions.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from threading import Lock
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.inference.embedder import Embedder

DEFAULT_ENTRIES: Final = 4_096  # 16 MB of 1,024-dimensional vectors


class VectorCache(Protocol):
    """Stores vectors by key. It may drop any of them."""

    def get_many(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The cached vectors among the keys."""
        ...

    def put_many(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Store these, if there is room."""
        ...


class MemoryVectorCache:
    """In-process cache of the most recently used vectors; thread-safe."""

    def __init__(self, entries: int = DEFAULT_ENTRIES) -> None:
        self._entries = entries
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get_many(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        return found

    def put_many(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for key, vector in vectors.items():
                self._kept[key] = vector.copy()
                self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)


class CachedEmbedder:
    """An embedder with a cache in front of it."""

    def __init__(self, embedder: Embedder, cache: VectorCache | None = None) -> None:
        self._embedder = embedder
        self._cache: VectorCache = MemoryVectorCache() if cache is None else cache

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def dims(self) -> int:
        return self._embedder.dims

    @property
    def local(self) -> bool:
        return self._embedder.local

    @property
    def matryoshka(self) -> bool:
        return self._embedder.matryoshka

    def describe(self) -> str:
        return self._embedder.describe()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [vector_key(text, self.model_id, self.dims) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = dict(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            self._cache.put_many(made)
            known |= made
        vectors = np.zeros((len(texts), self.dims), np.float32)
        for row, key in enumerate(keys):
            vectors[row] = known[key]
        return vectors

    def _known(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        found = self._cache.get_many(list(dict.fromkeys(keys)))
        return {key: vector for key, vector in found.items() if vector.shape == (self.dims,)}


def vector_key(text: str, model_id: str, dims: int) -> str:
    """The key of a text's vector: a digest of all that determines it, each part with its length.

    Half surrogates are kept as they are, so that two texts never share a key.
    """
    content = text.encode("utf-8", "surrogatepass")
    header = f"{len(model_id)}:{model_id}:{dims}:{len(content)}:"
    return sha256(header.encode("utf-8", "surrogatepass") + content).hexdigest()
