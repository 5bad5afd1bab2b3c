"""Whose statement answers a question about oneself, and wishes without a word for permanence."""

from datetime import UTC, datetime

import pytest

from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.answerer import Matcher
from recollect.chat.answers.question_reader import asked
from recollect.chat.language.sentences import clauses_of
from recollect.chat.language.speech_acts import SpeechAct, speech_act

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def answers(question: str, *texts: str) -> list[str]:
    known = [KnownEntry(text, text, NOW) for text in texts]
    return [one.id for one in Matcher(asked(question), None).ranked(known)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("do I have asthma?", "Nadia, our new tenant, has asthma, so I keep the cat outside"),
        ("do I have a hearing aid?", "Grandma Odette has a hearing aid, it whistles"),
        ("am I afraid of horses?", "Piotr, that's my stepbrother, is afraid of horses."),
        ("where did I study?", "my stepmum studied in Lisbon with a painter"),
    ],
)
def test_what_is_told_of_somebody_else_does_not_answer_for_the_speaker(
    question: str, text: str
) -> None:
    assert answers(question, text) == []


def test_what_is_told_of_oneself_beside_somebody_else_still_answers() -> None:
    told = "Nadia, our new tenant, smokes, and I have asthma"
    assert answers("do I have asthma?", told) == [told]


def test_a_name_in_front_of_what_somebody_is_answers_what_they_are_called() -> None:
    told = "Irena, my wife, has wanted a garden for years"
    assert answers("what's my wife's name?", told) == [told]


def test_a_clause_does_not_begin_inside_what_somebody_is() -> None:
    said = "I've hurt my foot and Ruta, our nanny, is off till Friday"
    assert clauses_of(said) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "if I ask for advice, give me one answer only",
        "when you make a mistake don't say sorry, just correct it",
        "Distances in kilometres for me",
        "With cakes I need weights in ounces",
        "Could you drop the marketing talk for good?",
        "Third rule: any time you name a year, say where it is from",
        "Je préfère que vous me disiez tu",
    ],
)
def test_what_is_wanted_of_every_answer_is_a_wish(text: str) -> None:
    assert speech_act(text) is SpeechAct.PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "Prices in Oslo were up 10 % in May",
        "if I paste my code it breaks",
        "When you wrote that I laughed a lot",
    ],
)
def test_what_only_begins_like_a_wish_is_none(text: str) -> None:
    assert speech_act(text) is not SpeechAct.PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "if my dog could vote we'd eat cheese all week",
        "if i woke up rich tomorrow i would buy a lighthouse",
        "Si jamais je gagnais au loto je m'offrirais une île",
    ],
)
def test_what_would_be_is_hypothetical(text: str) -> None:
    assert speech_act(text) is SpeechAct.HYPOTHETICAL


@pytest.mark.parametrize(
    "text", ["is cotton or linen better for summer", "is 30 degrees too hot for wool"]
)
def test_a_question_needs_no_question_mark(text: str) -> None:
    assert speech_act(text) is SpeechAct.QUESTION
