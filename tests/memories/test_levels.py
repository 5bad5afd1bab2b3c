"""The shorter forms: each within its length, each telling, none of the caller's replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.tokens import count_tokens
from recollect.memories.levels import (
    COMPRESSED_CHARACTERS,
    INDEX_CHARACTERS,
    SUMMARY_CHARACTERS,
    compressed_form,
    filled_levels,
    index_line,
    summarised,
)
from recollect.vocabulary.memory import Levels
from tests.contracts.drafts import contents

forms = st.none() | contents


@given(content=contents, summary=forms, compressed=forms, index=forms)
def test_all_four_are_there_with_their_counts(
    content: str, summary: str | None, compressed: str | None, index: str | None
) -> None:
    given_levels = Levels(summary, compressed, index)
    levels = filled_levels(content, given_levels)
    for name in ("summary", "compressed", "index"):
        brought = getattr(given_levels, name)
        form = getattr(levels, name)
        assert form.strip()
        assert brought in {None, form}
        assert getattr(levels, f"{name}_tokens") == count_tokens(form)
    assert levels.full_tokens == count_tokens(content)
    assert filled_levels(content, levels) == levels


@given(st.text(min_size=1, max_size=900).filter(str.strip))
def test_no_form_is_longer_than_it_may_be(content: str) -> None:
    summary = summarised(content)
    compressed = compressed_form(summary)
    index = index_line(compressed)
    assert len(summary) <= SUMMARY_CHARACTERS
    assert len(compressed) <= COMPRESSED_CHARACTERS
    assert len(index) <= INDEX_CHARACTERS


def test_summary_is_the_leading_sentences() -> None:
    first, second = "The queue is durable.", "Jobs are leased for a minute."
    long = "This sentence goes on and on. " * 20
    assert summarised(f"{first} {second}\n\n{long}").startswith(f"{first} {second}")
    assert summarised(f"{first}\n{second}") == f"{first} {second}"
    assert summarised("一文目です。 二文目です。") == "一文目です。 二文目です。"


def test_sentence_that_alone_is_too_long_is_cut_at_a_word() -> None:
    cut = summarised("word " * 200)
    assert cut.endswith("word…")
    assert summarised("x" * 500) == "x" * (SUMMARY_CHARACTERS - 1) + "…"


def test_compressed_form_drops_the_words_that_carry_least() -> None:
    assert compressed_form("The cat is on the mat, and it was happy.") == "cat mat, happy."
    assert compressed_form("it is the one") != ""


@pytest.mark.parametrize("content", ["x", "...", "the", "🎉", "-" * 1_000])
def test_odd_contents_have_all_forms(content: str) -> None:
    levels = filled_levels(content, Levels())
    assert levels.summary
    assert levels.compressed
    assert levels.index
