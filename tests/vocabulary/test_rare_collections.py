"""Garbage is collected rarely inside, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

from recollect.vocabulary.rare_collections import rare_collections


@pytest.fixture(autouse=True)
def usual() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield (700, 10, 10)
    gc.set_threshold(*before)


def test_all_that_is_held_is_scanned_a_hundred_times_less(usual: tuple[int, int, int]) -> None:
    with rare_collections():
        young, middle, full = gc.get_threshold()
        assert (young > 10 * usual[0], middle, full) == (True, usual[1], 100 * usual[2])
    assert gc.get_threshold() == usual


def test_it_lasts_until_the_last_call_has_ended(usual: tuple[int, int, int]) -> None:
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() != usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_an_error_inside_ends_it_too(usual: tuple[int, int, int]) -> None:
    with pytest.raises(ZeroDivisionError), rare_collections():
        raise ZeroDivisionError
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 10, 10)])
def test_a_program_that_collects_more_rarely_keeps_its_own_choice(
    own: tuple[int, int, int],
) -> None:
    gc.set_threshold(*own)
    with rare_collections():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_is_chosen_meanwhile_stays() -> None:
    with rare_collections():
        gc.set_threshold(123, 4, 5)
    assert gc.get_threshold() == (123, 4, 5)
