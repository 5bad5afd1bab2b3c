"""Answers of a person who has told much: among many entries something always matches by chance."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.chat.answers.answer_kinds import holds
from recollect.engine import Recollect
from recollect.surfaces.cli.bench.talk import read_beside
from recollect.vocabulary.errors import InvalidInput

CROWD = Path(__file__).parents[2] / "benchmarks" / "sets" / "crowd.txt"
_FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
_OWN = (
    "My vet is Dr. Amrani.",
    "My address is 24 Rue Pasteur in Villeurbanne.",
    "My brother Julien is a cook.",
    "Our landlady is Mme Faure.",
    "The baby is due in June.",
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Recollect:
    """A memory in which a few facts were told, and then everything else."""
    place = tmp_path_factory.mktemp("crowd") / "memory.db"
    memory = recollect.open(place, user="sam", worker=False)
    for number, text in enumerate((*_OWN, *read_beside(CROWD), "Julien vit à Toulouse.")):
        memory.chat.hear(text, at=_FIRST + timedelta(days=number))
    return memory


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who's my vet?", "Amrani"),
        ("What's my address?", "24 Rue Pasteur"),
        ("Where do I live?", "24 Rue Pasteur"),
        ("Who is our landlady?", "Faure"),
        ("When is the baby due?", "June"),
        ("Where does Julien live?", "Toulouse"),
    ],
)
def test_what_was_told_long_ago_is_found_behind_a_hundred_others(
    told: Recollect, question: str, expected: str
) -> None:
    assert expected in told.chat.ask(question).text


@pytest.mark.parametrize(
    "question",
    [
        "When is our wedding anniversary?",
        "What's my passport number?",
        "Who won last night's match?",
        "How tall am I?",
    ],
)
def test_what_was_never_told_is_not_answered_by_the_nearest(told: Recollect, question: str) -> None:
    assert not told.chat.ask(question).known


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("I'm Sam, I'm 38", True),
        ("our two kids, Leo (9) and Mia (5).", True),
        ("Il a 12 ans", True),
        ("my nephew Tom, 7, loves trains", True),
        ("Je travaille chez Egis depuis lundi (23 novembre 2026), comme chef", False),
        ("my address is 24 Rue Pasteur in Villeurbanne.", False),
        ("Leo's new school starts at 8.15.", False),
        ("My new phone, a Fairphone 5, arrived today", False),
    ],
)
def test_a_figure_is_an_age_only_where_it_is_said_of_somebody(text: str, age: bool) -> None:
    assert holds("age", text, "how old?") is age


def test_a_crowd_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no statements"):
        read_beside(tmp_path / "nothing.txt")
