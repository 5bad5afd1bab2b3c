"""The default embedder: the mean of static token vectors, on this machine, in microseconds.

A text is split at white space and punctuation, and each distinct word is tokenised once. Llama 2
merges never cross a space, so the sum of the words' vectors is the sum over the tokens of the text
without its punctuation; and because the result is scaled to length one, the sum and the mean are
the same vector. Without punctuation there are a third as many words to learn, and evidence is found
a little more often (docs/inference.md).

Invariant: what a text embeds to depends on that text alone, never on its neighbours or on what was
seen before. Only the first `MAX_WORDS` words count, and a word over `MAX_WORD_LENGTH` characters
counts as several.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from string import punctuation
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.inference.bundled import (
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    bundled_file,
    load_tokenizer,
    open_weights,
)
from recollect.vocabulary.arguments import repaired_text
from recollect.vocabulary.errors import EmbedderUnavailable

DIMS: Final = 256
MODEL: Final = "wordllama-l2-256-words"
MAX_WORDS: Final = 2_000
MAX_WORD_LENGTH: Final = 200
BATCH: Final = 32
CAPACITY: Final = 65_536  # words, 64 MB when full; a batch of the longest texts must fit
_FIRST_SIZE: Final = 4_096
_ONES: Final = np.ones(MAX_WORDS, np.float32)
_APART: Final = str.maketrans(
    dict.fromkeys(punctuation + "\u2018\u2019\u201c\u201d\u2013\u2014\u2026", " ")
)


class WordTable:
    """Cache of words and the sums of their token vectors: a known word costs one look-up.

    The table has at most `capacity` words; when a batch would not fit, everything is discarded and
    computed again. An array handed out is never moved or cleared under its reader: growing and
    clearing replace the array, they do not reuse it. The caller holds the lock.
    """

    def __init__(
        self, vector_of: Callable[[str], NDArray[np.float32]], *, dims: int, capacity: int
    ) -> None:
        self._vector_of = vector_of
        self._dims = dims
        self._capacity = capacity
        self._forget()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The array that the row numbers of the last `rows` call refer to."""
        return self._vectors

    def rows(self, sentences: Iterable[Sequence[str]]) -> NDArray[np.intp]:
        """The row of every word, in order. KeyError if a word has not been learnt."""
        words = chain.from_iterable(sentences)
        return np.fromiter(map(self._rows.__getitem__, words), np.intp)

    def learn(self, sentences: Iterable[Sequence[str]]) -> None:
        """Ensure that every one of these words has a row."""
        distinct = dict.fromkeys(chain.from_iterable(sentences))
        unknown = [word for word in distinct if word not in self._rows]
        if len(self._rows) + len(unknown) > self._capacity:
            self._forget()
            unknown = list(distinct)
        self._make_room(len(self._rows) + len(unknown))
        for word in unknown:
            row = len(self._rows)
            self._vectors[row] = self._vector_of(word)
            self._rows[word] = row

    def _forget(self) -> None:
        self._rows: dict[str, int] = {}
        first_size = min(_FIRST_SIZE, self._capacity)
        self._vectors = np.zeros((first_size, self._dims), np.float32)

    def _make_room(self, needed: int) -> None:
        size = len(self._vectors)
        if needed <= size:
            return
        while size < needed:
            size *= 2
        grown = np.zeros((size, self._dims), np.float32)
        grown[: len(self._rows)] = self._vectors[: len(self._rows)]
        self._vectors = grown


class StaticEmbedder:
    """Static 256-dimensional vectors; thread-safe."""

    model_id = f"static/{MODEL}"
    dims = DIMS
    local = True
    matryoshka = True  # the weights were trained with Matryoshka losses at 64, 128 and 256

    def __init__(self, folder: Path | None = None, *, capacity: int = CAPACITY) -> None:
        self._weights_path = bundled_file(WEIGHTS_FILE, folder)
        self._tokenizer_path = bundled_file(TOKENIZER_FILE, folder)
        self._capacity = max(capacity, BATCH * MAX_WORDS)
        self._table: WordTable | None = None
        self._lock = Lock()

    def describe(self) -> str:
        return f"{self.model_id}, {self.dims} dimensions, local"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), DIMS), np.float32)
        sentences = [self.words_of(text) for text in texts]
        if len(texts) > BATCH:
            self._learn(sentences)
        for start in range(0, len(texts), BATCH):
            batch = vectors[start : start + BATCH]
            self._add_up(sentences[start : start + BATCH], batch)
            lengths = np.sqrt(np.einsum("ij,ij->i", batch, batch))
            lengths[lengths == 0] = 1  # a text without a known word stays all zeros
            batch /= lengths[:, None]
        return vectors

    def words_of(self, text: str) -> list[str]:
        """The words of a text that count, as written."""
        return text.translate(_APART).split(None, MAX_WORDS)[:MAX_WORDS]

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One unscaled row per word: the sum of such rows, scaled, is the vector of a text."""
        if len(words) <= MAX_WORDS and all(0 < len(word) <= MAX_WORD_LENGTH for word in words):
            _, rows, known = self._look_up([list(words)])
            return known.take(rows, axis=0)
        pieces = [_cut_long_words([word]) for word in words]
        vectors = np.zeros((len(words), DIMS), np.float32)
        for start in range(0, len(words), BATCH):
            self._add_up(pieces[start : start + BATCH], vectors[start : start + BATCH])
        return vectors

    def _learn(self, sentences: list[list[str]]) -> None:
        """Learn the new words of many texts at once, so that no batch has to stop for one."""
        words: set[str] = set()
        words.update(*sentences)
        if len(words) > self._capacity // 2:
            return
        with self._lock:
            table = self._load() if self._table is None else self._table
            table.learn([[word for word in words if len(word) <= MAX_WORD_LENGTH]])

    def _add_up(self, sentences: list[list[str]], sums: NDArray[np.float32]) -> None:
        """Write the sum of each text's word vectors into its row.

        A product with ones is several times faster than any numpy reduction of so few rows.
        """
        sentences, rows, vectors = self._look_up(sentences)
        start = 0
        for target, words in zip(sums, sentences, strict=True):
            end = start + len(words)
            np.dot(_ONES[: end - start], vectors.take(rows[start:end], axis=0), out=target)
            start = end

    def _look_up(
        self, sentences: list[list[str]]
    ) -> tuple[list[list[str]], NDArray[np.intp], NDArray[np.float32]]:
        """The words that count, their rows, and the array those rows refer to."""
        with self._lock:
            table = self._load() if self._table is None else self._table
            try:
                rows = table.rows(sentences)
            except KeyError:
                sentences = [_cut_long_words(words) for words in sentences]
                table.learn(sentences)
                rows = table.rows(sentences)
            return sentences, rows, table.vectors

    def _load(self) -> WordTable:
        vector_of = _token_sums(self._weights_path, self._tokenizer_path)
        self._table = WordTable(vector_of, dims=DIMS, capacity=self._capacity)
        return self._table


def _cut_long_words(words: list[str]) -> list[str]:
    """The same words with long ones in pieces. Long words are never learnt whole, so a text with
    one always passes through here, and its words are the same whatever else is in the batch.
    """
    pieces = [
        word[start : start + MAX_WORD_LENGTH]
        for word in words
        for start in range(0, len(word), MAX_WORD_LENGTH)
    ]
    return pieces[:MAX_WORDS]


def _token_sums(weights_path: Path, tokenizer_path: Path) -> Callable[[str], NDArray[np.float32]]:
    """A function from one word to the sum of its tokens' vectors."""
    weights = open_weights(weights_path)
    tokenizer = load_tokenizer(tokenizer_path)
    if weights.shape != (tokenizer.vocabulary_size, DIMS):
        raise EmbedderUnavailable("The static weights and their tokenizer do not belong together.")

    def token_sum(word: str) -> NDArray[np.float32]:
        ids = tokenizer.ids(repaired_text(word))
        total: NDArray[np.float32] = np.add.reduce(weights.take(ids, 0), 0, np.float32)
        return total

    return token_sum
