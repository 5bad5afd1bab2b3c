"""Vector search: the cosine of each row, and of its neighbours, with the question.

Where text vectors are sums of word vectors, the question's words are weighted by how rare they are
in this store. For the plain vectors that are stored, this has the effect of re-weighting every
text, and nothing has to be embedded again as the store grows.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from recollect.index.analyser import terms_of_word
from recollect.index.indexer import Indexer
from recollect.index.place_table import leading
from recollect.index.surroundings import NOBODY, RowNeighbours
from recollect.index.vector_index import Vector
from recollect.recall.plan import content_words
from recollect.recall.signals import Array, CollectionSignals, Rows, lending
from recollect.vocabulary.vectors import VectorModel

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

Question = tuple[VectorModel, Vector]


def weighed(indexer: Indexer, field: CollectionSignals, words: Sequence[str]) -> Question | None:
    """The question's vector for one collection: rare words count more, names of authors do not
    count.
    """
    telling = [word for word in content_words(list(words)) if word.lower() not in field.names]
    telling = telling or list(words)
    return indexer.weighted_question(telling, [_weight(field, word) for word in telling])


def _weight(field: CollectionSignals, word: str) -> float:
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
    rows = beside.once("follows", seen, lambda: lending(beside.asks)[beside.previous].nonzero()[0])
    field.signals["answers"] = answers = np.zeros(len(near), np.float32)
    answers[rows] = before.take(rows)
    field.raw["session_meaning"] = field.signals["session_meaning"] = _sessions(beside, near)


def _sessions(beside: RowNeighbours, near: Array) -> Array:
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
