"""What somebody who is new to the memory says: corrections, moves, ends, plans, help."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.personal import Outcome

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as opened:
        yield opened


def told(memory: Recollect, *messages: str) -> list[str]:
    """The entries that messages leave, one a minute."""
    for minute, message in enumerate(messages):
        memory.chat.hear(message, at=AT + timedelta(minutes=minute))
    return [one.memory.content for one in memory.chat.entries(limit=100).items]


def asked(memory: Recollect, question: str) -> str:
    found = memory.chat.ask(question)
    return found.text if found.known else ""


CORRECTED = (
    (
        ["Nina is allergic to wasps.", "Always call me Bo."],
        "No, Nina is allergic to bees, not wasps",
        ["Always call me Bo.", "Nina is allergic to bees."],
    ),
    (["The vet is on Friday at 3pm"], "oops, 3:15pm", ["3:15pm"]),
    (["The vet is on Friday at 3pm"], "sorry, 4:30", ["at 4:30pm"]),
)


@pytest.mark.parametrize(("before", "correction", "left"), CORRECTED)
def test_a_correction_finds_the_value_that_it_calls_wrong(
    memory: Recollect, before: Sequence[str], correction: str, left: Sequence[str]
) -> None:
    kept = told(memory, *before, correction)
    assert len(kept) == len(before)
    assert all(any(words in one for one in kept) for words in left)


def test_a_move_leaves_the_age(memory: Recollect) -> None:
    told(memory, "I'm 52 and I live in Graz.", "I moved to Linz in May")
    assert "52" in asked(memory, "how old am I?")
    assert "Linz" in asked(memory, "where do I live?")


def test_the_end_of_one_of_several_leaves_their_number(memory: Recollect) -> None:
    kept = told(memory, "I have 4 goats", "One of my goats, Berta, died last week")
    assert len(kept) == 2
    assert "4 goats" in asked(memory, "how many goats do I have?")


@pytest.mark.parametrize(
    ("plan", "end"),
    [
        ("Next month I fly to Oslo with Eva", "Change of plan, I'm not going to Oslo"),
        ("Our trip to Turin is in May", "We're not travelling to Turin"),
        ("We're thinking of buying a boat in Brest", "We bought the boat in Brest!"),
    ],
)
def test_a_plan_is_called_off_or_carried_out(memory: Recollect, plan: str, end: str) -> None:
    kept = told(memory, plan, end)
    assert len(kept) == 1
    assert kept[0].rstrip("!").endswith(end.rsplit(", ", maxsplit=1)[-1].rstrip("!"))


def test_a_flight_that_was_called_off_is_no_answer(memory: Recollect) -> None:
    told(memory, "On 4 May I fly to Oslo with Eva", "we're not going to Oslo")
    assert asked(memory, "when do I fly to Oslo?") == "we're not going to Oslo"


@pytest.mark.parametrize("other", ["I live in Oslo", "My sister lives in Oslo"])
def test_a_journey_that_is_off_ends_nothing_else(memory: Recollect, other: str) -> None:
    assert other in told(memory, other, "we're not going to Oslo")


def test_the_way_to_work_is_not_where_somebody_works(memory: Recollect) -> None:
    told(memory, "I cycle to work, it takes half an hour.")
    assert asked(memory, "where do I work?") == ""
    told(memory, "I cycle to work at the museum.")
    assert "museum" in asked(memory, "where do I work?")


@pytest.mark.parametrize(
    "message",
    ["Please answer me in full sentences.", "my hobby is bookbinding", "My nickname is Pip"],
)
def test_what_is_told_as_one_s_own_lasts(memory: Recollect, message: str) -> None:
    assert told(memory, message) == [message]


@pytest.mark.parametrize(
    ("before", "after"),
    [("I'm vegetarian", "I'm vegan"), ("I moved to Turku in March", "J'habite à Lille")],
)
def test_another_diet_or_home_is_asked_about(memory: Recollect, before: str, after: str) -> None:
    memory.chat.hear(before, at=AT)
    (heard,) = memory.chat.hear(after, at=AT + timedelta(days=1)).statements
    assert heard.outcome is Outcome.ASKED


def test_that_is_what_another_process_showed(tmp_path: Path) -> None:
    said = []
    for text in (
        "Nina is allergic to wasps.",
        "Omar plays the cello",
        "what is Nina allergic to?",
        "oublie ça",
    ):
        with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as memory:
            said.append(memory.chat.say(text).answer)
    assert "Nina" in said[-1]
    assert "Omar" not in said[-1]


def test_my_job_is_neither_the_way_there_nor_a_friend_s(memory: Recollect) -> None:
    told(
        memory,
        "My friend Lea has a job as a nurse",
        "I take the bus to work, about ten minutes",
        "I'm starting at the harbour office on Monday",
    )
    said = memory.chat.say("delete everything you know about my job")
    assert "harbour" in said.answer
    assert "bus" not in said.answer
    assert "Lea" not in said.answer


@pytest.mark.parametrize(
    "question",
    [
        "what is my mother's phone number?",
        "how does my mother feel about retiring?",
        "where does Tilda live?",
    ],
)
def test_what_was_not_told_of_somebody_is_not_known(memory: Recollect, question: str) -> None:
    told(memory, "My mother Agnes lives in Graz and turns 65 on 3 July.")
    assert asked(memory, question) == ""


@pytest.mark.parametrize("text", ["help", "what can you do?", "who are you?", "aide-moi"])
def test_help_says_what_the_memory_does(memory: Recollect, text: str) -> None:
    said = memory.chat.say(text)
    assert "undo" in said.answer or "annule" in said.answer


@pytest.mark.parametrize("text", ["Could you write me a song about rain?", "please draw a map"])
def test_work_is_declined_with_the_way_to_help(memory: Recollect, text: str) -> None:
    assert "help" in memory.chat.say(text).answer


def test_incognito_without_a_session_says_what_to_do(memory: Recollect) -> None:
    assert "--session" in memory.chat.say("start incognito for this chat").answer


@pytest.mark.parametrize(
    ("told_in", "asked_in", "answer"),
    [
        ("remind me that the insurance renews on 3 February", "when does it renew?", "3 Feb"),
        (
            "rappelle-moi que le loyer augmente en mai",
            "rappelle-moi quand le loyer augmente",
            "mai",
        ),
    ],
)
def test_a_reminder_that_states_something_is_kept(
    memory: Recollect, told_in: str, asked_in: str, answer: str
) -> None:
    told(memory, told_in)
    assert answer in asked(memory, asked_in)


def test_after_a_no_both_values_are_shown(memory: Recollect) -> None:
    for text in ("I drive a Fiat Panda", "I drive a Volvo", "no"):
        memory.chat.say(text)
    told = asked(memory, "what car do I drive?")
    assert "Panda" in told
    assert "Volvo" in told


def test_a_bare_no_is_answered_in_the_language_of_the_question(memory: Recollect) -> None:
    for text in ("J'habite à Lyon", "J'habite à Paris"):
        memory.chat.say(text)
    assert "Je garde" in memory.chat.say("no").answer


@pytest.mark.parametrize("reply", ["vegetarian", "Vegan.", "végétarienne", "yes, pescatarian"])
def test_a_diet_alone_is_a_statement(memory: Recollect, reply: str) -> None:
    assert len(told(memory, reply)) == 1
