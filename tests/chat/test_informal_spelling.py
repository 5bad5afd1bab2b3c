"""Answers to people who type without capitals and apostrophes, and about how to address them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.informal_spelling import InformalSpelling
from recollect.chat.answers.question_reader import asked, tells_address
from recollect.engine import Recollect

_FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    with recollect.open(db=str(tmp_path / "memory.db"), worker=False) as opened:
        yield opened


def _typing(texts: Sequence[str]) -> tuple[InformalSpelling, list[str]]:
    known = [KnownEntry(text, text, _FIRST) for text in texts]
    typing = InformalSpelling(known)
    return typing, [typing.entry(one).text for one in known]


def test_a_name_that_an_entry_introduces_is_a_name_in_all_of_them() -> None:
    _, spelled = _typing(["my sis petra is a nurse down in dunedin", "petras cat hates me (mog)"])
    assert spelled == ["my sis Petra is a nurse down in Dunedin", "Petra's cat hates me (Mog)"]


def test_a_question_without_capitals_names_the_person_it_asks_about() -> None:
    typing, _ = _typing(["been seeing someone, odile, met her at choir", "i bake bread"])
    question = typing.question(asked("whats odiles job"))
    assert question.names == {"Odile"}
    assert "Odile's" in question.text


def test_words_that_nobody_introduced_stay_as_they_are() -> None:
    texts = ["the boats are green", "i bake bread on sundays"]
    _, spelled = _typing(texts)
    assert spelled == ["the boats are green", "I bake bread on sundays"]


def test_a_text_with_capitals_is_left_alone() -> None:
    texts = ["my sis petra is a nurse", "In Petras Garden theyve planted Roses"]
    assert _typing(texts)[1][1] == texts[1]


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("You may address me as Skipper, my whole crew does", True),
        ("It's Dr Osei, by the way", True),
        ("tutoie moi stp", True),
        ("call me back about the boiler", False),
        ("I go by bus", False),
    ],
)
def test_what_tells_a_form_of_address(text: str, tells: bool) -> None:
    assert tells_address(text) is tells


def test_the_newest_form_of_address_answers(memory: Recollect) -> None:
    memory.chat.add("You may address me as Captain")
    memory.chat.add("Use the 24-hour clock whenever you tell me a time")
    memory.chat.add("Please call me Skipper from now on")
    assert "Skipper" in memory.chat.ask("how should you address me?").text


def test_a_day_with_a_short_month_answers_when(memory: Recollect) -> None:
    memory.chat.hear("first year exam is 18 sept, room B12", at=_FIRST)
    found = memory.chat.ask("when is my exam", at=_FIRST + timedelta(days=1))
    assert "18 sept" in found.text


def test_an_answer_has_the_words_of_its_entry(memory: Recollect) -> None:
    told = "my sis petra is a nurse down in dunedin"
    memory.chat.hear(told, at=_FIRST)
    found = memory.chat.ask("what does petra do for work", at=_FIRST + timedelta(days=1))
    assert found.text == told
