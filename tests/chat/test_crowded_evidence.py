"""How entries compare with each other as answers, and what held at an earlier time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.chat.answers.answer_people import KnownEntry, of_a_third, of_another_person
from recollect.chat.answers.crowded_evidence import CrowdedEvidence
from recollect.chat.answers.question_reader import asked
from recollect.chat.answers.shared_readings import SharedReadings

_FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)


def _compared(question: str, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """The features of each text, by the text itself."""
    known = [
        KnownEntry(text, text, _FIRST + timedelta(days=number)) for number, text in enumerate(texts)
    ]
    return CrowdedEvidence(
        asked(question), known, [{} for _ in known], {}, SharedReadings(None)
    ).of()


def test_a_word_that_few_entries_hold_counts_more_than_one_that_many_hold() -> None:
    dogs = [f"The dog of number {number} barks" for number in range(8)]
    found = _compared("what does our dog Turbo eat?", [*dogs, "Turbo gets chicken"])
    assert found["Turbo gets chicken"]["rare_same"] > 2 * found[dogs[0]]["rare_same"]


def test_what_no_entry_tells_counts_against_all_of_them() -> None:
    texts = ["My blood pressure is low", "I play chess", "I bake bread"]
    never = _compared("what is my blood group?", texts)
    told = _compared("what is my blood pressure?", texts)
    assert {row["told_nowhere"] for row in told.values()} == {0.0}
    assert min(row["told_nowhere"] for row in never.values()) > 0.3


def test_of_entries_that_share_as_much_the_newest_is_marked() -> None:
    found = _compared(
        "when is the choir rehearsal?",
        ["Choir rehearsal is on Monday", "I bake bread", "Choir rehearsal is on Tuesday"],
    )
    assert [row["newest_alike"] for row in found.values()] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("question", "text", "is_a_thirds"),
    [
        ("what does my brother do?", "Philippa's brother Cyprian is a glassblower", True),
        ("what's my cat's name?", "Our neighbour's cat Mephisto sleeps on our bin", True),
        ("quel âge a ma fille ?", "La fille de Cyprian apprend le piano", True),
        ("what's my neighbour's cat called?", "Our neighbour's cat Mephisto sleeps here", False),
        ("what does my brother do?", "My brother Julien is a cook", False),
        (
            "what is Philippa's brother called?",
            "Philippa's brother Cyprian is a glassblower",
            False,
        ),
        ("when is my choir concert?", "Tuesday's concert is cancelled", False),
    ],
)
def test_what_somebody_else_has_is_told_from_what_the_speaker_has(
    question: str, text: str, is_a_thirds: bool
) -> None:
    assert of_a_third(asked(question), text) is is_a_thirds


@pytest.mark.parametrize("together", ["whats my hourly rate", "whos my dentist", "wheres my bike"])
def test_a_short_form_without_its_apostrophe_is_read_as_one(together: str) -> None:
    apart = asked(together.replace("s my", "'s my"))
    assert asked(together) == apart


def test_asked_as_of_a_time_what_was_replaced_later_answers(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db", user="sam", worker=False) as memory:
        memory.chat.hear("I live in Toulouse", at=_FIRST)
        memory.chat.hear("We moved to Bordeaux", at=_FIRST + timedelta(days=60))
        memory.chat.hear("We moved to Lyon", at=_FIRST + timedelta(days=120))
        places = [
            memory.chat.ask("where do I live?", at=_FIRST + timedelta(days=days)).text
            for days in (30, 90, 150)
        ]
        assert ["Toulouse" in places[0], "Bordeaux" in places[1], "Lyon" in places[2]] == [True] * 3
        assert not memory.chat.ask("where do I live?", at=_FIRST - timedelta(days=1)).known


@pytest.mark.parametrize(
    ("question", "text", "is_of_another"),
    [
        ("when did Mum retire?", "Anselm is retiring at Easter", True),
        ("when did Mum retire?", "Greta is retiring at Easter", False),
        ("what does Greta play?", "My brother plays the horn", True),
        ("how old are my kids?", "Odo is four", False),
        ("what do I play?", "My brother plays the horn", False),
    ],
)
def test_an_entry_that_begins_with_somebody_else_is_told_from_one_about_the_person(
    question: str, text: str, is_of_another: bool
) -> None:
    known = KnownEntry("1", text, _FIRST)
    aliases = {"mum": {"greta"}, "boss": {"anselm"}}
    assert of_another_person(asked(question), known, aliases) is is_of_another
