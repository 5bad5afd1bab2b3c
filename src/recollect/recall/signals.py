"""Signals of a collection for one question: how well each row matches it, as arrays over its rows.

The first signals are those of the keywords (BM25 of each row, of the row with the turns before it,
and of its session) and of the vectors (the cosine of each row, and of its neighbours, with the
question). Context is a second view and never the only one: a turn is scored by itself, and once
more together with what stands around it. Later steps add signals; nothing is ranked here. Signals
that are comparable across collections are scaled by the best of all, so that memories and events
compare fairly.

Where text vectors are sums of word vectors, the question's words are weighted by how rare they are
in this store. For the plain vectors that are stored, this has the effect of re-weighting every
text, and nothing has to be embedded again as the store grows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms, terms_of_word
from recollect.index.bm25 import Bm25, Matches
from recollect.index.indexer import Indexer
from recollect.index.place_table import blocks, leading
from recollect.index.search_index import CollectionView
from recollect.index.surroundings import NOBODY, Links, RowNeighbours
from recollect.index.vector_index import Vector
from recollect.recall.named_people import Texts, rows_of_asker, weights_of_named
from recollect.recall.plan import Plan, content_words
from recollect.vocabulary.vectors import VectorModel

Array = NDArray[np.float32]
Rows = NDArray[np.int64]
Question = tuple[VectorModel, Vector]
T = TypeVar("T", bound=np.generic)

#: Weight of the asker's own turns where a question does not say whom it is about.
_UNSAID: Final = 0.5
#: A term in so few rows, or in fewer than one of so many, is counted by sorting its rows.
_FEW: Final = 200
_SPARSE: Final = 128
#: A bit beside the count of a frequent term in a row, which is at most three times 255; and the
#: bits of the count.
_JUST_BEFORE: Final = np.uint16(2**15)
_COUNT: Final = np.uint16(2**15 - 1)
#: Share of all words at which a word counts half, and the number of words that a store is assumed
#: to hold before its first: so a store of three texts does not take its few words for common ones.
HALF: Final = 1e-3
IMAGINED: Final = 5_000
_BEST_OF_SESSION: Final = 3
_SESSION_ROWS: Final = 2_000
_HALF: Final = 32  # bits of a whole number
_LARGEST: Final = 2**31 - 1
#: Number of earlier turns that may have said the same as a turn, and the usual cosine of a turn
#: with them.
_BEFORE: Final = 5
_USUALLY_NEAR: Final = 0.35


@dataclass(slots=True)
class CollectionSignals:
    """One collection with its signals. ``names`` are the words that name its authors."""

    survey: CollectionView
    terms: Sequence[str]
    named: Array | None = None
    names: frozenset[str] = frozenset()
    signals: dict[str, Array] = field(default_factory=dict)
    raw: dict[str, Array] = field(default_factory=dict)
    #: Factor that makes each signal comparable with the others.
    scales: dict[str, float] = field(default_factory=dict)
    query: Vector | None = None
    #: The rows that the asker said, where the asker is known.
    own: NDArray[np.bool_] | None = None

    @property
    def collection(self) -> str:
        """Name of the collection: memories or events."""
        return self.survey.collection

    @property
    def scanned_in_part(self) -> bool:
        """Whether only a part of the vectors' dimensions was compared."""
        codes = self.survey.codes
        return codes is not None and codes.model.scanned < codes.model.dims

    def __len__(self) -> int:
        return len(self.survey)


def field_of(
    survey: CollectionView, plan: Plan, words: Sequence[str], texts: Texts | None = None
) -> CollectionSignals:
    """The signals of a survey before any step: the people asked about, and the terms without their
    names. ``texts`` reads what stands at slots, where a name may be a form of address.
    """
    terms = plan.terms
    if survey.beside is None or not len(survey):
        return CollectionSignals(survey, terms)
    named, names = weights_of_named(survey, survey.beside, words, texts)
    own, answered = rows_of_asker(survey.beside, survey.seen)
    if named is None and not names and own is not None and not plan.of_other:
        if plan.of_self:
            named = own.astype(np.float32)
        elif answered:
            named = own * np.float32(_UNSAID)
    dropped = {term for name in names for term in query_terms(name)}
    kept = [term for term in terms if term not in dropped]
    names = names if kept else frozenset()
    return CollectionSignals(survey, kept or terms, named, names, own=own)


def with_final_zero(values: NDArray[T]) -> NDArray[T]:
    """The values with a zero appended, for look-ups by links: a link that leads nowhere points at
    that last place.
    """
    extended = np.empty(len(values) + 1, values.dtype)
    extended[:-1], extended[-1] = values, 0
    return extended


# --- keywords -------------------------------------------------------------------------------------


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


class _Marked(NamedTuple):
    """How often a frequent term is in each row with the two before it, ``_JUST_BEFORE`` for a row
    that stands just before one that holds it and does not hold it itself; and the number of rows
    with a count.
    """

    rows: NDArray[np.uint16]
    holding: int


def keywords(field: CollectionSignals, *, context: bool) -> None:
    """Add the signals of the keywords."""
    postings = _postings(field)
    survey = field.survey
    words = np.zeros(len(field), np.float32)
    matches = None
    if postings:
        matches = Matches.of([(rows, counts) for rows, counts, _ in postings])
        survey.bm25.add_scores(words, matches, [posting.tells for posting in postings])
        survey.hide_unseen(words)
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
    shares = [posting.tells / total for posting in postings]
    _around(field, survey.beside, postings, shares)
    _session_words(field, survey.beside, matches, shares)


def _postings(field: CollectionSignals) -> list[Posting]:
    survey = field.survey
    found = ((term, *survey.postings[term]) for term in field.terms)
    return [
        Posting(rows, counts, survey.bm25.rarity(len(rows)))
        for _, rows, counts in found
        if len(rows)
    ]


def _around(
    field: CollectionSignals,
    beside: RowNeighbours,
    postings: Sequence[Posting],
    shares: Sequence[float],
) -> None:
    """Score each row with the two before it, and the share of the question's terms there or just
    after.

    Terms are added in the order of the question, however each is counted, so that sums are the same
    to the last bit.
    """
    survey = field.survey
    bm25 = beside.once("spans", survey.seen, lambda: _spans(field, beside))
    scores = np.zeros(len(field), np.float32)
    coverage = np.zeros(len(field), np.float32)
    rare = [
        number
        for number, posting in enumerate(postings)
        if len(posting.rows) < max(_FEW, len(field) // _SPARSE)
    ]
    spread = _spread_rare([postings[number] for number in rare], beside) if rare else []
    spreads = dict(zip(rare, spread, strict=True))
    for together, numbers in groupby(range(len(postings)), spreads.__contains__):
        if together:
            some = [(spreads[number], shares[number]) for number in numbers]
            _add_rare(scores, coverage, bm25, some)
        else:
            frequent = [
                (_spread_frequent(postings[number], beside), shares[number]) for number in numbers
            ]
            _add_frequent(scores, coverage, bm25, frequent)
    survey.hide_unseen(scores)
    survey.hide_unseen(coverage)
    field.signals["around"] = scores
    field.signals["coverage"] = coverage


def _add_rare(
    scores: Array, coverage: Array, bm25: Bm25, terms: Sequence[tuple[_Spread, float]]
) -> None:
    """Add what rare terms give, each with its share of the question."""
    matches = Matches.of([(one.rows, one.counts) for one, _ in terms])
    bm25.add_scores(scores, matches, [bm25.rarity(len(one.rows)) for one, _ in terms])
    held = [part for one, _ in terms for part in (one.rows, one.before)]
    sizes = [len(one.rows) + len(one.before) for one, _ in terms]
    shares = np.array([share for _, share in terms], np.float32)
    np.add.at(coverage, np.concatenate(held), shares.repeat(sizes))


def _spans(field: CollectionSignals, beside: RowNeighbours) -> Bm25:
    """BM25 where a document is a row with the two before it."""
    lengths, before = with_final_zero(field.survey.lengths), beside.previous
    two = with_final_zero(before)
    two[-1] = NOBODY
    span = lengths[:-1] + lengths[before] + lengths[two[before]]
    return Bm25(span, live=field.survey.live, average=_usual_span(field, beside))


def _add_frequent(
    scores: Array, coverage: Array, bm25: Bm25, terms: Sequence[tuple[_Marked, float]]
) -> None:
    """Add what frequent terms give, each with its share of the question: all terms to one block of
    rows after the other, so that the sums of a block stay in the cache of a processor.
    """
    weighed = [(one.rows, bm25.rarity(one.holding), np.float32(share)) for one, share in terms]
    for part in blocks(len(scores)):
        gained, covered = scores[part], coverage[part]
        for rows, tells, share in weighed:
            marked = rows[part]
            bm25.add_term(gained, (marked & _COUNT).astype(np.float32), tells, part)
            covered += np.multiply(marked > 0, share)


def _spread_frequent(posting: Posting, beside: RowNeighbours) -> _Marked:
    """The rows around a frequent term, counted in an array of all rows."""
    following, often = beside.following, posting.counts.astype(np.uint16)
    rows = np.zeros(len(following) + 1, np.uint16)  # a link that leads nowhere ends at the last
    rows[posting.rows] = often
    one = following.take(posting.rows)
    np.add.at(rows, one, often)
    two = following.take(one)
    two[one < 0] = NOBODY
    np.add.at(rows, two, often)
    rows[NOBODY] = 0
    holding = int(np.count_nonzero(rows))
    rows[NOBODY] = 1
    before = beside.previous.take(posting.rows)
    rows[before[rows.take(before) == 0]] = _JUST_BEFORE
    return _Marked(rows[:-1], holding)


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


def _followed(rows: Rows, counts: Array, after: Links) -> tuple[Rows, Array, Rows]:
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


def _session_words(
    field: CollectionSignals,
    beside: RowNeighbours,
    matches: Matches | None,
    shares: Sequence[float],
) -> None:
    """Score every session as one text, and lend its score to its rows."""
    survey, count = field.survey, beside.session_count
    bm25 = beside.once("session words", survey.seen, lambda: _whole_sessions(field, beside))
    scores = np.zeros(count, np.float32)
    coverage = np.zeros(count)
    if matches is not None:
        counts = matches.counts
        if not survey.sees_all:
            counts = counts * survey.seen.take(matches.documents)
        terms = len(shares)
        places = np.arange(0, terms * count, count).repeat(matches.sizes)
        places += beside.sessions.take(matches.documents)
        found = np.bincount(places, counts, minlength=terms * count)
        frequency = found.astype(np.float32).reshape(terms, count)
        frequency[:, 0] = 0
        holding = np.count_nonzero(frequency, axis=1).tolist()
        for gained in bm25.scores_of_all(frequency, list(map(bm25.rarity, holding))):
            scores += gained
        for held in (frequency > 0) * np.array(shares)[:, np.newaxis]:
            coverage += held
    field.signals["session_words"] = beside.of_sessions(scores)
    field.signals["session_coverage"] = beside.of_sessions(coverage.astype(np.float32))


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


# --- vectors --------------------------------------------------------------------------------------


def weighed(indexer: Indexer, field: CollectionSignals, words: Sequence[str]) -> Question | None:
    """The question's vector for one collection: rare words count more, names of authors do not
    count.
    """
    meaningful = [word for word in content_words(list(words)) if word.lower() not in field.names]
    meaningful = meaningful or list(words)
    return indexer.weighted_question(meaningful, [_word_weight(field, word) for word in meaningful])


def _word_weight(field: CollectionSignals, word: str) -> float:
    survey = field.survey
    terms = [term for term in terms_of_word(word) if term in survey.postings]
    holding = max((len(survey.postings[term][0]) for term in terms), default=0)
    share = (holding + 1) / (survey.live * survey.average_length + IMAGINED)
    return HALF / (HALF + share)


def meaning(field: CollectionSignals, cosines: Vector, *, context: bool) -> None:
    """Add the signals of the vectors."""
    near = np.maximum(cosines, 0, out=cosines)
    field.raw["meaning"] = field.signals["meaning"] = near
    beside, seen = field.survey.beside, field.survey.seen
    if beside is None or not context:
        return
    field.signals["meaning_before"] = before = beside.of_previous(near)
    field.signals["meaning_after"] = beside.of_following(near)
    rows = beside.once(
        "follows", seen, lambda: with_final_zero(beside.asks)[beside.previous].nonzero()[0]
    )
    field.signals["answers"] = answers = np.zeros(len(near), np.float32)
    answers[rows] = before.take(rows)
    field.raw["session_meaning"] = field.signals["session_meaning"] = _session_meaning(beside, near)


def _session_meaning(beside: RowNeighbours, near: Array) -> Array:
    """Mean cosine of the few nearest rows of each session, taken among the nearest of all."""
    rows = leading(near, _SESSION_ROWS, above=0.0)
    # one number a row, which sorts by session and then the nearest first: the bits of a positive
    # number are in its order
    keys = beside.sessions.take(rows).astype(np.int64) << _HALF
    keys += _LARGEST - near.take(rows).view(np.int32)
    keys.sort()
    sessions = keys >> _HALF
    values = (_LARGEST - (keys & _LARGEST)).astype(np.int32).view(np.float32)
    best = np.ones(len(rows), np.bool_)  # unless the third before it is of the same session
    best[_BEST_OF_SESSION:] = sessions[_BEST_OF_SESSION:] != sessions[:-_BEST_OF_SESSION]
    sums = np.bincount(sessions[best], values[best], minlength=beside.session_count)
    sums[0] = 0
    return beside.of_sessions((sums / _BEST_OF_SESSION).astype(np.float32))


def novelty(field: CollectionSignals, rows: Rows) -> Array | None:
    """How much further each row lies from the turns before it than turns usually do.

    A fact is usually said once; the turns that follow agree, thank and ask on, and so lie near to
    it. Computed for the leading rows only. Hidden rows do not count, and nothing is computed from
    the first dimensions of a longer vector.
    """
    survey, beside = field.survey, field.survey.beside
    codes = survey.codes
    if beside is None or codes is None or not len(codes.rows) or not codes.of_whole_vectors:
        return None
    before = np.empty((_BEFORE, len(rows)), np.int64)
    last = rows
    for step in range(_BEFORE):
        before[step] = last = np.where(last >= 0, beside.previous.take(last), NOBODY)
    vectors = codes.approximate_vectors(np.append(rows, before), len(survey))
    own, around = vectors[: len(rows)], vectors[len(rows) :]
    told_before = before.ravel()
    around[(told_before < 0) | ~survey.seen.take(told_before)] = 0
    told = around.reshape(_BEFORE, len(rows), -1).sum(axis=0)
    size = np.sqrt(np.einsum("ij,ij->i", told, told) * np.einsum("ij,ij->i", own, own))
    near = np.einsum("ij,ij->i", own, told) / np.maximum(size, np.float32(1e-9))
    # unknown where there is nothing to compare with
    return np.where(size > 0, _USUALLY_NEAR - near, 0).astype(np.float32)
