"""A later entry that tells the newer value without a word of change."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.answerer import NEWER, Matcher
from recollect.chat.answers.newer_values import NewerValues, tells_otherwise, values_of
from recollect.chat.answers.question_reader import asked
from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from tests.stores import StoreMaker

JANUARY = datetime(2026, 1, 5, 9, tzinfo=UTC)
LATER = timedelta(days=60)


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def odds(old: str, new: str, question: str) -> float:
    """Log odds that the later text answers in the place of the older one."""
    vectors = StaticEmbedder().word_vectors
    known = [KnownEntry("old", old, JANUARY), KnownEntry("new", new, JANUARY + LATER)]
    matcher = Matcher(asked(question), vectors)
    matcher.ranked(known)
    values = NewerValues(asked(question), vectors, frozenset())
    return values.score(matcher.rated["old"], matcher.rated["new"])


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "My daughter Wilma wears shoe size 29",
            "Wilma's size 32 boots are full of mud",
            "what shoe size does Wilma wear?",
        ),
        (
            "My goal for this year is to read 20 books",
            "12 of my 30 books for this year are done",
            "how many books do I want to read this year?",
        ),
        (
            "We meet for chess at Bruno's on Thursdays",
            "chess at Helga's was great, her cake even better",
            "where do we play chess?",
        ),
    ],
)
def test_a_later_value_of_the_same_is_the_newer_one(old: str, new: str, question: str) -> None:
    assert odds(old, new, question) > NEWER


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "In winter I swim at the Hallam pool",
            "In summer I swim in Lake Wannsee",
            "where do I swim in winter?",
        ),
        ("I milk with my brother Donal", "First milking is at five", "who milks with me?"),
        (
            "On 16 June I give a talk about moths",
            "Omar needs my projector by 5 June",
            "what do I have on 16 June?",
        ),
        ("I play the cello", "My sister plays the trumpet", "what instrument do I play?"),
    ],
)
def test_what_holds_beside_it_takes_no_place(old: str, new: str, question: str) -> None:
    assert odds(old, new, question) < NEWER


def test_the_newer_value_is_the_answer_and_the_older_stays_behind(memory: Recollect) -> None:
    chat = memory.chat
    chat.hear("My daughter Wilma wears shoe size 29", at=JANUARY)
    chat.hear("Wilma's size 32 boots are full of mud", at=JANUARY + LATER)
    found = chat.ask("what shoe size does Wilma wear?", at=JANUARY + 2 * LATER)
    assert "32" in found.text
    assert any("29" in one.memory.content for one in found.others)
    before = chat.ask("what shoe size does Wilma wear?", at=JANUARY + LATER / 2)
    assert "29" in before.text


def test_values_are_read_by_kind() -> None:
    found = values_of("Yoga is at 18:30 on Mondays with Petra, 12 euros")
    assert [set(one) for one in (found.clocks, found.days, found.names)] == [
        {"18:30"},
        {"monday"},
        {"petra"},
    ]
    assert found.units["euro"] == {"12"}


def test_a_text_tells_otherwise_by_another_value_or_an_end() -> None:
    assert tells_otherwise("We have Norlys fibre", "it's Telia for us now")
    assert tells_otherwise("I sing in a choir", "I left the choir")
    assert not tells_otherwise("call me Gus, short for Augustin", "the meeting was fine")
