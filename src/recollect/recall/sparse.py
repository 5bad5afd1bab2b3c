"""The keyword leg: BM25 of each row, of the row with the turns before it, and of its session.

Context is a second view and never the only one: a turn is scored by its own words, and once more
by the words it stands among.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.recall.field import Array, Field, Rows
from recollect.storage.keyword_index import K1, B, rarity
from recollect.storage.surroundings import Beside


class Posting(NamedTuple):
    """Where a term stands, how often, and how much it tells in a row of the collection."""

    rows: Rows
    counts: Array
    tells: float


def keywords(field: Field, *, context: bool) -> None:
    """Add what the words say."""
    postings = _postings(field)
    survey = field.survey
    words = _bm25(field, postings)
    field.raw["words"] = field.signals["words"] = words
    total = sum(rarity(survey.live, len(survey.postings[term][0])) for term in field.terms) or 1.0
    if not context:
        return
    if survey.beside is None:
        coverage = np.zeros(len(field), np.float32)
        for posting in postings:
            coverage[posting.rows] += posting.tells / total
        field.signals["coverage"] = coverage
        return
    _around(field, survey.beside, postings, total)
    _sessions(field, survey.beside, postings, total)


def _postings(field: Field) -> list[Posting]:
    survey = field.survey
    found = ((term, *survey.postings[term]) for term in field.terms)
    return [
        Posting(rows, counts, rarity(survey.live, len(rows)))
        for _, rows, counts in found
        if len(rows)
    ]


def _bm25(field: Field, postings: Iterable[Posting]) -> Array:
    survey = field.survey
    scores = np.zeros(len(field), np.float32)
    for rows, counts, tells in postings:
        damping = K1 * (1 - B) + np.float32(K1 * B / survey.average_length) * survey.lengths[rows]
        scores[rows] += np.float32(tells * (K1 + 1)) * counts / (counts + damping)
    scores *= survey.seen
    return scores


def _around(field: Field, beside: Beside, postings: Iterable[Posting], total: float) -> None:
    """Each row with the two before it; and what of the question stands there or just after."""
    survey, before, after = field.survey, beside.previous, beside.following
    lengths = survey.lengths
    average = np.float32(K1 * B / _usual_span(field, beside))
    scores = np.zeros(len(field), np.float32)
    coverage = np.zeros(len(field), np.float32)
    for rows, counts, tells in postings:
        frequency = _spread(rows, counts, after)
        held = np.flatnonzero(frequency)
        found = frequency[held].astype(np.float32)
        one = before[held]
        two = np.where(one >= 0, before[one], -1)
        span = lengths[held] + _taken(lengths, one) + _taken(lengths, two)
        weight = np.float32(rarity(survey.live, len(held)) * (K1 + 1))
        scores[held] += weight * found / (found + K1 * (1 - B) + average * span)
        near = before[rows]
        near = near[near >= 0]
        share = np.float32(tells / total)
        coverage[held] += share
        coverage[near[frequency[near] == 0]] += share
    field.signals["around"] = scores * survey.seen
    field.signals["coverage"] = coverage * survey.seen


def _spread(rows: Rows, counts: Array, after: Rows) -> NDArray[np.float64]:
    """How often a term stands within each row and the two before it."""
    one = after[rows]
    two = np.where(one >= 0, after[one], -1)
    every = np.concatenate([rows, one, two])
    inside = every >= 0
    found = np.bincount(every[inside], np.tile(counts, 3)[inside], minlength=len(after))
    return np.asarray(found, np.float64)


def _usual_span(field: Field, beside: Beside) -> float:
    """The average length of a row with the two before it."""
    linked = int(np.count_nonzero(beside.previous >= 0))
    twice = max(0, linked - beside.session_count + 1)
    return field.survey.average_length * (1 + (linked + twice) / max(field.survey.live, 1))


def _sessions(field: Field, beside: Beside, postings: Iterable[Posting], total: float) -> None:
    """Every session as one text, and what each lends to its rows."""
    survey, sessions, count = field.survey, beside.sessions, beside.session_count
    lengths = np.bincount(sessions, survey.lengths * survey.seen, minlength=count)
    lengths[0] = 0
    live = max(int(np.count_nonzero(lengths)), 1)
    average = max(float(lengths.sum()) / live, 1.0)
    scores = np.zeros(count)
    coverage = np.zeros(count)
    for rows, counts, tells in postings:
        shown = survey.seen[rows]
        frequency = np.bincount(sessions[rows][shown], counts[shown], minlength=count)
        frequency[0] = 0
        held = np.flatnonzero(frequency)
        found = frequency[held]
        damping = K1 * (1 - B + B * lengths[held] / average)
        scores[held] += rarity(live, len(held)) * (K1 + 1) * found / (found + damping)
        coverage[held] += tells / total
    field.signals["session_words"] = scores[sessions].astype(np.float32)
    field.signals["session_coverage"] = coverage[sessions].astype(np.float32)


def _taken(lengths: NDArray[np.int32], rows: Rows) -> NDArray[np.int32]:
    return np.where(rows >= 0, lengths[rows], np.int32(0))
