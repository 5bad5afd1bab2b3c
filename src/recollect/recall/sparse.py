"""Keyword search: BM25 of each row, of the row with the turns before it, and of its session.

Context is a second view and never the only one: a turn is scored by its own words, and once more
together with the words around it.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from recollect.index.bm25 import Bm25
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.recall.signals import Array, CollectionSignals, Rows, lending

#: A term in fewer than one of this many rows is counted by sorting its rows.
_SPARSE: Final = 64


class Posting(NamedTuple):
    """The rows of a term, its count in each, and its weight in a row of the collection."""

    rows: Rows
    counts: Array
    tells: float


def keywords(field: CollectionSignals, *, context: bool) -> None:
    """Add the signals of the keywords."""
    postings = _postings(field)
    survey = field.survey
    words = _bm25(field, postings)
    field.raw["words"] = field.signals["words"] = words
    total = sum(survey.bm25.rarity(len(survey.postings[term][0])) for term in field.terms) or 1.0
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
        Posting(rows, counts, survey.bm25.rarity(len(rows)))
        for _, rows, counts in found
        if len(rows)
    ]


def _bm25(field: CollectionSignals, postings: Iterable[Posting]) -> Array:
    survey = field.survey
    scores = np.zeros(len(field), np.float32)
    for rows, counts, tells in postings:
        scores[rows] += survey.bm25.scores(rows, counts, tells)
    scores *= survey.seen
    return scores


def _around(
    field: CollectionSignals, beside: RowNeighbours, postings: Iterable[Posting], total: float
) -> None:
    """Score each row with the two before it, and the share of the question's terms there or just
    after.
    """
    survey, before, after = field.survey, beside.previous, beside.following
    bm25 = beside.once("spans", survey.seen, lambda: _spans(field, beside))
    scores = np.zeros(len(field), np.float32)
    coverage = np.zeros(len(field), np.float32)
    holds = np.zeros(len(field), np.bool_)
    for rows, counts, tells in postings:
        held, found = _spread(rows, counts, after)
        scores[held] += bm25.scores(held, found, bm25.rarity(len(held)))
        holds[held] = True
        near = before.take(rows)
        near = near[near >= 0]
        share = np.float32(tells / total)
        coverage[held] += share
        coverage[near[~holds[near]]] += share
        holds[held] = False
    field.signals["around"] = scores * survey.seen
    field.signals["coverage"] = coverage * survey.seen


def _spans(field: CollectionSignals, beside: RowNeighbours) -> Bm25:
    """BM25 where a document is a row with the two before it."""
    lengths, before = lending(field.survey.lengths), beside.previous
    two = lending(before)
    two[-1] = NOBODY
    span = lengths[:-1] + lengths[before] + lengths[two[before]]
    return Bm25(span, live=field.survey.live, average=_usual_span(field, beside))


def _spread(rows: Rows, counts: Array, after: Rows) -> tuple[Rows, Array]:
    """The rows that hold a term or follow within two rows of one that does, and the term's count
    there.
    """
    one = after.take(rows)
    linked = one >= 0
    two = after.take(one[linked])
    further = two >= 0
    every = np.concatenate([rows, one[linked], two[further]])
    often = np.concatenate([counts, counts[linked], counts[linked][further]])
    if len(every) > len(after) // _SPARSE:
        frequency = np.bincount(every, often, minlength=len(after))
        held = np.flatnonzero(frequency > 0)  # several times faster than of numbers
        return held, frequency.take(held).astype(np.float32)
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
    """Score every session as one text, and lend its score to its rows."""
    survey, sessions, count = field.survey, beside.sessions, beside.session_count
    bm25 = beside.once("session words", survey.seen, lambda: _whole_sessions(field, beside))
    scores = np.zeros(count, np.float32)
    coverage = np.zeros(count)
    for rows, counts, tells in postings:
        shown = survey.seen[rows]
        frequency = np.bincount(sessions[rows][shown], counts[shown], minlength=count)
        frequency[0] = 0
        held = np.flatnonzero(frequency)
        found = frequency[held]
        scores[held] += bm25.scores(held, found, bm25.rarity(len(held)))
        coverage[held] += tells / total
    field.signals["session_words"] = scores.take(sessions)
    field.signals["session_coverage"] = coverage.astype(np.float32).take(sessions)


def _whole_sessions(field: CollectionSignals, beside: RowNeighbours) -> Bm25:
    """BM25 where a document is the visible part of a session."""
    survey = field.survey
    lengths = np.bincount(
        beside.sessions, survey.lengths * survey.seen, minlength=beside.session_count
    )
    lengths[0] = 0
    live = max(int(np.count_nonzero(lengths)), 1)
    average = max(float(lengths.sum()) / live, 1.0)
    return Bm25(lengths, live=live, average=average)
