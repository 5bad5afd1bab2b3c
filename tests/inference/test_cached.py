"""With a cache in front the vectors are the same, and a text is embedded once."""

from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.inference.cached import CachedEmbedder, MemoryVectorCache, vector_key
from recollect.inference.embedder import Embedder
from recollect.inference.static_embedder import StaticEmbedder

STATIC = StaticEmbedder()


class Counting(StaticEmbedder):
    """The static embedder, remembering what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        return super().embed(texts)


def vector(number: float, dims: int = 3) -> NDArray[np.float32]:
    return np.full(dims, number, np.float32)


@given(st.lists(st.lists(st.text(max_size=20))), st.integers(0, 5))
def test_cached_equals_uncached(batches: list[list[str]], entries: int) -> None:
    cached = CachedEmbedder(STATIC, MemoryVectorCache(entries))
    for texts in batches:
        np.testing.assert_allclose(cached.embed(texts), STATIC.embed(texts), atol=1e-6)


def test_a_text_is_embedded_once() -> None:
    embedder = Counting()
    cached = CachedEmbedder(embedder)
    cached.embed(["one", "two", "one"])
    cached.embed(["two", "three"])
    assert embedder.asked == ["one", "two", "three"]


def test_it_is_the_embedder_it_wraps() -> None:
    cached: Embedder = CachedEmbedder(STATIC)
    assert (cached.model_id, cached.dims) == (STATIC.model_id, STATIC.dims)
    assert (cached.local, cached.matryoshka) == (STATIC.local, STATIC.matryoshka)
    assert cached.describe() == STATIC.describe()
    assert cached.embed([]).shape == (0, 256)


def test_changing_a_result_does_not_change_the_cache() -> None:
    cached = CachedEmbedder(STATIC)
    cached.embed(["one"])[:] = 7
    cached.embed(["one"])[:] = 7
    np.testing.assert_array_equal(cached.embed(["one"]), STATIC.embed(["one"]))


def test_a_vector_of_another_length_is_not_used() -> None:
    cache = MemoryVectorCache()
    cache.put_many({vector_key("one", STATIC.model_id, STATIC.dims): vector(1)})
    found = CachedEmbedder(STATIC, cache).embed(["one"])
    np.testing.assert_array_equal(found, STATIC.embed(["one"]))


def test_the_least_recently_used_is_forgotten() -> None:
    cache = MemoryVectorCache(2)
    cache.put_many({"a": vector(1), "b": vector(2)})
    cache.get_many(["a"])
    cache.put_many({"c": vector(3)})
    assert set(cache.get_many(["a", "b", "c"])) == {"a", "c"}
    assert len(cache) == 2


parts = st.tuples(st.text(), st.text(), st.integers(1, 5_000))


@given(parts, parts)
@example(("text", "model", 1), ("text", "model", 2))
@example(("ab", "c", 1), ("b", "ca", 1))
@example(("text", "m:1", 1), ("1:text", "m", 1))
def test_keys_differ_when_anything_does(
    one: tuple[str, str, int], other: tuple[str, str, int]
) -> None:
    assert (vector_key(*one) == vector_key(*other)) == (one == other)


def test_half_a_surrogate_pair_has_a_key_of_its_own() -> None:
    assert vector_key("\ud83d", "m", 1) != vector_key("\ufffd", "m", 1)
