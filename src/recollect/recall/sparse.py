"""Keyword search: BM25 of each row, of the row with the turns before it, and of its session.

Context is a second view and never the only one: a turn is scored by its own words, and once more
together with the words around it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from recollect.index.bm25 import Bm25, Matches
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.recall.signals import Array, CollectionSignals, Rows, lending

#: A term in fewer than one of this many rows is counted by sorting its rows.
_SPARSE: Final = 64


class Posting(NamedTuple):
    """The rows of a term, its count in each, and its weight in a row of the collection."""

    rows: Rows
    counts: Array
    tells: float


class _Spread(NamedTuple):
    """The rows that hold a term or follow within two rows of one that does, the term's count there,
    and the rows that stand just before one that holds it and do not hold it themselves.
    """

    rows: Rows
    counts: Array
    before: Rows


def keywords(field: CollectionSignals, *, context: bool) -> None:
    """Add the signals of the keywords."""
    postings = _postings(field)
    survey = field.survey
    words = np.zeros(len(field), np.float32)
    if postings:
        matches = Matches.of([(rows, counts) for rows, counts, _ in postings])
        survey.bm25.add_scores(words, matches, [posting.tells for posting in postings])
        words *= survey.seen
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


def _around(
    field: CollectionSignals, beside: RowNeighbours, postings: Sequence[Posting], total: float
) -> None:
    """Score each row with the two before it, and the share of the question's terms there or just
    after.
    """
    survey = field.survey
    bm25 = beside.once("spans", survey.seen, lambda: _spans(field, beside))
    scores = np.zeros(len(field), np.float32)
    coverage = np.zeros(len(field), np.float32)
    if postings:
        spread = _spread(postings, beside)
        matches = Matches.of([(one.rows, one.counts) for one in spread])
        bm25.add_scores(scores, matches, [bm25.rarity(len(one.rows)) for one in spread])
        shares = np.array([posting.tells / total for posting in postings], np.float32)
        held = [part for one in spread for part in (one.rows, one.before)]
        sizes = [len(one.rows) + len(one.before) for one in spread]
        np.add.at(coverage, np.concatenate(held), shares.repeat(sizes))
        scores *= survey.seen
        coverage *= survey.seen
    field.signals["around"] = scores
    field.signals["coverage"] = coverage


def _spans(field: CollectionSignals, beside: RowNeighbours) -> Bm25:
    """BM25 where a document is a row with the two before it."""
    lengths, before = lending(field.survey.lengths), beside.previous
    two = lending(before)
    two[-1] = NOBODY
    span = lengths[:-1] + lengths[before] + lengths[two[before]]
    return Bm25(span, live=field.survey.live, average=_usual_span(field, beside))


def _spread(postings: Sequence[Posting], beside: RowNeighbours) -> list[_Spread]:
    """Where each term is, with the rows around: rare terms together, frequent ones one by one."""
    rare = len(beside.following) // (3 * _SPARSE)
    spread: dict[int, _Spread] = {}
    few = [number for number, one in enumerate(postings) if len(one.rows) <= rare]
    if few:
        found = _spread_rare([postings[number] for number in few], beside)
        spread.update(zip(few, found, strict=True))
    return [
        spread[number] if number in spread else _spread_frequent(one, beside)
        for number, one in enumerate(postings)
    ]


def _spread_frequent(posting: Posting, beside: RowNeighbours) -> _Spread:
    """The rows of one term by an array over all rows."""
    every, often, _ = _followed(posting.rows, posting.counts, beside.following)
    frequency = np.bincount(every, often, minlength=len(beside.following))
    holds = frequency > 0
    rows = holds.nonzero()[0]  # several times faster than of numbers
    near = beside.previous.take(posting.rows)
    near = near[near >= 0]
    return _Spread(rows, frequency.take(rows).astype(np.float32), near[~holds.take(near)])


def _spread_rare(postings: Sequence[Posting], beside: RowNeighbours) -> list[_Spread]:
    """The rows of several terms by sorting them: a row of a term is one number, its place among
    the rows plus that of the term times their count.
    """
    count = len(beside.following)
    sizes = [len(posting.rows) for posting in postings]
    first = np.arange(0, count * len(postings), count).repeat(sizes)
    own = np.concatenate([posting.rows for posting in postings])
    often = np.concatenate([posting.counts for posting in postings])
    every, often, came_from = _followed(own, often, beside.following)
    every += first.take(came_from)
    order = every.argsort(kind="stable")
    every = every.take(order)
    is_first = np.ones(len(every), np.bool_)
    is_first[1:] = every[1:] != every[:-1]
    begins = is_first.nonzero()[0]
    counts = np.add.reduceat(often.take(order), begins)
    rows = every.take(begins)
    near = beside.previous.take(own)
    near = (near + first)[near >= 0]
    places = np.minimum(rows.searchsorted(near), len(rows) - 1)
    near = near[rows.take(places) != near]
    ends = np.arange(count, count * (len(postings) + 1), count)
    rows_end, near_end = rows.searchsorted(ends).tolist(), _ends(near, ends)
    rows, near = rows % count, near % count
    starts = zip([0, *rows_end[:-1]], [0, *near_end[:-1]], strict=True)
    return [
        _Spread(rows[row:row_end], counts[row:row_end], near[place:place_end])
        for (row, place), row_end, place_end in zip(starts, rows_end, near_end, strict=True)
    ]


def _ends(keys: Rows, ends: Rows) -> list[int]:
    """How many of the keys, which come term by term, lie below each end."""
    found: list[int] = (keys // ends[0]).searchsorted(np.arange(1, len(ends) + 1)).tolist()
    return found


def _followed(rows: Rows, counts: Array, after: Rows) -> tuple[Rows, Array, Rows]:
    """The rows, the rows after them and those after these; the counts; and the place of the row
    that each came from.
    """
    one = after.take(rows)
    linked = (one >= 0).nonzero()[0]
    one = one.take(linked)
    two = after.take(one)
    further = (two >= 0).nonzero()[0]
    came_from = np.concatenate([np.arange(len(rows)), linked, linked.take(further)])
    every = np.concatenate([rows, one, two.take(further)])
    return every, counts.take(came_from), came_from


def _usual_span(field: CollectionSignals, beside: RowNeighbours) -> float:
    """The average length of a row with the two before it."""
    linked = int(np.count_nonzero(beside.previous >= 0))
    twice = max(0, linked - beside.session_count + 1)
    return field.survey.average_length * (1 + (linked + twice) / max(field.survey.live, 1))


def _sessions(
    field: CollectionSignals, beside: RowNeighbours, postings: Sequence[Posting], total: float
) -> None:
    """Score every session as one text, and lend its score to its rows."""
    survey, sessions, count = field.survey, beside.sessions, beside.session_count
    bm25 = beside.once("session words", survey.seen, lambda: _whole_sessions(field, beside))
    scores = np.zeros(count, np.float32)
    coverage = np.zeros(count)
    if postings:
        rows = np.concatenate([posting.rows for posting in postings])
        terms = np.arange(len(postings)).repeat([len(posting.rows) for posting in postings])
        counts = np.concatenate([posting.counts for posting in postings]) * survey.seen.take(rows)
        frequency = np.bincount(
            terms * count + sessions.take(rows), counts, minlength=len(postings) * count
        ).reshape(-1, count)
        frequency[:, 0] = 0
        terms, held = frequency.nonzero()
        holding = np.bincount(terms, minlength=len(postings)).tolist()
        matches = Matches(held, frequency[terms, held].astype(np.float32), holding)
        bm25.add_scores(scores, matches, list(map(bm25.rarity, holding)))
        shares = np.array([posting.tells / total for posting in postings])
        np.add.at(coverage, held, shares.take(terms))
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
