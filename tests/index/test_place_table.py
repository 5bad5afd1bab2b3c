"""The highest few scores are those that sorting all would give, ties and floors included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.index.place_table import highest


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
