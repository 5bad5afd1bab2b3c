"""The highest few scores are those that sorting all would give, ties and floors included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.index.place_table import PlaceTable, blocks, highest, leading
from recollect.storage.search.places import ALWAYS


def sorted_out(scores: NDArray[np.float32], limit: int, above: float) -> list[int]:
    """The long way: sort everything, the earlier position first among equals."""
    order = np.lexsort((np.arange(len(scores)), -scores))[: max(0, limit)]
    return [int(place) for place in order if scores[place] > above]


@settings(max_examples=150, deadline=None)
@given(
    count=st.integers(0, 6_000),
    limit=st.integers(0, 60),
    hidden=st.floats(0, 1),
    floor=st.sampled_from([0.0, -np.inf]),
    seed=st.integers(0, 2**32 - 1),
)
def test_highest_is_what_sorting_gives(
    count: int, limit: int, hidden: float, floor: float, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    scores = chance.integers(0, chance.integers(1, 3_000), count).astype(np.float32)
    scores[chance.random(count) < hidden] = floor
    assert highest(scores, limit, above=floor).tolist() == sorted_out(scores, limit, floor)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 12_800, 100_000])
def test_all_scores_alike_give_the_first_positions(count: int) -> None:
    scores = np.ones(count, np.float32)
    assert highest(scores, 10, above=0.0).tolist() == list(range(min(10, count)))


@pytest.mark.parametrize("count", [0, 5, 2_000, 2_001, 16_384, 60_001])
@pytest.mark.parametrize("levels", [2, 300, 10**9])
@pytest.mark.parametrize("hidden", [0.0, 0.5, 0.99])
def test_leading_are_all_that_score_no_less_than_the_last_of_them(
    count: int, levels: int, hidden: float
) -> None:
    chance = np.random.default_rng(count + levels)
    scores = chance.integers(0, levels, count).astype(np.float32)
    scores[chance.random(count) < hidden] = 0
    for some in (scores, np.sort(scores)):  # a sample of sorted scores is as good as any
        least = sorted(some.tolist(), reverse=True)[min(2_000, count) - 1] if count else 0.0
        assert (
            leading(some, 2_000, above=0.0).tolist()
            == np.flatnonzero((some >= least) & (some > 0)).tolist()
        )


def test_leading_are_found_where_the_sample_misses_them() -> None:
    scores = np.ones(40_000, np.float32)
    scores[::4] = 9  # every sampled score is among these, and they are more than are wanted
    assert leading(scores, 20_000, above=0.0).tolist() == list(range(40_000))
    scores[1::9], scores[::9] = 9, 1
    assert leading(scores, 3, above=0.0).tolist() == np.flatnonzero(scores == 9).tolist()


def test_blocks_are_all_rows_once() -> None:
    for count in (0, 1, 131_072, 300_000):
        parts = [np.arange(count)[part] for part in blocks(count)]
        assert np.concatenate([*parts, np.empty(0)]).tolist() == list(range(count))


@settings(deadline=None)
@given(
    batches=st.lists(st.lists(st.integers(1, 3), max_size=12), max_size=4),
    asked=st.lists(st.integers(-2, 90), max_size=30),
    first=st.integers(0, 5),
)
def test_slots_are_found_at_the_rows_that_were_appended(
    batches: list[list[int]], asked: list[int], first: int
) -> None:
    table = PlaceTable("a space", "events")
    slots: list[int] = []
    for steps in batches:
        fresh = (first + np.cumsum(steps)).tolist()
        first = fresh[-1] if fresh else first
        table._append([(slot, 1, 5, -ALWAYS, ALWAYS) for slot in fresh])
        slots += fresh
        rows, here = table.find(np.array(asked, np.int64))
        assert here.tolist() == [slot in slots for slot in asked]
        assert rows.tolist() == [slots.index(slot) for slot in asked if slot in slots]
