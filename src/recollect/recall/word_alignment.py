"""Word alignment of leading candidates: each question word with its nearest word in the text.

A sum of word vectors blurs a long text; alignment does not. A long text is compared by passages and
counts as its best one, which is also the passage that is quoted. This needs word vectors, so it
works where the embedder is a lexicon, and only on the few leading texts.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, compress, islice
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms
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
_MANY: Final = 1_000

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


class _CarryingWords(dict[str, bool]):
    """Whether each word carries meaning, as ``content_words`` decides; decided once a word."""

    def __missing__(self, word: str) -> bool:
        self[word] = known = carries_meaning(word)
        return known


class Aligner:
    """Word vectors of length one, and the words of recently leading texts."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._texts: OrderedDict[tuple[str, int], list[NDArray[np.int32]]] = OrderedDict()
        self._vectors = _empty(lexicon)
        self._carrying = _CarryingWords()

    def align(
        self, candidates: Sequence[RecallCandidate], field: CollectionSignals, words: Sequence[str]
    ) -> None:
        """Set how well the question's words are matched in the text of each candidate of a
        collection.
        """
        mine = [one for one in candidates if one.collection == field.collection and one.text]
        telling = [word for word in content_words(list(words)) if word.lower() not in field.names]
        if not mine or not telling:
            return
        weights = np.array([_rarity(field, word) for word in telling], np.float32)
        with self._lock:
            asked = self._of_question(telling)
            texts = self._words(mine)
            rows = np.concatenate(list(chain.from_iterable(texts)))
            inverse = None
            if len(rows) > _MANY:  # fewer rows are compared faster than sorted
                rows, inverse = np.unique(rows, return_inverse=True)
            vectors = self._vectors.take(rows, axis=0)
        near = _products(asked, vectors)
        if inverse is not None:
            near = near.take(inverse, axis=1)
        sizes = [len(passage) for text in texts for passage in text]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        nearest = np.maximum.reduceat(near, starts, axis=1)
        scores = ((weights / weights.sum()) @ nearest).tolist()
        place = 0
        for one, text in zip(mine, texts, strict=True):
            here = scores[place : place + len(text)]
            place += len(text)
            one.signals["alignment"] = best = max(here)
            if len(text) > 1:
                one.passage = here.index(best)

    def _of_question(self, words: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the question's words, of length one."""
        while not self._learn(words):
            pass
        return self._vectors.take([self._rows[word] for word in words], axis=0)

    def _words(self, candidates: Sequence[RecallCandidate]) -> list[list[NDArray[np.int32]]]:
        """Rows of the words of each text, by passage; row 0 is no word, near to nothing."""
        keys = [(one.item_id, one.slot) for one in candidates]
        fresh = {
            key: self._telling(one.text)
            for key, one in zip(keys, candidates, strict=True)
            if key not in self._texts
        }
        if not self._learn(_words_of(fresh)):
            fresh = {
                key: self._telling(one.text) for key, one in zip(keys, candidates, strict=True)
            }
            self._learn(_words_of(fresh))
        rows = self._rows
        for key, told in fresh.items():
            self._texts[key] = [
                np.array([rows[word] for word in words] or [0], np.int32) for words in told
            ]
        texts = [self._texts[key] for key in keys]
        while len(self._texts) > _TEXTS:
            self._texts.popitem(last=False)
        return texts

    def _telling(self, text: str) -> list[list[str]]:
        """The words that carry meaning in each passage."""
        room = _WORDS_OF_TEXT
        told = []
        for passage in passages(text):
            every = self._lexicon.words_of(passage)
            carrying = compress(every, map(self._carrying.__getitem__, every))
            words = dict.fromkeys(carrying) or dict.fromkeys(every)
            told.append(list(islice(words, max(room, 0))))
            room -= len(words)
        return told

    def _learn(self, words: Iterable[str]) -> bool:
        """Give every word a row; False when all words had to be forgotten to make room."""
        fresh = [word for word in dict.fromkeys(words) if word not in self._rows]
        if self._rows and len(self._rows) + len(fresh) >= _VOCABULARY:
            self._rows = {}
            self._texts = OrderedDict()
            self._vectors = _empty(self._lexicon)
            self._carrying = _CarryingWords()
            return False
        if fresh:
            start = len(self._rows) + 1
            if start + len(fresh) > len(self._vectors):
                grown = np.zeros((2 * (start + len(fresh)), self._vectors.shape[1]), np.float32)
                grown[: len(self._vectors)] = self._vectors
                self._vectors = grown
            self._vectors[start : start + len(fresh)] = _unit(self._lexicon.word_vectors(fresh))
            self._rows.update(zip(fresh, range(start, start + len(fresh)), strict=True))
        return True


def _words_of(fresh: Mapping[tuple[str, int], list[list[str]]]) -> Iterable[str]:
    return chain.from_iterable(chain.from_iterable(fresh.values()))


def holds_answer(candidates: Sequence[RecallCandidate], kind: AnswerKind | None) -> None:
    """Mark the candidates that hold the wanted kind of answer."""
    if kind is None:
        return
    for one in candidates:
        one.signals["answer"] = float(bool(_HOLDS[kind].search(one.text)))


def scale_alignment(candidates: Sequence[RecallCandidate]) -> None:
    """Scale by the best value, like the other signals."""
    best = max((one.signals.get("alignment", 0.0) for one in candidates), default=0.0)
    for one in candidates:
        if best > 0 and "alignment" in one.signals:
            one.signals["alignment"] /= best


def _rarity(field: CollectionSignals, word: str) -> float:
    survey = field.survey
    holding = [
        len(survey.postings[term][0]) for term in query_terms(word) if term in survey.postings
    ]
    return max(_LEAST_RARITY, survey.bm25.rarity(min(holding, default=0)))


def _empty(lexicon: Lexicon) -> NDArray[np.float32]:
    return np.zeros((1_024, lexicon.word_vectors(["a"]).shape[1]), np.float32)


def _products(some: NDArray[np.float32], many: NDArray[np.float32]) -> NDArray[np.float32]:
    """Products of a few vectors with many, negative ones set to zero. A matrix product of numpy
    would wake threads, which on a busy machine takes longer than the work.
    """
    import simsimd

    return np.maximum(np.asarray(simsimd.cdist(some, many, metric="dot"), np.float32), 0)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors / lengths, np.float32)
