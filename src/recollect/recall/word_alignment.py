"""Word alignment of leading candidates: each question word with its nearest word in the text.

A sum of word vectors blurs a long text; alignment does not. A long text is compared by passages and
counts as its best one, which is also the passage that is quoted. This needs word vectors, so it
works where the embedder is a lexicon, and only on the few leading texts.
"""

import re
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import terms_of_word
from recollect.inference.embedder import Lexicon
from recollect.recall.candidates import RecallCandidate
from recollect.recall.passages import passages
from recollect.recall.plan import AnswerKind, carries_meaning, content_words
from recollect.recall.signals import CollectionSignals
from recollect.vocabulary.lazy_patterns import lazy_pattern

_LEAST_RARITY: Final = 0.2
_VOCABULARY: Final = 32_768
_TEXTS: Final = 16_384
_WORDS_OF_TEXT: Final = 1_200
_ROW: Final = np.dtype(np.int32)

_HOLDS: Final[dict[AnswerKind, re.Pattern[str]]] = {
    "time": lazy_pattern(
        r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|weeks?|weekend|months?|years?"
        r"|days?|morning|evening|night|recently|soon|\w+day|january|february|march|april|may|june"
        r"|july|august|september|october|november|december|\d{4}|summer|winter|spring|fall)\b",
        re.IGNORECASE,
    ),
    "number": lazy_pattern(
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|couple|few|several|dozen|once"
        r"|twice|first|second|third)\b",
        re.IGNORECASE,
    ),
    "name": lazy_pattern(r"(?<=[a-z,] )[A-Z][a-z]+"),
}


class _WordRows(dict[str, int]):
    """The row of each word's vector, given when the word is first met; negative for a word that
    carries no meaning.
    """

    def __init__(self) -> None:
        self.fresh: list[str] = []

    def __missing__(self, word: str) -> int:
        self.fresh.append(word)
        row = len(self) + 1
        self[word] = row = row if carries_meaning(word) else -row
        return row


class Aligner:
    """Word vectors of length one, and the words of recently leading texts."""

    _vectors: NDArray[np.float32]

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._lock = Lock()
        self._dims = lexicon.word_vectors(["a"]).shape[1]
        self._forget()

    def align(
        self, candidates: Sequence[RecallCandidate], field: CollectionSignals, words: Sequence[str]
    ) -> None:
        """Set how well the question's words are matched in the text of each candidate of a
        collection.
        """
        collection = field.collection
        mine = [one for one in candidates if one.collection == collection and one.text]
        meaningful = [
            word for word in content_words(list(words)) if word.lower() not in field.names
        ]
        if not mine or not meaningful:
            return
        weights = np.array([_rarity(field, word) for word in meaningful], np.float32)
        with self._lock:
            asked, texts, vectors = self._looked_up(meaningful, mine)
        passages_ = list(chain.from_iterable(texts))
        rows = np.frombuffer(b"".join(passages_), _ROW)
        distinct, places = _distinct(rows, len(vectors))
        near = _products(vectors.take(asked, axis=0), vectors.take(distinct, axis=0))
        ends = np.cumsum([len(passage) for passage in passages_]) // _ROW.itemsize
        starts = np.concatenate([[0], ends[:-1]])
        nearest = np.maximum.reduceat(near.take(places, axis=1), starts, axis=1)
        scores = ((weights / weights.sum()) @ nearest).tolist()
        place = 0
        for one, text in zip(mine, texts, strict=True):
            if len(text) == 1:
                one.signals["alignment"] = scores[place]
            else:
                here = scores[place : place + len(text)]
                one.signals["alignment"] = best = max(here)
                one.passage = here.index(best)
            place += len(text)

    def _looked_up(
        self, meaningful: Sequence[str], candidates: Sequence[RecallCandidate]
    ) -> tuple[list[int], list[list[bytes]], NDArray[np.float32]]:
        """The rows of the question's words, the rows of the words of each text by passage, and the
        vectors that they refer to: a reader may keep those, they are never overwritten.
        """
        if len(self._rows) >= _VOCABULARY:
            self._forget()
        asked = [abs(self._rows[word]) for word in meaningful]
        texts = []
        for one in candidates:
            key = one.item_id, one.slot
            text = self._texts.get(key)
            if text is None:
                text = self._texts[key] = self._rows_of(one.text)
            texts.append(text)
        while len(self._texts) > _TEXTS:
            self._texts.popitem(last=False)
        if self._rows.fresh:
            self._learn()
        return asked, texts, self._vectors

    def _rows_of(self, text: str) -> list[bytes]:
        """The rows of the words that carry meaning in each passage, packed; row 0 is no word, near
        to nothing.
        """
        room = _WORDS_OF_TEXT
        told = []
        for passage in passages(text):
            every = dict.fromkeys(map(self._rows.__getitem__, self._lexicon.words_of(passage)))
            rows = [row for row in every if row > 0] or [-row for row in every]
            told.append(array(_ROW.char, rows[: max(room, 0)] or [0]).tobytes())
            room -= len(rows)
        return told

    def _learn(self) -> None:
        """Add the vectors of the words that were met for the first time."""
        fresh, self._rows.fresh = self._rows.fresh, []
        end = len(self._rows) + 1
        try:
            vectors = _unit(self._lexicon.word_vectors(fresh))
        except BaseException:
            self._forget()  # these words have no vectors
            raise
        if end > len(self._vectors):
            grown = np.zeros((2 * end, self._dims), np.float32)
            grown[: len(self._vectors)] = self._vectors
            self._vectors = grown
        self._vectors[end - len(fresh) : end] = vectors

    def _forget(self) -> None:
        """Start with no words: when there are too many of them."""
        self._rows = _WordRows()
        self._texts: OrderedDict[tuple[str, int], list[bytes]] = OrderedDict()
        self._vectors = np.zeros((1_024, self._dims), np.float32)


def _distinct(rows: NDArray[np.int32], count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each of ``count`` rows that occurs, once; and where each row is among those. Faster than
    sorting: most words of the leading texts occur in several of them.
    """
    occurs = np.zeros(count, np.bool_)
    occurs[rows] = True
    distinct = occurs.nonzero()[0]
    place = np.empty(count, np.intp)
    place[distinct] = np.arange(len(distinct))
    return distinct, place.take(rows)


def holds_answer(candidates: Sequence[RecallCandidate], kind: AnswerKind | None) -> None:
    """Mark the candidates that hold the wanted kind of answer."""
    if kind is None:
        return
    for one in candidates:
        one.signals["answer"] = float(bool(_HOLDS[kind].search(one.text)))


def scale_alignment(candidates: Sequence[RecallCandidate]) -> None:
    """Scale by the best value, like the other signals."""
    aligned = [one.signals for one in candidates if "alignment" in one.signals]
    best = max((signals["alignment"] for signals in aligned), default=0.0)
    if best > 0:
        for signals in aligned:
            signals["alignment"] /= best


def _rarity(field: CollectionSignals, word: str) -> float:
    survey = field.survey
    holding = [
        len(survey.postings[term][0]) for term in terms_of_word(word) if term in survey.postings
    ]
    return max(_LEAST_RARITY, survey.bm25.rarity(min(holding, default=0)))


def _products(some: NDArray[np.float32], many: NDArray[np.float32]) -> NDArray[np.float32]:
    """Products of a few vectors with many, negative ones set to zero. A matrix product of numpy
    would wake threads, which on a busy machine takes longer than the work.
    """
    import simsimd

    products: NDArray[np.float32] = np.asarray(
        simsimd.cdist(some, many, metric="dot", out_dtype="f32")
    )
    return np.maximum(products, 0, out=products)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors / lengths, np.float32)
