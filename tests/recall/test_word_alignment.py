"""Words of a question beside the words of leading texts."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.recall import word_alignment
from recollect.recall.candidates import RecallCandidate
from recollect.recall.word_alignment import Aligner
from recollect.vocabulary.errors import EmbedderUnavailable


class Letters:
    """A lexicon in which words are near that share letters."""

    def words_of(self, text: str) -> list[str]:
        return text.split()

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(words), 26), np.float32)
        for row, word in zip(vectors, words, strict=True):
            for letter in word.lower():
                row[ord(letter) % 26] += 1
        return vectors


def field() -> Any:
    bm25 = SimpleNamespace(rarity=lambda _: 1.0)
    survey = SimpleNamespace(postings={}, bm25=bm25)
    return SimpleNamespace(collection="events", names=frozenset(), survey=survey)


def aligned(aligner: Aligner, *texts: str, question: str = "lantern") -> list[float]:
    candidates = [
        RecallCandidate("events", slot, slot, {}, item_id=text, text=text)
        for slot, text in enumerate(texts)
    ]
    aligner.align(candidates, field(), question.split())
    return [round(one.signals["alignment"], 3) for one in candidates]


def test_the_nearest_word_counts_whatever_else_the_text_says() -> None:
    aligner = Aligner(Letters())
    texts = ("a lantern burns", "zzz", "the and of")
    first = aligned(aligner, *texts)
    assert first[0] == 1.0
    assert first[0] > first[2] > first[1] == 0.0  # a text of stop words alone has those
    assert aligned(aligner, *texts) == first


def test_words_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = aligned(Aligner(Letters()), "a lantern burns", "zzz")
    monkeypatch.setattr(word_alignment, "_VOCABULARY", 4)
    aligner = Aligner(Letters())
    for word in ("ab", "cd", "ef", "gh", "ij", "kl"):
        aligned(aligner, word, f"{word}x", question=word)
    assert aligned(aligner, "a lantern burns", "zzz") == fresh


def test_a_failure_leaves_no_word_without_its_vector() -> None:
    lexicon = Letters()
    aligner = Aligner(lexicon)
    expected = aligned(Aligner(Letters()), "a lantern burns")
    original = lexicon.word_vectors

    def failing(words: Sequence[str]) -> NDArray[np.float32]:
        if list(words) != ["a"]:
            raise EmbedderUnavailable("It is gone.")
        return original(words)

    lexicon.word_vectors = failing  # type: ignore[method-assign]
    with pytest.raises(EmbedderUnavailable):
        aligned(aligner, "a lantern burns")
    lexicon.word_vectors = original  # type: ignore[method-assign]
    assert aligned(aligner, "a lantern burns") == expected
