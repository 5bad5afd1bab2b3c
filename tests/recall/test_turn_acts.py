"""Turns that ask or react count less, turns that tell of the past more where it is asked about."""

import pytest

from recollect.engine import Recollect
from recollect.recall.turn_acts import (
    ends_asking,
    opens_with_reaction,
    tells_of_past,
    tells_of_self,
)
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def test_a_turn_that_asks_or_reacts_counts_less(memory: Recollect) -> None:
    told, asks = "The regatta was won by our boat", "Was the regatta won by our boat?"
    reacts = "Wow, the regatta was won by our boat"
    for stream, text in (("a", asks), ("b", reacts), ("c", told)):
        memory.record(text, author="Ann", stream=stream)
    answer = memory.recall("who won the regatta?", kinds="event", explain=True)
    parts = {
        hit.text: {part.signal: part.share for part in hit.why.parts if part.share < 0}
        for hit in answer
        if hit.why is not None
    }
    assert answer.found[0].text == told
    assert "asks" in parts[asks]
    assert "reacts" in parts[reacts]
    assert not {"asks", "reacts"} & parts[told].keys()


@pytest.mark.parametrize(
    ("text", "asks", "reacts"),
    [
        ("Where was it?", True, False),
        ('He said "where?"', True, False),
        ("[photo: a boat] Thanks, Ann!", False, True),
        ("[photo: thanks] A boat.", False, False),
        ("That\u2019s a boat.", False, True),
        ("Greatness is rare.", False, False),
        ("", False, False),
    ],
)
def test_what_asks_and_what_reacts(text: str, asks: bool, reacts: bool) -> None:
    assert (ends_asking(text), opens_with_reaction(text)) == (asks, reacts)


def test_a_question_about_the_past_prefers_what_tells_of_it(memory: Recollect) -> None:
    memory.record("The regatta of our boat was on Friday", author="Ann", stream="a")
    memory.record("The regatta of our boat is on Friday", author="Ann", stream="b")

    def telling(question: str) -> set[str]:
        return {
            hit.text
            for hit in memory.recall(question, kinds="event", explain=True)
            if hit.why is not None and any(part.signal == "past" for part in hit.why.parts)
        }

    assert telling("When did the regatta start?") == {"The regatta of our boat was on Friday"}
    assert telling("When does the regatta start?") == set()


def test_what_tells_of_the_past() -> None:
    assert tells_of_past("We moved house.")
    assert tells_of_past("I went there.")
    assert not tells_of_past("We move house on Friday.")


def test_a_turn_about_whoever_says_it_counts_more(memory: Recollect) -> None:
    memory.record("The regatta needs a boat", author="Ann", stream="a")
    memory.record("My regatta needs a boat", author="Ann", stream="b")
    answer = memory.recall("does the regatta need a boat?", kinds="event", explain=True)
    telling = [
        hit.text
        for hit in answer
        if hit.why is not None and any(part.signal == "first_person" for part in hit.why.parts)
    ]
    assert telling == [answer.found[0].text] == ["My regatta needs a boat"]


def test_what_tells_of_its_speaker() -> None:
    assert tells_of_self("Well, I\u2019m late.")
    assert tells_of_self("That was (mine).")
    assert tells_of_self("C'est moi !")
    assert not tells_of_self("The team is late. Iris came.")
