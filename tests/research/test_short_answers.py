"""Short answers: a value of the kind that is asked for, about what is asked, and told by others."""

from datetime import date

import pytest

from recollect.research.answer_values import value_in
from recollect.research.extraction import Quoted, short_answer
from recollect.research.questions import read
from recollect.vocabulary.events import Event, EventKind
from tests.research.conversation import START

DAY = date(2018, 6, 14)


def quoted(*texts: str) -> list[Quoted]:
    """Messages that are equally near to a question."""
    return [
        Quoted(
            Event(
                f"evt_{place}", "spc", "str", EventKind.MESSAGE, "jo", text, {}, None, START, START
            ),
            text,
            0.8,
        )
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("question", "said", "value"),
    [
        ("When is the meeting of 2018?", "The meeting of 2018: please fill out the survey.", ""),
        (
            "When is the meeting of 2018?",
            "The meeting of 2018 begins on 29 September 2018.",
            "29 September 2018",
        ),
        ("How many cores has the server?", "There is one for each core of it.", ""),
        (
            "How many cores has the server?",
            "It has sixteen very old cores now.",
            "sixteen very old cores",
        ),
        ("How many cores has the server?", "It has 64 cores now.", "64 cores"),
    ],
)
def test_a_value_answers_only_what_is_asked_for(question: str, said: str, value: str) -> None:
    assert value_in(read(question), said, DAY) == value


def test_a_value_of_another_version_is_no_answer() -> None:
    other = "It will be released in March 2018."
    own = "Version 7.0 was released on 27 July 2018."
    question = read("When was version 7.0 released?")

    assert short_answer(question, quoted(other, own)) == ("27 July 2018", 1, True)
    assert short_answer(question, quoted(other, "Nobody said more of it.")) == (
        "March 2018",
        0,
        True,
    )


def test_only_what_opens_a_message_is_left_out_of_it() -> None:
    question = read("Why do keywords not evaluate to themselves?")
    said = "Not quite sure, but it makes errors with keywords easier to catch."
    assert short_answer(question, quoted(said))[0] == said
    assert short_answer(question, quoted(f"Hey Ann, {said.lower()}"))[0] == said.lower()


FREEZE = "Code freeze begins on 14 December and ends on 4 January."
DROPPED = "We dropped RabbitMQ because it lost messages twice in June; we use NATS since July."
LIVES = "I live in Lille and I play the cello."


@pytest.mark.parametrize(
    ("question", "said", "value"),
    [
        ("When does the code freeze end?", FREEZE, "4 January"),
        ("When does the code freeze begin?", FREEZE, "14 December"),
        ("When does the fair close?", "On 2 May the fair opens; on 9 May it closes.", "9 May"),
        ("When did we drop RabbitMQ?", DROPPED, ""),
        ("Since when do we use NATS?", DROPPED, "since July"),
        ("Where is the cello?", LIVES, ""),
        ("Where does Gus live?", LIVES, "Lille"),
        ("When did he marry?", "My girlfriend and I married on 3 May 2018.", "3 May 2018"),
    ],
)
def test_a_value_of_another_clause_is_no_answer(question: str, said: str, value: str) -> None:
    assert value_in(read(question), said, DAY) == value


def test_of_what_happened_without_a_time_it_is_said_when_it_was_told() -> None:
    question = read("When did the new printer arrive?")
    told = f"told on {START.day} May {START.year}"

    assert short_answer(question, quoted("The new printer did arrive.")) == (told, 0, True)
    assert not short_answer(question, quoted("The new printer did arrive some weeks ago."))[2]
    assert not short_answer(question, quoted("The new printer did not arrive."))[2]
    assert not short_answer(read("When will the printer arrive?"), quoted("It will arrive."))[2]
