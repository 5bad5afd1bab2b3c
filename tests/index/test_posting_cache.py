"""Postings come back as they were put, within the room there is; the longest unused go first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.index import bm25
from recollect.index.bm25 import PostingCache

postings = st.dictionaries(st.integers(0, 2**31 - 1), st.integers(1, 255), max_size=9)


def put(cache: PostingCache, term: str, found: dict[int, int], retirements: int = 0) -> None:
    rows = sorted(found)
    counts = np.array([found[row] for row in rows], np.float32)
    cache.put(term, np.array(rows, np.int64), counts, retirements)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), postings, st.integers(0, 3)), max_size=9),
    st.integers(0, 9),
)
def test_what_was_put_last_comes_back(
    steps: list[tuple[str, dict[int, int], int]], short: int
) -> None:
    cache = PostingCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "SHORT_LIST", short)
        put_and_get(cache, steps)


def put_and_get(cache: PostingCache, steps: list[tuple[str, dict[int, int], int]]) -> None:
    for term, found, retirements in steps:
        put(cache, term, found, retirements)
    last = {term: (found, retirements) for term, found, retirements in steps}
    for term, (found, retirements) in last.items():
        rows, counts, current = cache.get(term)
        assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == found
        assert [str(rows.dtype), str(counts.dtype), current] == ["int64", "float32", retirements]


@pytest.mark.parametrize(("short", "size"), [(0, 5), (100, 12)])
def test_the_longest_unused_make_room(
    monkeypatch: pytest.MonkeyPatch, short: int, size: int
) -> None:
    monkeypatch.setattr(bm25, "SHORT_LIST", short)
    monkeypatch.setattr(bm25, "POSTINGS_KEPT", 5 * size)
    cache = PostingCache()
    put(cache, "first", {1: 1, 2: 1})
    put(cache, "second", {3: 1, 4: 1})
    cache.get("first")
    put(cache, "third", {5: 1, 6: 1})
    assert [term in cache for term in ("first", "second", "third")] == [True, False, True]
    put(cache, "third", {5: 1, 6: 1, 7: 1})  # in place of the postings that it had
    assert "first" in cache
    put(cache, "all", dict.fromkeys(range(9), 1))
    assert [term in cache for term in ("first", "third", "all")] == [False, False, True]
    cache.clear()
    put(cache, "fourth", dict.fromkeys(range(5), 1))
    assert "all" not in cache
    assert "fourth" in cache


@pytest.mark.parametrize("short", [0, 100])
def test_nothing_larger_stays_in_memory_with_a_part_of_it(
    monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    monkeypatch.setattr(bm25, "SHORT_LIST", short)
    rows = np.arange(1_000)
    cache = PostingCache()
    cache.put("term", rows[:9], np.ones(1_000, np.float32)[:9], 0)
    found, counts, _ = cache.get("term")
    assert found.base is None
    assert counts.base is None
    assert found.tolist() == rows[:9].tolist()
