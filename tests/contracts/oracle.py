"""Search, done the plain way: every text scored from scratch by the formulas of the books.

BM25 with k1 = 1.2 and b = 0.75 over the live texts of one kind in one space; the cosine of stored
vectors; each leg scaled by its best and added up 0.6 to 0.4. Slow, and easy to believe.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from recollect.index.analyser import analyse, query_terms
from recollect.pages.value import is_trivial
from recollect.vocabulary.results import Recalled
from tests.embedders import WordEmbedder

NEAR = 0.25
#: Scores are added up in single precision; vectors are kept in half.
CLOSE = 2e-3


@dataclass
class Text:
    """One thing that can be found, as the test knows it."""

    kind: str
    words: str
    meaning: str
    live: bool = True
    embedded: bool = True
    tags: frozenset[str] = field(default_factory=frozenset)


@dataclass
class Scores:
    """What each leg should say of one thing, and the two together."""

    keyword: float | None
    vector: float | None
    total: float


class Library:
    """All texts of one space by their ids."""

    def __init__(self, embedder: WordEmbedder | None) -> None:
        self.texts: dict[str, Text] = {}
        self._embedder = embedder

    def scores(
        self, query: str, seen: Collection[str], kinds: Sequence[str] = ("memory", "event")
    ) -> dict[str, Scores]:
        """The scores of everything that must be found, given what may be seen."""
        words: dict[str, float] = {}
        meaning: dict[str, float] = {}
        for kind in kinds:
            words |= {i: score for i, score in self._bm25(query, kind).items() if i in seen}
            meaning |= {i: score for i, score in self._cosines(query, kind).items() if i in seen}
        best_word = max(words.values(), default=1.0)
        best_meaning = max([score for score in meaning.values() if score > 0], default=1.0)
        found: dict[str, Scores] = {}
        for item in words.keys() | meaning.keys():
            total = 0.6 * words.get(item, 0.0) / best_word
            total += 0.4 * max(0.0, meaning.get(item, 0.0)) / best_meaning
            if item in words or meaning[item] >= NEAR:
                found[item] = Scores(words.get(item), meaning.get(item), total)
        return found

    def _live(self, kind: str) -> dict[str, Text]:
        return {i: text for i, text in self.texts.items() if text.live and text.kind == kind}

    def _bm25(self, query: str, kind: str) -> dict[str, float]:
        counts = {item: Counter(analyse(text.words)) for item, text in self._live(kind).items()}
        lengths = {item: sum(count.values()) for item, count in counts.items()}
        average = max(1.0, sum(lengths.values()) / len(lengths)) if lengths else 1.0
        scores: dict[str, float] = {}
        for item, count in counts.items():
            total = 0.0
            for term in query_terms(query):
                holding = sum(term in other for other in counts.values())
                if count[term]:
                    odds = (len(counts) - holding + 0.5) / (holding + 0.5)
                    rarity = max(math.log(odds), 0.01 * math.log(1 + odds))
                    damping = 1.2 * (0.25 + 0.75 * lengths[item] / average)
                    total += rarity * count[term] * 2.2 / (count[term] + damping)
            if total:
                scores[item] = total
        return scores

    def _cosines(self, query: str, kind: str) -> dict[str, float]:
        if self._embedder is None:
            return {}
        asked = self._embedder.embed([query])[0]
        if not asked.any():
            return {}
        cosines = {}
        for item, text in self._live(kind).items():
            if text.embedded and not (kind == "event" and is_trivial(text.meaning)):
                kept = self._embedder.embed([text.meaning])[0].astype(np.float16).astype(np.float64)
                cosines[item] = float(kept @ asked / max(float(np.linalg.norm(kept)), 1e-12))
        return cosines


def check(recalled: Recalled, expected: Mapping[str, Scores]) -> None:
    """The answer holds what it must, nothing else, with the right scores in the right order."""
    doubtful = {
        item
        for item, scores in expected.items()
        if scores.keyword is None and abs((scores.vector or 0) - NEAR) < CLOSE
    }
    found = {hit.id: hit for hit in recalled}
    assert len(found) == len(recalled), "nothing is found twice"
    assert expected.keys() - doubtful <= found.keys()
    unexpected = [hit for hit in recalled if hit.id not in expected]
    assert all(
        hit.keyword_score is None and abs((hit.vector_score or 0) - NEAR) < CLOSE
        for hit in unexpected
    ), unexpected
    for item, scores in expected.items():
        if item in found:
            hit = found[item]
            assert _near(hit.keyword_score, scores.keyword), (hit, scores)
            assert _near(hit.vector_score, scores.vector), (hit, scores)
            assert _near(hit.score, scores.total), (hit, scores)
    ranked = [hit.score for hit in recalled]
    assert ranked == sorted(ranked, reverse=True)


def exact(recalled: Recalled) -> list[tuple[str, float, float | None, float | None]]:
    """An answer to the last bit, but for what jobs have filled in meanwhile."""
    return [(hit.id, hit.score, hit.keyword_score, hit.vector_score) for hit in recalled]


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return (one or 0) == (other or 0)
    return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
