"""A question in the terminal: the answer, what it cites, the command that opens each message."""

from datetime import UTC, datetime

import pytest

import recollect
from tests.research.conversation import SAID, tell
from tests.surfaces.cli.runner import InProcess

QUESTION = "When did Ada move to Lisbon?"


@pytest.fixture
def run(cli: InProcess) -> InProcess:
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        tell(memory)
    return cli


def test_citations_open_the_messages(run: InProcess) -> None:
    asked = run("ask", QUESTION)

    assert asked.code == 0
    assert SAID[0][1] in asked.out
    first = next(line for line in asked.out.splitlines() if "recollect show" in line)
    assert first.startswith("[1] Ada, general, 2024-05-08")
    shown = run("show", first.split()[-1])
    assert SAID[0][1] in shown.out
    assert run("feedback", "last", "helpful").code == 0


def test_steps_and_plans_can_be_seen(run: InProcess) -> None:
    assert "search 1" in run("ask", "--steps", QUESTION).err
    planned = run("ask", "--plan", QUESTION)
    assert QUESTION in planned.out


def test_what_is_not_there_is_not_made_up(run: InProcess) -> None:
    assert "I could not find this." in run("ask", "Who sails to Iceland?").out


def test_where_no_message_answers_the_memories_that_may_are_named(run: InProcess) -> None:
    kept = run.remember("We deploy on Tuesdays, never on Fridays.", "--type", "decision")
    asked = run("ask", "which day do we deploy?")
    assert "We deploy on Tuesdays, never on Fridays." in asked.out
    assert f"recollect show {kept}" in asked.out


def test_only_memories_that_are_listed_count_as_served(run: InProcess) -> None:
    kept = {
        run.remember(text)
        for text in (
            "We deploy on Tuesdays, never on Fridays.",
            "We deploy the search on Mondays.",
            "We deploy the billing on Wednesdays.",
            "We deploy the panel on Thursdays.",
            "The cat of the office sleeps by day.",
            "Bread is baked before dawn.",
        )
    }
    assert "memories" not in run.json("ask", "which day do we deploy?")
    with recollect.open(run.db, user="ada", worker=False) as memory:
        assert not any(memory.uses(one) for one in kept), "as JSON none is shown"
    asked = run("ask", "which day do we deploy?").out
    listed = {one for one in kept if f"recollect show {one}" in asked}
    assert len(listed) == 3
    with recollect.open(run.db, user="ada", worker=False) as memory:
        assert {one for one in kept if memory.uses(one)} == listed
        touched = {one.id for one in memory.list(limit=100).items if one.last_accessed_at}
        assert touched & kept == listed


@pytest.fixture
def billing(cli: InProcess) -> InProcess:
    """A question that was asked before, its answer, and messages about other things."""
    said = (
        ("Ann", "How do we deploy billing? @Bob Roy"),
        ("Bob Roy", "Run the pipeline to deploy billing, never on Friday: https://ci.example.com"),
        ("Ann", "unknown user with a bad ts"),
        ("Cyd", "Lunch is at noon in the garden"),
    )
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        for place, (author, text) in enumerate(said):
            at = datetime(2026, 5, 7, 9, place, tzinfo=UTC)
            memory.record(text, stream="general", author=author, occurred_at=at)
    return cli


def test_neither_the_question_nor_something_else_is_cited(billing: InProcess) -> None:
    asked = billing.json("ask", "how do we deploy billing?")

    assert [one["author"] for one in asked["citations"]] == ["Bob Roy"]
    assert "unknown user" not in asked["text"]
    assert "May 2026)" not in asked["text"]  # a Friday that is ruled out names no date


def test_a_memo_that_is_kept_is_named_and_shows_its_answer(billing: InProcess) -> None:
    asked = billing("ask", "how do we deploy billing?").out

    kept = next(line for line in asked.splitlines() if line.startswith("Kept as a memo"))
    (memo,) = billing.json("list", "--type", "memo")["items"]
    assert kept.endswith(f"recollect show {memo['id']}")
    assert not {"example", "general", "com", "may"} & set(memo["tags"])
    listed = " ".join(billing("list").out.split())
    assert "how do we deploy billing? \u2014 Run the pipeline to deploy billing" in listed


def test_a_newcomer_is_told_answers_and_not_questions(billing: InProcess) -> None:
    billing("ask", "how do we deploy billing?")
    with recollect.open(billing.db, user="ada", worker=False) as memory:
        memory.add_member("maria")

    told = billing("--user", "maria", "list").err

    assert "1. how do we deploy billing? \u2014 Run the pipeline to deploy billing" in told


def test_what_a_person_tells_their_memory_makes_them_no_expert(cli: InProcess) -> None:
    assert cli("say", "I live in Ghent and my cat is called Moos").code == 0

    told = cli("experts", "billing")

    assert "Moos" not in told.out
    assert "Nobody said anything about it that you may read." in told.err
