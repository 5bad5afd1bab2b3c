"""The rows around a term: rare terms, counted together, and frequent ones give the same rows."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect.index import place_table
from recollect.index.bm25 import Bm25, Matches
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.recall import signals
from recollect.recall.signals import (
    _COUNT,
    _JUST_BEFORE,
    Posting,
    _add_frequent,
    _spread_frequent,
    _spread_rare,
)

ROWS = 2_000


def neighbours(chance: np.random.Generator) -> RowNeighbours:
    """Rows in conversations that are interleaved: the row before one may lie far from it."""
    streams = chance.integers(0, 7, ROWS)
    previous = np.full(ROWS, NOBODY, np.int32)
    following = np.full(ROWS, NOBODY, np.int32)
    for stream in range(7):
        rows = np.flatnonzero(streams == stream)
        previous[rows[1:]], following[rows[:-1]] = rows[:-1], rows[1:]
    nothing = np.zeros(ROWS, np.int64)
    return RowNeighbours(
        *([], nothing.astype(np.int32), nothing, nothing > 0, nothing.astype(np.uint8), nothing),
        *(previous, following, streams.astype(np.int32), 7),
    )


def counted(posting: Posting, beside: RowNeighbours) -> tuple[dict[int, float], set[int]]:
    """The same, row by row."""
    held: dict[int, float] = {}
    for row, count in zip(posting.rows.tolist(), posting.counts.tolist(), strict=True):
        place = row
        for _ in range(3):
            if place != NOBODY:
                held[place] = held.get(place, 0.0) + count
                place = int(beside.following[place])
    before = {int(beside.previous[row]) for row in posting.rows} - held.keys() - {NOBODY}
    return held, before


@pytest.mark.parametrize("seed", range(5))
def test_rows_around_terms(seed: int) -> None:
    chance = np.random.default_rng(seed)
    beside = neighbours(chance)
    postings = [
        Posting(
            np.sort(chance.choice(ROWS, size, replace=False)),
            chance.integers(1, 4, size).astype(np.float32),
            1.0,
        )
        for size in (1, 300, 3, 10, 800, 7)
    ]
    for posting, rare in zip(postings, _spread_rare(postings, beside), strict=True):
        held, before = counted(posting, beside)
        assert dict(zip(rare.rows.tolist(), rare.counts.tolist(), strict=True)) == held
        assert sorted(rare.before.tolist()) == sorted(before)
        marked, holding = _spread_frequent(posting, beside)
        counts = (marked & _COUNT).tolist()
        assert {row: count for row, count in enumerate(counts) if count} == held
        assert holding == len(held)
        assert np.flatnonzero(marked == _JUST_BEFORE).tolist() == sorted(before)


def test_terms_are_scored_together_as_one_by_one() -> None:
    chance = np.random.default_rng(3)
    bm25 = Bm25(chance.integers(1, 90, ROWS), live=ROWS, average=40.0)
    terms = [
        (np.sort(chance.choice(ROWS, size, replace=False)), np.ones(size, np.float32))
        for size in (5, 900, 40)
    ]
    weights = [bm25.rarity(len(rows)) for rows, _ in terms]
    together = np.zeros(ROWS, np.float32)
    bm25.add_scores(together, Matches.of(terms), weights)
    apart = np.zeros(ROWS, np.float32)
    for (rows, counts), weight in zip(terms, weights, strict=True):
        apart[rows] += bm25.scores(rows, counts, weight)
    assert together.tobytes() == apart.tobytes()
    everywhere = np.zeros(ROWS, np.float32)
    table = np.zeros((len(terms), ROWS), np.float32)
    for counts, (rows, often), weight in zip(table, terms, weights, strict=True):
        counts[rows] = often
        for part in (slice(0, 700), slice(700, None)):
            bm25.add_term(everywhere[part], counts[part], weight, part)
    assert together.tobytes() == everywhere.tobytes()
    assert bm25.scores_of_all(table, weights).sum(axis=0).tobytes() == together.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_what_neighbours_lend(seed: int) -> None:
    chance = np.random.default_rng(seed)
    beside = neighbours(chance)
    values = chance.random(ROWS).astype(np.float32)
    for links, found in (
        (beside.previous, beside.of_previous(values)),
        (beside.following, beside.of_following(values)),
    ):
        assert found.tolist() == np.where(links >= 0, values[links], 0).tolist()
    assert (beside.previous == np.arange(-1, ROWS - 1)).any()  # some stand side by side, some not
    assert (beside.previous != np.arange(-1, ROWS - 1)).any()
    of_session = chance.random(7)
    assert beside.of_sessions(of_session).tolist() == of_session[beside.sessions].tolist()


@settings(max_examples=40, deadline=None)
@given(block=st.integers(1, 2 * ROWS), seed=st.integers(0, 2**32 - 1))
def test_frequent_terms_are_added_by_blocks_as_one_by_one_to_all(block: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    beside = neighbours(chance)
    bm25 = Bm25(chance.integers(1, 90, ROWS), live=ROWS, average=40.0)
    terms = []
    scores, coverage = np.zeros(ROWS, np.float32), np.zeros(ROWS, np.float32)
    for size in chance.integers(1, ROWS, 3).tolist():
        rows = np.sort(chance.choice(ROWS, size, replace=False))
        posting = Posting(rows, chance.integers(1, 256, size).astype(np.float32), 1.0)
        held, before = counted(posting, beside)
        share = float(chance.random())
        rows = np.array(list(held), np.int64)
        counts = np.array(list(held.values()), np.float32)
        scores[rows] += bm25.scores(rows, counts, bm25.rarity(len(held)))
        coverage[[*held, *before]] += np.float32(share)
        terms.append((_spread_frequent(posting, beside), share))
    by_blocks, covered = np.zeros(ROWS, np.float32), np.zeros(ROWS, np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place_table, "_BLOCK", block)
        _add_frequent(by_blocks, covered, bm25, terms)
    assert by_blocks.tobytes() == scores.tobytes()
    assert covered.tobytes() == coverage.tobytes()


def test_the_size_of_a_block_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(7)
    words = "boat train river garden piano winter letter window".split()
    with recollect.open(tmp_path / "memory.db", worker=False) as memory:
        for number in range(60):
            text = " ".join(chance.choices(words, k=6))
            memory.record(text, stream=f"talk {number % 3}")
        asked = [" ".join(chance.sample(words, 3)) for _ in range(8)]
        whole = [told(memory, question) for question in asked]
        assert all(whole)
        monkeypatch.setattr(place_table, "_BLOCK", 7)
        monkeypatch.setattr(signals, "_FEW", 3)  # so most terms are frequent ones
        assert [told(memory, question) for question in asked] == whole


def told(memory: recollect.Recollect, question: str) -> list[tuple[str, float]]:
    return [(one.id, one.score) for one in memory.recall(question, limit=20)]
