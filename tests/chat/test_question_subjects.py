"""An answer has to do with the thing, or the person, that a question names."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.personal import Intent, Outcome

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as opened:
        yield opened


def answer(memory: Recollect, told: Sequence[str], question: str) -> str:
    """The answer after messages, one a day; empty where it is not known."""
    for day, message in enumerate(told):
        memory.chat.hear(message, at=AT + timedelta(days=day))
    found = memory.chat.ask(question)
    return found.text if found.known else ""


NEVER_TOLD = (
    ("add milk and eggs to my shopping list", "where do I live?"),
    ("add milk and eggs to my shopping list", "who is my boss?"),
    ("My cat Biscotte weighs 4.2 kilos, the vet says it's perfect", "who is my boss?"),
    ("The landlord raised the rent to 910 from July.", "who is my landlord?"),
    ("Signed the lease for a flat in Villeurbanne, move on 29 August.", "who is my landlord?"),
    ("I usually run on Tuesdays and Thursdays", "when does my insurance expire?"),
    ("my brother Tariq got engaged to Lina", "what is my wife's name?"),
    ("We booked a week in Lisbon from 4 to 11 May.", "who is my accountant?"),
    ("Paid Sophie back today, 20 June.", "who did I see in concert in June?"),
    ("My doctor is Dr. Benali, her office is on cours Lafayette", "when do I call the dentist?"),
)


@pytest.mark.parametrize(("told", "question"), NEVER_TOLD)
def test_what_nobody_told_is_not_known(memory: Recollect, told: str, question: str) -> None:
    assert answer(memory, [told], question) == ""


TOLD = (
    ("add milk and eggs to my shopping list", "what's on my shopping list?", "milk"),
    ("add milk and eggs to my shopping list", "do I need eggs?", "eggs"),
    ("I report to Dele at the office.", "who is my boss?", "Dele"),
    ("My landlady is Mrs Okafor.", "who is my landlord?", "Okafor"),
    ("I rent from an old man called Ferris.", "who is my landlord?", "Ferris"),
    ("My car insurance runs out on 3 May.", "when does my insurance expire?", "3 May"),
    ("I'm married to Lina.", "who is my wife?", "Lina"),
    ("The plumber is coming on 9 May.", "when does the plumber come?", "9 May"),
    ("Oksana, my wife, is a baker.", "what is my wife's name?", "Oksana"),
)


@pytest.mark.parametrize(("told", "question", "held"), TOLD)
def test_what_was_told_in_other_words_is_known(
    memory: Recollect, told: str, question: str, held: str
) -> None:
    assert held in answer(memory, [told], question)


@pytest.mark.parametrize(
    ("debt", "paid", "question"),
    [
        ("I owe Paul 20 euros", "I paid Paul back", "do I still owe Paul money?"),
        ("I lent Karim 50 euros", "Karim paid me back", "does Karim owe me money?"),
        (
            "Je dois 20 euros à Paul",
            "J'ai remboursé Paul",
            "est-ce que je dois de l'argent à Paul ?",
        ),
    ],
)
def test_a_debt_ends_when_it_is_paid_back(
    memory: Recollect, debt: str, paid: str, question: str
) -> None:
    assert answer(memory, [debt, paid], question).startswith(paid)


def test_a_debt_to_somebody_else_or_a_part_of_it_stays(memory: Recollect) -> None:
    for day, message in enumerate(("I owe Paul 20 euros", "I paid Sophie back")):
        memory.chat.hear(message, at=AT + timedelta(days=day))
    part = memory.chat.hear("I paid Paul back 5 euros", at=AT + timedelta(days=3))
    assert part.statements[0].outcome is not Outcome.REPLACED
    kept = [one.memory.content for one in memory.chat.entries(limit=10).items]
    assert "I owe Paul 20 euros" in kept


def test_an_event_does_not_question_a_habit(memory: Recollect) -> None:
    memory.chat.hear("Started running on Tuesdays and Saturdays with Karim", at=AT)
    later = memory.chat.hear(
        "Ran the half marathon in 2:04:31! Karim did 1:52.", at=AT + timedelta(days=200)
    )
    assert [one.question for one in later.statements if one.question] == []


def test_a_french_weekday_behind_a_noun_has_a_date(memory: Recollect) -> None:
    memory.chat.say("rappelle-moi d'appeler le plombier vendredi à 17h")
    (entry,) = memory.chat.entries(limit=5).items
    assert "vendredi (" in entry.memory.content


def test_a_moved_appointment_is_taken_in_without_a_word_for_it(memory: Recollect) -> None:
    memory.chat.say("rendez-vous chez le kiné le 3 décembre à 14h")
    said = memory.chat.say("le kiné a déplacé au 10")
    assert said.intent is Intent.REMEMBER
    (entry,) = memory.chat.entries(limit=5).items
    assert entry.memory.content == "rendez-vous chez le kiné le 10 décembre à 14h"


def test_another_to_do_is_no_answer(memory: Recollect) -> None:
    memory.chat.say("rappelle-moi de payer le loyer vendredi")
    memory.chat.say("rappelle-moi d'appeler la banque demain")
    assert not memory.chat.ask("when do I have to call the plumber?").known
    assert not memory.chat.ask("quand dois-je appeler le dentiste ?").known
    assert "banque" in memory.chat.ask("quand dois-je appeler la banque ?").text


def test_the_day_of_an_answer_is_said_once(memory: Recollect) -> None:
    memory.chat.hear("Sold the boat to Rowan.", at=AT)
    said = memory.chat.say("when did I sell the boat?").answer
    assert "Rowan" in said
    assert said.count("2 March 2026") == 1


def test_a_new_job_in_french_is_told_where_it_is(memory: Recollect) -> None:
    told = (
        "I work as a physiotherapist at the Clinique des Tilleuls in Lyon.",
        "J'ai changé de travail: je commence le 1er septembre à l'hôpital Édouard-Herriot.",
        "Tom got promoted, he's head of maths at his school now.",
    )
    assert "Herriot" in answer(memory, told, "where do I work?")
