"""How broad a question is, read from its form alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.breadth import USUAL_BREADTH, breadth_marks, breadth_of


@pytest.mark.parametrize(
    "question",
    [
        "What instruments does Ann play?",
        "Which board games has Bert tried?",
        "How many hikes has Ann been on?",
        "Do both Ann and Bert eat fish?",
        "Quels livres Ann a-t-elle lus ?",
    ],
)
def test_what_several_turns_answer_is_broad(question: str) -> None:
    assert breadth_of(question) > 0.7


@pytest.mark.parametrize(
    "question",
    [
        "When did Ann go to the parade?",
        "What did Ann say to Bert when the roof of the old mill leaked in May?",
        "What was the name of the boat that won the regatta in 2022?",
        "Quand Ann est-elle partie ?",
    ],
)
def test_what_one_turn_answers_is_narrow(question: str) -> None:
    assert breadth_of(question) < USUAL_BREADTH


@pytest.mark.parametrize("text", ["", "queue postgres", "the ferry to Oban", "..."])
def test_what_asks_nothing_has_the_usual_breadth(text: str) -> None:
    assert breadth_of(text) == USUAL_BREADTH


def test_a_question_mark_is_not_needed() -> None:
    assert breadth_of("what instruments does Ann play") > 0.7


def test_the_noun_asked_for_is_in_the_plural_or_not() -> None:
    assert breadth_marks("In what ways does Ann help?").plural
    assert breadth_marks("Which board games are there?").plural
    assert not breadth_marks("What class does Ann visit?").plural
    assert not breadth_marks("What is on the shelves?").plural
    assert not breadth_marks("Who likes plums?").plural


@given(st.text(max_size=300))
def test_breadth_lies_between_nothing_and_all(text: str) -> None:
    assert 0 <= breadth_of(text) <= 1
