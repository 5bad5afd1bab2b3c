"""The keyword leg: BM25 of each row, of the row with the turns before it, and of its session.

Context is a second view and never the only one: a turn is scored by its own words, and once more
by the words it stands among.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from recollect.recall.field import Array, Field, Rows, within_session
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
    count, survey = len(field), field.survey
    every = np.arange(count)
    before = within_session(beside, every, beside.previous)
    two_before = np.where(before >= 0, before[before], -1)
    lengths = survey.lengths.astype(np.float32)
    span = lengths + _taken(lengths, before) + _taken(lengths, two_before)
    average = max(float(span[survey.seen].mean()) if survey.seen.any() else 1.0, 1.0)
    after = within_session(beside, every, beside.following)
    two_after = np.where(after >= 0, after[after], -1)
    scores = np.zeros(count, np.float32)
    coverage = np.zeros(count, np.float32)
    for rows, counts, tells in postings:
        spread = np.concatenate([rows, after[rows], two_after[rows]])
        repeated = np.concatenate([counts, counts, counts])
        inside = spread >= 0
        frequency = np.bincount(spread[inside], repeated[inside], minlength=count)
        held = np.flatnonzero(frequency)
        found = frequency[held].astype(np.float32)
        damping = K1 * (1 - B) + np.float32(K1 * B / average) * span[held]
        weight = np.float32(rarity(survey.live, len(held)) * (K1 + 1))
        scores[held] += weight * found / (found + damping)
        near = before[rows]
        near = near[near >= 0]
        share = np.float32(tells / total)
        coverage[held] += share
        beyond = np.unique(near[frequency[near] == 0])
        coverage[beyond] += share
    field.signals["around"] = scores * survey.seen
    field.signals["coverage"] = coverage * survey.seen


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


def _taken(values: Array, rows: Rows) -> Array:
    return np.where(rows >= 0, values[rows], np.float32(0))
