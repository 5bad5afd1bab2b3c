"""The keyword leg: BM25 of each row, of the row with the turns before it, and of its session.

Context is a second view and never the only one: a turn is scored by its own words, and once more
by the words it stands among.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.keyword_index import K1, B, rarity
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.recall.signals import Array, CollectionSignals, Rows, lending

#: A term that stands in fewer than one of so many rows is counted by sorting its rows.
_SPARSE: Final = 64


class Posting(NamedTuple):
    """Where a term stands, how often, and how much it tells in a row of the collection."""

    rows: Rows
    counts: Array
    tells: float


def keywords(field: CollectionSignals, *, context: bool) -> None:
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


def _postings(field: CollectionSignals) -> list[Posting]:
    survey = field.survey
    found = ((term, *survey.postings[term]) for term in field.terms)
    return [
        Posting(rows, counts, rarity(survey.live, len(rows)))
        for _, rows, counts in found
        if len(rows)
    ]


def _bm25(field: CollectionSignals, postings: Iterable[Posting]) -> Array:
    survey = field.survey
    scores = np.zeros(len(field), np.float32)
    for rows, counts, tells in postings:
        damping = K1 * (1 - B) + np.float32(K1 * B / survey.average_length) * survey.lengths[rows]
        scores[rows] += np.float32(tells * (K1 + 1)) * counts / (counts + damping)
    scores *= survey.seen
    return scores


def _around(
    field: CollectionSignals, beside: RowNeighbours, postings: Iterable[Posting], total: float
) -> None:
    """Each row with the two before it; and what of the question stands there or just after."""
    survey, before, after = field.survey, beside.previous, beside.following
    spans = beside.once("spans", survey.seen, lambda: _spans(field, beside))
    scores = np.zeros(len(field), np.float32)
    coverage = np.zeros(len(field), np.float32)
    holds = np.zeros(len(field), np.bool_)
    for rows, counts, tells in postings:
        held, found = _spread(rows, counts, after)
        weight = np.float32(rarity(survey.live, len(held)) * (K1 + 1))
        scores[held] += weight * found / (found + spans[held])
        holds[held] = True
        near = before[rows]
        near = near[near >= 0]
        share = np.float32(tells / total)
        coverage[held] += share
        coverage[near[~holds[near]]] += share
        holds[held] = False
    field.signals["around"] = scores * survey.seen
    field.signals["coverage"] = coverage * survey.seen


def _spans(field: CollectionSignals, beside: RowNeighbours) -> Array:
    """What the length of a row and the two before it takes from the weight of their words."""
    lengths, before = lending(field.survey.lengths), beside.previous
    two = lending(before)
    two[-1] = NOBODY
    span = lengths[:-1] + lengths[before] + lengths[two[before]]
    average = np.float32(K1 * B / _usual_span(field, beside))
    return np.asarray(K1 * (1 - B) + average * span, np.float32)


def _spread(rows: Rows, counts: Array, after: Rows) -> tuple[Rows, Array]:
    """The rows that hold a term or follow within two of one that does, and how often it stands."""
    one = after[rows]
    linked = one >= 0
    two = after[one[linked]]
    further = two >= 0
    every = np.concatenate([rows, one[linked], two[further]])
    often = np.concatenate([counts, counts[linked], counts[linked][further]])
    if len(every) > len(after) // _SPARSE:
        frequency = np.bincount(every, often, minlength=len(after))
        held = np.flatnonzero(frequency)
        return held, frequency[held].astype(np.float32)
    order = np.argsort(every, kind="stable")
    every = every[order]
    begins = np.flatnonzero(np.diff(every, prepend=-1))
    return every[begins], np.add.reduceat(often[order], begins)


def _usual_span(field: CollectionSignals, beside: RowNeighbours) -> float:
    """The average length of a row with the two before it."""
    linked = int(np.count_nonzero(beside.previous >= 0))
    twice = max(0, linked - beside.session_count + 1)
    return field.survey.average_length * (1 + (linked + twice) / max(field.survey.live, 1))


def _sessions(
    field: CollectionSignals, beside: RowNeighbours, postings: Iterable[Posting], total: float
) -> None:
    """Every session as one text, and what each lends to its rows."""
    survey, sessions, count = field.survey, beside.sessions, beside.session_count
    live, damping = beside.once("session damping", survey.seen, lambda: _damping(field, beside))
    scores = np.zeros(count)
    coverage = np.zeros(count)
    for rows, counts, tells in postings:
        shown = survey.seen[rows]
        frequency = np.bincount(sessions[rows][shown], counts[shown], minlength=count)
        frequency[0] = 0
        held = np.flatnonzero(frequency)
        found = frequency[held]
        scores[held] += rarity(live, len(held)) * (K1 + 1) * found / (found + damping[held])
        coverage[held] += tells / total
    field.signals["session_words"] = scores.astype(np.float32)[sessions]
    field.signals["session_coverage"] = coverage.astype(np.float32)[sessions]


def _damping(field: CollectionSignals, beside: RowNeighbours) -> tuple[int, NDArray[np.float64]]:
    """How many sessions there are, and what the length of each takes from its words."""
    survey = field.survey
    lengths = np.bincount(
        beside.sessions, survey.lengths * survey.seen, minlength=beside.session_count
    )
    lengths[0] = 0
    live = max(int(np.count_nonzero(lengths)), 1)
    average = max(float(lengths.sum()) / live, 1.0)
    return live, np.asarray(K1 * (1 - B + B * lengths / average), np.float64)
