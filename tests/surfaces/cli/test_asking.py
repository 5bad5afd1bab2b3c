"""A question in the terminal: the answer, what it cites, the command that opens each message."""

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
