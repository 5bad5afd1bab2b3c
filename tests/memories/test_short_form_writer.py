"""The shorter forms: each within its length, each telling, none of the caller's replaced."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.inference.tokens import count_tokens
from recollect.memories.short_forms import (
    COMPRESSED_CHARACTERS,
    INDEX_CHARACTERS,
    SUMMARY_CHARACTERS,
    compressed_form,
    derived_forms,
    filled_levels,
    index_line,
    summarised,
    typed_form,
)
from recollect.vocabulary.memory import Levels
from recollect.vocabulary.memory_types import MemoryType
from tests.contracts.drafts import contents
from tests.inference.model_server import running, status

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


@pytest.mark.parametrize(
    ("content", "short"),
    [
        ("Tests do not run on Windows.", None),
        ("Tests don\u2019t run on Windows.", None),
        ("We never use tabs in Python files.", None),
        ("Services must run on Linux.", None),
        ("The invoice service listens on port 9090.", "invoice service: port 9090"),
    ],
)
def test_a_denied_or_demanded_verb_makes_no_key(content: str, short: str | None) -> None:
    assert typed_form(content, MemoryType.FACT, {}) == short
    assert short or "run" in compressed_form(content) or "use" in compressed_form(content)


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
    assert compressed_form(told) == "keep the matrix in one file"
    assert index_line(compressed_form(told), keyed=False) == "keep the matrix in one file"


@pytest.mark.parametrize(
    ("turn", "title"),
    [
        ("ok, I think B), let's start all user tests again", "start all user tests again"),
        ("hmm could you add a flag for the retries?", "add a flag for the retries?"),
        ("no, the clock is wrong", "the clock is wrong"),
        ("not the clock of the server", "not the clock of the server"),
        ("so what if we cache the trees", "cache the trees"),
    ],
)
def test_index_line_of_a_turn_reads_like_a_sentence_without_its_opening(
    turn: str, title: str
) -> None:
    note = f"The user said: “{turn}”"
    made = derived_forms(note, MemoryType.PREFERENCE, {})
    assert made["index"].rstrip(".") == title


def test_index_line_of_a_refusal_names_what_was_being_done() -> None:
    note = (
        "The user held the agent back from editing `src/shop/cart/basket.py` (proposed: `total: "
        "int`) and said: “keep the sum a decimal”"
    )
    made = derived_forms(note, MemoryType.PREFERENCE, {})
    assert made["index"].startswith("editing `basket.py`")
    assert "keep sum decimal" in made["compressed"]


def test_index_line_of_prose_is_more_than_what_stands_before_a_colon() -> None:
    text = "More feedback: the parser drops the last line of a file without a line break."
    assert "parser" in derived_forms(text, MemoryType.GOTCHA, {})["index"]
    recipe = {"task_pattern": "deploy", "steps": [{"description": "test"}, {"description": "ship"}]}
    assert derived_forms("deploy it", MemoryType.WORKFLOW_RECIPE, recipe)["index"] == "deploy"


def test_model_writes_the_summary_and_the_shorter_forms_follow_it(tmp_path: Path) -> None:
    said = "Billing moved to PostgreSQL in March; Ana owns the migration."
    text = "In spring the billing was moved. " + "Partners of three countries needed it. " * 10
    with running() as server:
        server.says = json.dumps({"summary": said})
        settings = {"model": "openai", "model_name": "small", "model_url": server.url}
        with recollect.open(tmp_path / "a.db", worker=False, settings=settings) as memory:
            artifacts = [{"type": "commit", "ref": "abc123"}]
            kept = memory.remember(text, type="episode", extras={"artifacts": artifacts})
            memory.remember("Staging is reset every night.")
            memory.work(600)
            levels = memory.expand(kept.id)[0].levels
            assert levels.summary == said
            assert levels.compressed == (
                "Billing moved to PostgreSQL March; Ana owns migration. (commit abc123)"
            )
            assert (levels.index or "").startswith("Billing moved to PostgreSQL")
            assert text[:40] in server.requests[0]["messages"][-1]["content"]
            assert len(server.requests) == 1, "a short text needs no model"
            server.script = [status(500)] * 20
            other = memory.remember(
                text.replace("spring", "autumn"), type="episode", repeats="keep"
            )
            memory.work(600)
            assert "autumn" in (memory.expand(other.id)[0].levels.summary or ""), "rules take over"


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
    assert short.startswith("we don't have the old trailer anymore, so drop it. functions")
    assert index_line(short) == "we don't have the old trailer anymore, so drop it…"
    assert "Found:" not in short
