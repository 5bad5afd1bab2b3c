"""The newest of several counts of the same thing answers, in an entry or in a message."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.later_counts import asked_count, counts_others, newest_count
from recollect.chat.answers.question_reader import asked
from recollect.engine import Recollect
from tests.stores import StoreMaker

JANUARY = datetime(2026, 1, 5, 9, tzinfo=UTC)
LATER = timedelta(days=20)
CROWD = Path(__file__).parents[2] / "benchmarks" / "sets" / "crowd.txt"
#: What else the person told: among few entries another score decides.
BESIDE = [
    line
    for line in CROWD.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
][:24]


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def answers(question: str, old: str, new: str, said: str = "") -> str:
    """The text that answers, of an older one that was found and one that was told later."""
    known = [KnownEntry("old", old, JANUARY), KnownEntry("new", new, JANUARY + LATER, message=said)]
    return newest_count(asked(question), known[0], known).text


@pytest.mark.parametrize(
    ("question", "old", "new", "said"),
    [
        (
            "How many recipes are in my Paprika app?",
            "I'm struggling to find anything, now that my Paprika app has 120 recipes",
            "I've saved 134 recipes in my Paprika app",
            "",
        ),
        (
            "How many photo frames hang on the wall of my studio?",
            "I'm hanging the wall of the studio with 8 frames, but the light is bad",
            "I've printed two photos, so now I have a total of 11 frames",
            "I've printed two photos, so now I have a total of 11 frames. Can you help me"
            " hang them on the studio wall?",
        ),
        (
            "How many volunteers help at the food bank?",
            "The food bank is run with 12 volunteers",
            "the number of volunteers at the food bank has grown to 19",
            "",
        ),
        (
            "What percentage of the archive is scanned?",
            "40% of the archive is scanned",
            "the archive is 65% scanned now",
            "",
        ),
        (
            "Combien de ruches avons-nous au jardin ?",
            "Nous avons 4 ruches au jardin",
            "le jardin compte 7 ruches",
            "",
        ),
    ],
)
def test_a_later_count_of_the_same_answers(question: str, old: str, new: str, said: str) -> None:
    assert answers(question, old, new, said) == new


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        # wanted, not so
        (
            "How many recipes are in my app?",
            "My app has 120 recipes",
            "I want 200 recipes in my app",
        ),
        # added, no total
        (
            "How many recipes are in my app?",
            "My app has 120 recipes",
            "I put 6 more recipes in my app",
        ),
        # others of the unit
        (
            "How many geometry problems have I solved?",
            "I've solved 10 geometry problems",
            "I've solved 25 algebra problems",
        ),
        # another thing that has as many
        ("How many rooms does our house have?", "Our house has 6 rooms", "The hotel has 80 rooms"),
        # somebody else
        ("How many hens do I have?", "I have 5 hens", "My sister has 9 hens"),
        # another day
        (
            "How many guests come on 4 May?",
            "20 guests come on 4 May",
            "35 guests come on 11 June",
        ),
    ],
)
def test_another_count_takes_no_place(question: str, old: str, new: str) -> None:
    assert answers(question, old, new) == old


def test_what_is_counted_is_read_from_the_question() -> None:
    of_cards = asked_count(asked("How many index cards are in the box?"))
    assert of_cards is not None
    assert (of_cards.unit, of_cards.which) == ("card", frozenset({"index"}))
    assert asked_count(asked("Where are the index cards?")) is None


def test_a_text_without_the_count_takes_no_place_of_one_that_has_it() -> None:
    question = asked("How many interviews have I had for the museum job?")
    told = "I've had 3 interviews for the museum job"
    assert counts_others(question, told, "I was promoted at the museum, with 12% more pay")
    assert counts_others(question, told, "My interview at the museum is on 4 May at 10 am")
    assert not counts_others(question, told, "I've had 5 interviews for the museum job now")


def test_the_newest_count_answers_where_a_message_told_the_older(memory: Recollect) -> None:
    chat = memory.chat
    for day, text in enumerate(BESIDE):
        chat.hear(text, at=JANUARY - timedelta(days=60 - day))
    chat.hear(
        "I'm trying to build the seating plan with 9 tables using my felt board and sticky notes,"
        " but I'm having trouble getting the notes to line up. Can you help me?",
        at=JANUARY,
    )
    chat.hear(
        "I'm trying to update my seating plan. I've added two new rows, so now I have a total of 14"
        " tables, and I want to make sure they all fit. Can you help me with that?",
        at=JANUARY + LATER,
    )
    question = "How many tables are in my seating plan using my felt board?"
    assert "14 tables" in chat.ask(question, at=JANUARY + 2 * LATER).text
    assert "9 tables" in chat.ask(question, at=JANUARY + LATER / 2).text


def test_a_count_of_others_of_the_kind_takes_no_place(memory: Recollect) -> None:
    chat = memory.chat
    for day, text in enumerate(BESIDE):
        chat.hear(text, at=JANUARY - timedelta(days=60 - day))
    for number, text in enumerate(
        (
            "I've solved 10 geometry problems, with 8 of 10 right",
            "I recently solved 15 geometry problems with an accuracy above 80%",
            "my accuracy in algebra problems improved from 70% to 90% after solving 12 problems",
        )
    ):
        chat.hear(text, at=JANUARY + number * LATER)
    found = chat.ask(
        "How many geometry problems have I solved, and what accuracy have I reached?",
        at=JANUARY + 3 * LATER,
    )
    assert "15 geometry problems" in found.text
