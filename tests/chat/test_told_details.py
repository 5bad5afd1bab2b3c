"""Details of what is told: an update keeps the rest, an answer holds what is asked for."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.chat.statements.plain_facts import noted_words, tells_plainly
from recollect.engine import Recollect

START = datetime(2026, 3, 10, 9, tzinfo=UTC)


def tell(memory: Recollect, *messages: str, apart: timedelta = timedelta(days=1)) -> list[str]:
    """Hear messages one after another; what is kept then, newest first."""
    for number, text in enumerate(messages):
        memory.chat.hear(text, at=START + number * apart)
    return [entry.memory.content for entry in memory.chat.entries().items]


@pytest.mark.parametrize(
    ("told", "changed", "kept"),
    [
        (
            "my flight to Lisbon is at 7:40 on Friday",
            "my flight got moved to 9:15",
            "my flight to Lisbon is at 9:15 on Friday (13 March 2026)",
        ),
        ("I run 5 km on Wednesdays", "I run 10 km now", "I run 10 km on Wednesdays"),
        (
            "my rent is 800 euros, due on the 5th",
            "my rent went up to 850",
            "my rent is 850 euros, due on the 5th",
        ),
        (
            "My knee surgery is on 8 April at Fairfield, Dr Patel is doing it",
            "they called, it's been pushed to 22 April",
            "My knee surgery is on 22 April at Fairfield, Dr Patel is doing it",
        ),
        (
            "I weigh 84 kilos and want to get to 78 by summer",
            "down to 81 already!",
            "I weigh 81 kilos and want to get to 78 by summer",
        ),
        (
            "ma réunion avec Paul est mardi à 14h",
            "la réunion est décalée à 16h",
            "ma réunion avec Paul est mardi (17 mars 2026) à 16h",
        ),
    ],
)
def test_an_update_keeps_the_rest_of_the_fact(
    memory: Recollect, told: str, changed: str, kept: str
) -> None:
    assert tell(memory, told, changed) == [kept]


def test_an_end_takes_every_entry_of_the_thing_and_its_undo_brings_them_back(
    memory: Recollect,
) -> None:
    left = tell(
        memory,
        "We have a dog called Biscoito, a beagle",
        "nous avons un chien qui s'appelle Biscoito",
        "I don't have a dog anymore, Biscoito passed away",
    )
    assert left == ["I don't have a dog anymore, Biscoito passed away"]
    assert memory.chat.say("undo").done
    assert {entry.memory.content for entry in memory.chat.entries().items} == {
        "We have a dog called Biscoito, a beagle",
        "nous avons un chien qui s'appelle Biscoito",
    }


def test_what_is_told_of_a_person_outlives_them(memory: Recollect) -> None:
    left = tell(
        memory,
        "My uncle Bertil was born on 3 May 1940",
        "My uncle Bertil lives in Malmö",
        "My uncle Bertil died last week",
    )
    assert "My uncle Bertil was born on 3 May 1940" in left


def test_a_flatmate_who_moves_out_leaves_the_speaker_at_home(memory: Recollect) -> None:
    tell(memory, "I live with Bea and Joost in a flat in Utrecht", "Joost moved out last week")
    assert "Utrecht" in memory.chat.ask("where do I live?").text


@pytest.mark.parametrize("question", ["where does Maria live?", "where does my brother live?"])
def test_my_own_facts_answer_nothing_about_others(memory: Recollect, question: str) -> None:
    tell(memory, "I live in Porto", "we're moving to Braga in January")
    assert not memory.chat.ask(question).known


def test_what_includes_somebody_answers_about_them(memory: Recollect) -> None:
    tell(memory, "I live in Porto with my wife", "my wife is called Maria")
    assert "Porto" in memory.chat.ask("where does Maria live?").text


def test_tastes_told_in_one_sentence_are_kept_apart(memory: Recollect) -> None:
    tell(memory, "I prefer window seats and my wife prefers the aisle")
    assert "aisle" in memory.chat.ask("which seat does my wife like?").text
    assert "window" in memory.chat.ask("which seat do I like?").text


def test_everything_that_cannot_be_eaten_is_named(memory: Recollect) -> None:
    tell(memory, "je suis intolérant au lactose", "I am allergic to peanuts")
    for question in ("what can't I eat?", "qu'est-ce que je ne peux pas manger ?"):
        answer = memory.chat.ask(question).text
        assert "peanuts" in answer
        assert "lactose" in answer


def test_a_taste_that_has_come_about_replaces_the_former(memory: Recollect) -> None:
    assert tell(memory, "I love running", "I've come to hate running") == [
        "I've come to hate running"
    ]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My flatmate Dmitri is the vegan here", "what does Dmitri do for a living?"),
        ("I rent a flat on Wexford Terrace, third floor", "how much rent do I pay?"),
        ("My car is a Kia Niro, bought on Friday", "what colour is my car?"),
        ("My daughter's school is called Holm Oak", "what's my daughter's name?"),
        ("My check-up is at the clinic with Dr Anand", "when is my check-up?"),
        ("My husband Kofi and I run a bakery", "how many people work in our bakery?"),
        ("The guest wifi is called HeronNest", "what's the wifi password?"),
        ("I love novels with maps in the front", "what's my favourite film?"),
    ],
)
def test_a_detail_that_was_not_told_is_not_answered(
    memory: Recollect, told: str, asked: str
) -> None:
    tell(memory, told)
    assert not memory.chat.ask(asked).known


def test_what_was_is_answered_after_it_ended(memory: Recollect) -> None:
    tell(memory, "we named the boat Second Wind", "sold the boat, had to be done")
    assert "Second Wind" in memory.chat.ask("what was our boat called?").text


def test_a_correction_inside_a_message_and_one_of_a_single_value(memory: Recollect) -> None:
    kept = tell(
        memory,
        "I was born in Gdańsk. Sorry, typo, Gdynia",
        "My locker is number 118",
        "Correction, I was reading the wrong tag. 811.",
        apart=timedelta(minutes=2),
    )
    assert kept == ["My locker is number 811", "I was born in Gdynia."]


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Please record that I take 20 mg of lisinopril", "I take 20 mg of lisinopril"),
        ("fyi we're stuck on Python 3.9", "we're stuck on Python 3.9"),
        ("pour info ma directrice c'est Mme Diallo", "ma directrice c'est Mme Diallo"),
        ("can you note that down?", None),
        ("fyi I'm off now", None),
        ("remember to buy milk", None),
    ],
)
def test_words_that_ask_to_note_something(said: str, noted: str | None) -> None:
    assert noted_words(said) == noted


@pytest.mark.parametrize(
    ("clause", "lasting"),
    [
        ("The boiler is an Okofen", True),
        ("Les clés de secours sont chez Yvette", True),
        ("Pieter hates bullet points", True),
        ("I have macular degeneration", True),
        ("I used to be a prison officer", True),
        ("the baptism is in twenty days", True),
        ("Pieter says hello", False),
        ("the weather is awful", False),
        ("I have a purpose", False),
        ("The boss is Henrik today", False),
    ],
)
def test_facts_that_are_lasting_by_their_form(clause: str, lasting: bool) -> None:
    assert tells_plainly(clause) is lasting
