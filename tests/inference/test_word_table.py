"""The table of words stays within its size and never disturbs an array it has handed out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.inference.static_embedder import WordTable


def vector_of(word: str) -> NDArray[np.float32]:
    return np.array([len(word), ord(word[0])], np.float32)


def table_of(capacity: int) -> WordTable:
    return WordTable(vector_of, dims=2, capacity=capacity)


def test_an_unknown_word_is_an_error_until_it_is_learnt() -> None:
    table = table_of(8)
    with pytest.raises(KeyError):
        table.rows([["new"]])
    table.learn([["new"]])
    assert table.vectors[table.rows([["new"]])].tolist() == [[3, ord("n")]]


@given(st.lists(st.lists(st.text(min_size=1, max_size=2), max_size=4), max_size=12))
def test_it_stays_within_its_size_and_right(batches: list[list[str]]) -> None:
    table = table_of(6)
    for words in batches:
        table.learn([words])
        found = table.vectors[table.rows([words])]
        assert len(table) <= 6
        assert found.tolist() == [vector_of(word).tolist() for word in words]


def test_a_reader_keeps_what_it_was_given() -> None:
    table = table_of(10_000)
    table.learn([["first"]])
    rows, vectors = table.rows([["first"]]), table.vectors
    table.learn([[f"word{number}" for number in range(9_999)]])
    table.learn([["one too many"]])
    assert len(table) == 1
    assert vectors[rows].tolist() == [vector_of("first").tolist()]
