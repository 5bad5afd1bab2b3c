"""Questions for somebody who knows a subject are answered by people, each with what they said."""

from datetime import timedelta

import pytest

from recollect.research.answer_values import value_in
from recollect.research.expert_answers import expertise_asked_for
from recollect.research.questions import read
from tests.research.conversation import START
from tests.stores import StoreMaker


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Who knows about Typed Racket?", "Typed Racket"),
        ("who here knows a lot about billing", "billing"),
        ("Do you know who can help me with the espresso machine?", "the espresso machine"),
        ("Whom should I ask about macro hygiene?", "macro hygiene"),
        ("who should we talk to about the audit?", "the audit"),
        ("Who has experience with Terraform?", "Terraform"),
        ("Who is our go-to person for releases?", "releases"),
        ("who knows how to flash the board", "to flash the board"),
        ("Who moved to Lisbon?", ""),
        ("Who knows Ada?", ""),
        ("Who helped Ada with the flat?", ""),
        ("Who is the person that called?", ""),
        ("What does Bert know about cats?", ""),
        ("Who knows about it?", ""),
        ("", ""),
    ],
)
def test_the_subject_of_a_question_for_an_expert(question: str, subject: str) -> None:
    assert expertise_asked_for(question) == subject


def test_who_knows_is_answered_by_people_with_their_messages(stores: StoreMaker) -> None:
    memory = stores.open(embedder="static")
    for place, (author, text) in enumerate(
        [
            ("bob", "How do we renew the billing certificate?"),
            ("cyd", "Renew the billing certificate with certbot on the edge host."),
            ("cyd", "oh well"),
            ("bob", "Thanks, the billing certificate is renewed."),
            ("dan", "Lunch is pizza today, who wants some?"),
            ("eve", "The billing certificate also has to be copied to the backup host."),
        ]
    ):
        at = START + timedelta(minutes=place)
        memory.record(text, stream="ops", author=author, occurred_at=at)

    answer = memory.research("Who knows about the billing certificate?")

    assert answer.known
    assert answer.memo_id is None  # who knows about something changes
    people, *_ = answer.text.split("\u201c")
    assert "cyd: " in people
    assert "dan" not in answer.text
    cited = [one.quote for one in answer.citations]
    assert "Renew the billing certificate with certbot on the edge host." in cited
    assert "oh well" not in cited
    assert {one.author for one in answer.citations} >= {"cyd", "eve"}
    assert answer.short in {one.author for one in answer.citations}
    assert answer.id is not None
    assert memory.researches().items[0].cited == tuple(one.event_id for one in answer.citations)


def test_where_nobody_told_about_it_the_search_answers(stores: StoreMaker) -> None:
    memory = stores.open(embedder="static")
    memory.record("Lunch is pizza today.", stream="ops", author="dan", occurred_at=START)

    assert not memory.research("Who knows about watering orchids?").known


def test_without_experts_or_with_memory_off_nobody_is_named(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address, settings={"switched_off": "experts"}, embedder="static")
    memory.record("The oven wants to be cleaned.", stream="ops", author="dan", occurred_at=START)
    question = "Who knows about the oven?"
    assert "answer about it" not in memory.research(question).text

    memory.chat.set(memory_enabled=False)
    answer = stores.open(address, embedder="static").research(question)
    assert (answer.known, answer.citations) == (False, ())
    assert "Nothing is recalled" in answer.text


def test_a_name_in_code_is_no_person() -> None:
    sentence = "it is the same as when `(-> String String)` is what Ada Byron wrote"
    day = START.date()

    assert value_in(read("Who wrote this type?"), sentence, day) == "Ada Byron"
    assert value_in(read("Who wrote it?"), "the type is `a String -> Port`", day) == ""
