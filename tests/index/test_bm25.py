"""One BM25 for rows, sessions and code: the scores by hand, and the same from every caller."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.index.bm25 import B, Bm25, rarity

LENGTHS = np.array([4, 8, 12], np.int32)


def by_hand(
    count: float, length: float, tells: float, share: float = B, average: float = 8
) -> float:
    damping = 1.2 * (1 - share + share * length / average)
    return tells * 2.2 * count / (count + damping)


def test_scores_are_those_of_the_formula() -> None:
    bm25 = Bm25(LENGTHS, live=3, average=8.0)
    tells = bm25.rarity(1)
    assert tells == pytest.approx(math.log(2.5 / 1.5))
    found = bm25.scores(np.array([0, 2], np.int64), np.array([1, 3], np.float32), tells)
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([by_hand(1, 4, tells), by_hand(3, 12, tells)], rel=1e-6)


def test_every_document_at_once_gives_the_same_and_nothing_where_the_term_is_not() -> None:
    bm25 = Bm25(LENGTHS, live=3, average=8.0, length_share=0.4)
    found = bm25.all_scores(np.array([2.0, 0.0, 1.0]), 1.5)
    assert found.tolist() == pytest.approx(
        [by_hand(2, 4, 1.5, 0.4), 0.0, by_hand(1, 12, 1.5, 0.4)], rel=1e-6
    )
    rows = np.array([0, 2], np.int64)
    assert bm25.scores(rows, np.array([2.0, 1.0]), 1.5).tolist() == found[rows].tolist()


@pytest.mark.parametrize(
    ("live", "holding", "told"),
    [
        (100, 1, math.log(99.5 / 1.5)),
        (100, 0, math.log(100.5 / 0.5)),
        (3, 2, 0.01 * math.log1p(1.5 / 2.5)),
        (2, 5, 0.01 * math.log1p(0.5 / 5.5)),
    ],
)
def test_a_term_of_most_documents_tells_little_and_never_less_than_nothing(
    live: int, holding: int, told: float
) -> None:
    assert rarity(live, holding) == pytest.approx(told)
    assert rarity(live, holding) > 0


def test_the_formula_stands_in_one_module() -> None:
    package = Path(recollect.__file__).parent
    second = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\bK1\b|\bimport .*\bB\b", path.read_text("utf-8"))
    ]
    assert second == ["index/bm25.py"]
