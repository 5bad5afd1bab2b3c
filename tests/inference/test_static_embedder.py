"""The static embedder against the real weights and a whole-text tokenisation of its own."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.inference import static_embedder
from recollect.inference.bundled import (
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    bundled_file,
    bundled_folder,
    load_tokenizer,
    open_weights,
)
from recollect.inference.embedder import Embedder
from recollect.inference.static_embedder import BATCH, MAX_WORD_LENGTH, MAX_WORDS, StaticEmbedder
from recollect.vocabulary.errors import EmbedderUnavailable

EMBEDDER = StaticEmbedder()
TOKENIZER = load_tokenizer(bundled_file(TOKENIZER_FILE))
WEIGHTS = open_weights(bundled_file(WEIGHTS_FILE))

SENTENCES = [
    "The migration failed because the lock was held by another writer.",
    "Caroline said that the support group met on Tuesday, didn't she?",
    "def embed(self, texts): return self._table[rows].sum(axis=0)",
    "src/recollect/inference/static_embedder.py:42: error: Incompatible types",
    "Écrivez-moi à l'adresse suivante: café@example.org",
    "naïve façade — 3.14159 × 10⁻⁷ €",
    "日本語のテキスト 中文文本 한국어",
    "<s> not a marker </s> but text <unk>",
    "one",
]

texts_of_any_kind = st.text(max_size=300)


def words_of(text: str) -> list[str]:
    """The words of a text, by a rule told in another way than the embedder's."""
    return re.findall(r"[^\s!-/:-@\[-`{-~\u2018\u2019\u201c\u201d\u2013\u2014\u2026]+", text)


def whole_text_vector(text: str) -> NDArray[np.float32]:
    """The mean of the vectors of the whole text's tokens, at length one."""
    ids = TOKENIZER.ids(" ".join(words_of(text)))
    if not ids:
        return np.zeros(256, np.float32)
    mean = WEIGHTS[ids].astype(np.float32).mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def test_it_is_an_embedder() -> None:
    embedder: Embedder = EMBEDDER
    assert (embedder.model_id, embedder.dims) == ("static/wordllama-l2-256-words", 256)
    assert embedder.local
    assert embedder.describe() == "static/wordllama-l2-256-words, 256 dimensions, local"


@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_add_up_to_the_whole_text(sentence: str) -> None:
    found = EMBEDDER.embed([sentence])[0]
    np.testing.assert_allclose(found, whole_text_vector(sentence), atol=1e-5)


@given(st.lists(st.from_regex(r"[A-Za-z0-9'.,:()_/-]{1,12}", fullmatch=True), min_size=1))
def test_words_of_any_spelling_add_up_too(words: list[str]) -> None:
    text = " ".join(words)
    np.testing.assert_allclose(EMBEDDER.embed([text])[0], whole_text_vector(text), atol=1e-5)


@given(st.lists(texts_of_any_kind))
def test_rows_have_length_one_or_zero(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)
    assert vectors.shape == (len(texts), 256)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    expected = np.array([1.0 if words_of(text) else 0.0 for text in texts])
    np.testing.assert_allclose(lengths, expected, atol=1e-5)


@given(st.lists(texts_of_any_kind, min_size=1), st.data())
def test_neighbours_change_nothing(texts: list[str], data: st.DataObject) -> None:
    together = EMBEDDER.embed(texts)
    place = data.draw(st.integers(0, len(texts) - 1))
    np.testing.assert_allclose(together[place], EMBEDDER.embed([texts[place]])[0], atol=1e-6)


def test_more_texts_than_a_batch_keep_their_order() -> None:
    texts = [f"text number {number}" for number in range(3 * BATCH + 1)]
    singly = np.concatenate([EMBEDDER.embed([text]) for text in texts])
    np.testing.assert_allclose(EMBEDDER.embed(texts), singly, atol=1e-6)


def test_nothing_to_embed() -> None:
    assert EMBEDDER.embed([]).shape == (0, 256)
    assert not EMBEDDER.embed(["", " \n\t", "\u3000", "?!", "..."]).any()


def test_only_the_first_words_count() -> None:
    start = "word " * MAX_WORDS
    found = EMBEDDER.embed([start, start + "entirely different ending"])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(EMBEDDER.embed([start + "word"])[0], found[0])
    assert not np.array_equal(EMBEDDER.embed(["word other"])[0], found[0])


def test_a_long_word_counts_as_its_pieces() -> None:
    word = "".join(f"{number:x}" for number in range(400))
    pieces = [
        word[start : start + MAX_WORD_LENGTH] for start in range(0, len(word), MAX_WORD_LENGTH)
    ]
    found = EMBEDDER.embed([word, " ".join(pieces)])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_a_word_without_end_is_bounded() -> None:
    found = EMBEDDER.embed(["x" * 3_000_000, "fine"])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(found[1], EMBEDDER.embed(["fine"])[0], atol=1e-6)


def test_half_a_surrogate_pair_does_no_harm() -> None:
    found = EMBEDDER.embed(["broken \ud83d text", "broken text"])
    assert found[0] @ found[1] > 0.5


def test_meaning_is_nearer_than_chance() -> None:
    question, near, far = EMBEDDER.embed(
        [
            "how do we deploy the database migration",
            "run the schema migration before deploying",
            "the cat slept on the warm sofa",
        ]
    )
    assert question @ near > question @ far + 0.2


def test_more_words_than_it_can_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """More distinct words than fit: what is forgotten is learnt again, the same."""
    monkeypatch.setattr(static_embedder, "BATCH", 2)  # the least that fits are the words of a batch
    embedder = StaticEmbedder(capacity=2 * MAX_WORDS)
    starts = range(0, 10_000, 500)
    texts = [" ".join(f"w{word}" for word in range(start, start + 500)) for start in starts]
    first = embedder.embed(texts)
    assert embedder._table is not None
    assert len(embedder._table) < 10_000
    np.testing.assert_allclose(embedder.embed(texts[:5]), first[:5], atol=1e-6)


def test_threads_share_it() -> None:
    embedder = StaticEmbedder()
    texts = [f"thread {number} says word{number % 7} and {number * 31}" for number in range(800)]
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda n: embedder.embed(texts[n : n + 10]), range(0, 800, 10)))
    np.testing.assert_allclose(np.concatenate(parts), EMBEDDER.embed(texts), atol=1e-6)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped files that may be broken."""
    installed = bundled_folder()
    assert installed is not None
    for name in (WEIGHTS_FILE, TOKENIZER_FILE):
        (tmp_path / name).parent.mkdir()
        shutil.copy(installed / name, tmp_path / name)
    return tmp_path


def weights_file(header: object, data: bytes = b"") -> bytes:
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + data


def tensor(dtype: str = "F16", shape: tuple[int, ...] = (1, 2), end: int = 4) -> object:
    return {"embedding.weight": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}}


def test_a_copy_of_the_files_serves_as_well(folder: Path) -> None:
    np.testing.assert_array_equal(
        StaticEmbedder(folder).embed(["the same"]), EMBEDDER.embed(["the same"])
    )


@pytest.mark.parametrize("name", [WEIGHTS_FILE, TOKENIZER_FILE])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(EmbedderUnavailable, match=r"is not in .* pip install"):
        StaticEmbedder(folder)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"version https://git-lfs.github.com/spec/v1",
        weights_file([1, 2]),
        weights_file({}),
        weights_file(tensor(dtype="F32", end=8), b"\0" * 8),
        weights_file(tensor(shape=(4,)), b"\0" * 4),
        weights_file(tensor(end=6), b"\0" * 6),
        weights_file(tensor(), b"\0" * 3),
        weights_file(tensor(), b"\0" * 4),
    ],
)
def test_damaged_weights_are_refused(folder: Path, content: bytes) -> None:
    (folder / WEIGHTS_FILE).write_bytes(content)
    with pytest.raises(EmbedderUnavailable):
        StaticEmbedder(folder).embed(["a"])


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe"])
def test_a_damaged_tokenizer_is_refused(folder: Path, content: bytes) -> None:
    (folder / TOKENIZER_FILE).write_bytes(content)
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        StaticEmbedder(folder).embed(["a"])


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.inference.bundled.find_spec", lambda name: None)
    with pytest.raises(EmbedderUnavailable, match="pip install wordllama"):
        StaticEmbedder()
