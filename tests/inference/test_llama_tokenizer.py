"""Our reader of the Llama 2 tokenizer against the library it takes the place of, id for id."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from recollect.inference.bundled import TOKENIZER_FILE, bundled_file
from recollect.inference.llama_tokenizer import LlamaTokenizer

FILE = bundled_file(TOKENIZER_FILE)


@cache
def ours() -> LlamaTokenizer:
    """The reader under test."""
    return LlamaTokenizer(FILE)


@cache
def theirs() -> Tokenizer:
    """The library's, told to change nothing."""
    made = Tokenizer.from_file(str(FILE))
    made.no_padding()
    made.no_truncation()
    made.encode_special_tokens = True
    return made


#: Letters that merge often, spaces and their mark, markers, and characters that become bytes.
crowded = st.text(st.sampled_from("aeinrst  \u2581<>/s0xA\n\t'é漢😀\u0301\x00"), max_size=60)
words = st.lists(st.sampled_from("the there international ▁▁ don't https://x.y/z 𝔘 ".split(" ")))


@given(st.one_of(st.text(max_size=80), crowded, words.map(" ".join)))
@example("the" * 15)
@example("the" * 16)
@example("the" * 2_000)
@example("\u2581" * 1_000 + " " * 1_000)
@example(Path(__file__).read_text("utf-8"))
def test_the_ids_are_those_of_the_library(text: str) -> None:
    assert ours().ids(text) == theirs().encode(text, add_special_tokens=False).ids


def test_it_has_as_many_pieces() -> None:
    assert ours().vocabulary_size == theirs().get_vocab_size()


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "Unigram"},
        {"byte_fallback": False},
        {"vocab": {"a": 0}},
        {"merges": ["a \u2581b"]},
        {"merges": [1]},
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    content = json.loads(FILE.read_bytes())
    content["model"] |= changed
    (tmp_path / "other.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="the file"):
        LlamaTokenizer(tmp_path / "other.json")
