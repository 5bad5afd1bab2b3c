"""The shorter forms: each within its length, each telling, none of the caller's replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.tokens import count_tokens
from recollect.memories.levels import filled_levels
from recollect.memories.short_forms import (
    COMPRESSED_CHARACTERS,
    INDEX_CHARACTERS,
    SUMMARY_CHARACTERS,
    compressed_form,
    index_line,
    summarised,
    typed_form,
)
from recollect.vocabulary.memory import Levels
from recollect.vocabulary.memory_types import MemoryType
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


@pytest.mark.parametrize(
    ("kind", "content", "extras", "short"),
    [
        (
            "decision",
            "We agreed to use SQLite as the local store because it needs no server.",
            {},
            "local store: SQLite (needs no server)",
        ),
        ("fact", "The port of the gateway is 8080.", {}, "port of the gateway: 8080"),
        ("fact", "Le port du serveur est 8080.", {}, "port du serveur: 8080"),
        ("fact", "x", {"key": "db", "value": "pg", "applies_to": "api"}, "db: pg (api)"),
        ("fact", "We use tabs.", {}, None),
        (
            "workflow_recipe",
            "x",
            {"task_pattern": "deploy", "steps": [{"description": "test"}, {"description": "ship"}]},
            "deploy: test -> ship",
        ),
        (
            "pattern",
            "x",
            {"trigger": "endpoint", "hint": "route -> check"},
            "endpoint: route -> check",
        ),
        ("error_pattern", "x", {"error": "no exp", "fix": "use UTC"}, "no exp -> use UTC"),
        (
            "episode",
            "The clock was wrong.",
            {"title": "Clock", "artifacts": [{"type": "commit", "ref": "abc123"}]},
            "Clock: clock wrong. (commit abc123)",
        ),
    ],
)
def test_each_kind_has_its_own_compressed_form(
    kind: str, content: str, extras: dict[str, object], short: str | None
) -> None:
    assert typed_form(content, MemoryType(kind), extras) == short


def test_what_turns_a_claim_around_stays() -> None:
    assert compressed_form("Run the linter before the commit.") == "Run linter before commit."
    assert compressed_form("You do not deploy on the weekend.") == "not deploy weekend."
    assert compressed_form("It is owned by team A, and the IT team is told.") == (
        "owned team A, IT team told."
    )


def test_summary_has_the_sentences_that_tell_most() -> None:
    first, second = "The queue is durable.", "Jobs are leased for 60 seconds by PR-12."
    long = "This sentence goes on and on. " * 20
    assert summarised(f"{first} {long} {second}").startswith(first)
    assert second in summarised(f"{first} {long} {second}")
    assert summarised(f"{first}\n{second}") == f"{first} {second}"
    assert summarised("一文目です。 二文目です。") == "一文目です。 二文目です。"


def test_sentence_that_alone_is_too_long_is_cut_at_a_word() -> None:
    cut = summarised("word " * 200)
    assert cut.endswith("word…")
    assert summarised("x" * 500) == "x" * (SUMMARY_CHARACTERS - 1) + "…"


def test_compressed_form_and_index_tell_what_was_said_and_not_that_it_was() -> None:
    told = "The user refused the edit of `ci.yml` and said: \u201ckeep the matrix in one file\u201d"
    assert compressed_form(told).startswith("keep matrix")
    assert index_line(compressed_form(told)).startswith("keep matrix")


def test_compressed_form_drops_the_words_that_carry_least() -> None:
    assert compressed_form("The cat is on the mat, and it was happy.") == "cat mat, happy."
    assert compressed_form("it is the one") != ""


@pytest.mark.parametrize("content", ["x", "...", "the", "🎉", "-" * 1_000])
def test_odd_contents_have_all_forms(content: str) -> None:
    levels = filled_levels(content, Levels())
    assert levels.summary
    assert levels.compressed
    assert levels.index


def test_note_of_a_session_is_shortened_to_what_was_said() -> None:
    note = (
        "The user said: “we don't have the old trailer anymore, so drop it.” Found: the functions "
        "`parseTrailers` and `extractSource` were kept, since `session raw` still uses them. "
        "Changed for it: `newShowCommand`, `newRawCommand`, `newListCommand` in `cmd/session.go`; "
        "`TrailerParser` in `cmd/trailers.go`; `TestTrailers` in `cmd/trailers_test.go`."
    )
    summary = summarised(note)
    assert "so drop it" in summary
    assert "Changed for it" not in summary, "a list of what was changed tells least"
    short = compressed_form(summary)
    assert short.startswith("don't have old trailer anymore"), "what is denied stays"
    assert index_line(short) == "don't have old trailer anymore, drop…"
    assert "Found:" not in short
