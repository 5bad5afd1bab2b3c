"""Relevance feedback: a first result that can be trusted moves those that resemble it up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.research.relevance_feedback import TRUSTED, with_feedback
from recollect.research.topic_speakers import FoundPassage
from recollect.vocabulary.events import Event, EventKind
from tests.research.conversation import START

FIRST = "I just submitted a few more screenplays to a contest."
ELSEWHERE = "I am writing another movie script."
RESEMBLES = "My screenplay: I submitted it to a film contest last week."


def passages(*said: tuple[str, float]) -> list[FoundPassage]:
    return [
        FoundPassage(
            Event(
                f"evt_{place}",
                "spc",
                "str",
                EventKind.MESSAGE,
                "Ada",
                text,
                {},
                None,
                START,
                START,
            ),
            score,
        )
        for place, (text, score) in enumerate(said)
    ]


def texts(found: list[FoundPassage]) -> list[str]:
    return [one.event.text for one in found]


def test_what_resembles_a_trusted_first_result_moves_up() -> None:
    found = passages((FIRST, 0.95), (ELSEWHERE, 0.7), (RESEMBLES, 0.65))
    fed = with_feedback(found, None)
    assert texts(fed) == [FIRST, RESEMBLES, ELSEWHERE]
    assert [one.score for one in fed] == [0.95, 0.7, 0.65]


@pytest.mark.parametrize("score", [TRUSTED, 0.5])
def test_a_first_result_that_is_not_trusted_changes_nothing(score: float) -> None:
    found = passages((FIRST, score), (ELSEWHERE, 0.4), (RESEMBLES, 0.35))
    assert with_feedback(found, None) == found


def test_a_far_better_result_keeps_its_place() -> None:
    found = passages((FIRST, 0.95), (ELSEWHERE, 0.94), (RESEMBLES, 0.2))
    assert with_feedback(found, None) == found


@pytest.mark.parametrize(
    "said", [(), ((FIRST, 0.95),), (("Ada", 0.95), (ELSEWHERE, 0.7), (RESEMBLES, 0.6))]
)
def test_there_may_be_nothing_to_resemble(said: tuple[tuple[str, float], ...]) -> None:
    found = passages(*said)
    assert with_feedback(found, None) == found


@given(st.lists(st.tuples(st.text(max_size=60), st.floats(0, 1)), max_size=12))
def test_nothing_is_lost_and_the_first_stays(said: list[tuple[str, float]]) -> None:
    found = passages(*sorted(said, key=lambda one: -one[1]))
    fed = with_feedback(found, None)
    assert sorted(one.event.id for one in fed) == sorted(one.event.id for one in found)
    assert [one.score for one in fed] == [one.score for one in found]
    assert fed[:1] == found[:1]
