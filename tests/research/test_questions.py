"""Questions taken apart: what is simple, what falls into parts, what kind of answer is wanted."""

from dataclasses import replace

import pytest

from recollect.research.answer_values import time_told
from recollect.research.evidence import people_asked_about, without_names
from recollect.research.extraction import dates_meant, quoted, sentences
from recollect.research.questions import answer_type, is_same, read, sub_questions
from recollect.research.replies import asked_before, statements_first, with_replies
from recollect.research.topic_speakers import FoundPassage
from recollect.vocabulary.events import Event, EventKind
from tests.research.conversation import START

ANY = read("Which printer is upstairs?")


@pytest.mark.parametrize(
    "question",
    [
        "Who runs the deploys?",
        "Where do we keep and find it?",  # fewer than eight words
        "Which of the servers in the cellar is the one that Ada looks after?",
        "What did Ada say about the very old salt and pepper mills?",  # "and" joins things
    ],
)
def test_simple_questions(question: str) -> None:
    assert not read(question).complex


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between the old deploy script and the new pipeline?",
        "Why did we give up the nightly build of the installer in spring?",
        "When did Ada move to Lisbon and why does she like the new flat?",
        "What were the reasons for moving all of the invoices to another store?",
        "What did Ada and Bert plan for the release of the new version?",
    ],
)
def test_complex_questions(question: str) -> None:
    assert read(question).complex


def test_parts_of_a_comparison_and_of_two_questions() -> None:
    compared = sub_questions("What is the difference between the old script and the pipeline?")
    assert compared[1:] == ("the old script", "the pipeline")
    both = sub_questions("When did Ada move to Lisbon and why does she like it?")
    assert both[1:] == ("When did Ada move to Lisbon", "why does she like it Ada Lisbon")
    people = sub_questions("What do Ada and Bert like?")
    assert people[1:] == ("What do Ada like", "What do Bert like")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did it break?", "time"),
        ("How many chairs are there?", "number"),
        ("Who broke it?", "person"),
        ("Where does Ada live?", "place"),
        ("Why was it given up?", "reason"),
        ("Did Ada move?", "yes"),
        ("What broke?", "thing"),
    ],
)
def test_kinds_of_answers(question: str, kind: str) -> None:
    assert answer_type(question) == kind


def test_two_questions_that_differ_in_a_name_or_a_kind_are_not_the_same() -> None:
    assert is_same("Where does Ada live?", "where does Ada live")
    assert not is_same("Where does Ada live?", "Where does Bert live?")
    assert not is_same("Where did Ada camp?", "When did Ada camp?")
    assert not is_same("What changed in 2023?", "What changed in 2024?")


def test_one_more_word_makes_another_question() -> None:
    assert is_same("What kind of cat has Ada?", "What cats does Ada have?")
    assert is_same("How is billing deployed?", "how do we deploy billing")
    assert not is_same("For how long has Ada had turtles?", "How many turtles does Ada have?")
    assert not is_same("What is Ada's least favourite tea?", "What is Ada's favourite tea?")
    assert not is_same("Which crime novels does Ada like?", "Which love novels does Ada like?")
    assert not is_same(
        "What did Ada do at the picnic with her friends?", "What has Ada done with her friends?"
    )


def test_people_are_found_by_their_names_and_left_out() -> None:
    authors = {"Melanie Stone", "Caroline", "Bert"}
    assert people_asked_about("What did Mel paint?", authors) == {"Melanie Stone"}
    assert people_asked_about("What did Carolyne paint?", authors) == {"Caroline"}
    assert people_asked_about("what did bert say", authors) == set()
    assert without_names("What is Caroline's plan?", ["Caroline"]) == "What is plan?"
    assert without_names("Caroline?", ["Caroline"]) == "Caroline?"  # nothing else is left


def test_relative_dates_are_resolved_beside_the_words() -> None:
    day = START.date()
    assert time_told("I bought it yesterday.", day) == "7 May 2024"
    assert time_told("It was on 3 March 2023.", day) == "3 March 2023"
    assert time_told("No time is told.", day) == ""
    assert dates_meant("I bought it yesterday.", day) == "it yesterday: 7 May 2024"
    assert dates_meant("Nothing.", day) == ""


def test_sentences_cover_the_text_and_end() -> None:
    text = "One. Two!\nThree? " + "x. " * 500
    spans = sentences(text)
    assert [text[start:end].strip() for start, end in spans[:3]] == ["One.", "Two!", "Three?"]
    assert len(spans) <= 61
    assert spans[-1][1] == len(text)


def said(text: str) -> Event:
    return Event(text, "spc", "str", EventKind.MESSAGE, "Ada", text, {}, None, START, START)


def test_what_asks_is_worth_less_unless_it_was_replied_to() -> None:
    asks, also_asks = "Which printer is upstairs?", "The printer is upstairs. Or is it?"
    found = [FoundPassage(said(text), 1.0) for text in (asks, also_asks, "It is upstairs.")]

    first, second, third = statements_first(ANY, found, {})
    assert first.score < second.score == third.score == 1.0
    assert statements_first(ANY, found, {asks: said("Upstairs, yes.")})[0].score == 1.0
    assert statements_first(ANY, [], {}) == []


def test_a_question_with_another_word_is_another_question() -> None:
    """The reply to the one does not answer the other, which says all but one of its words."""
    asked = said("How do we clear the cache of the old compiler?")
    reply = replace(said("Run make tidy and wait for a minute."), author="pat")

    def found(question: str) -> dict[str, Event | None]:
        return asked_before(read(question), [asked], lambda _: [asked, reply], None)

    assert found("How do I clear the cache of the old compiler?") == {asked.id: reply}
    assert found("How do we clear the cache of the old proxy?") == {}


def test_what_only_asks_and_was_not_answered_comes_last() -> None:
    asks, tells = said("Which printer is upstairs?"), said("I fixed the printer. Which is yours?")
    other = said("The scanner is upstairs.")
    unanswered = {asks.id: None, tells.id: None}

    assert with_replies([asks, tells, other], unanswered, "Eve") == [tells, other, asks]
    assert with_replies([asks, tells, other], unanswered, "Ada") == [tells, other]
    assert with_replies([tells], {tells.id: other}, "Eve") == [other, tells]


def test_prose_is_quoted_before_code() -> None:
    event = said("```\n(start the printer upstairs)\n```\nThat starts the printer.")
    assert quoted(read("How is the printer started?"), event, None).quote == (
        "That starts the printer."
    )
    bare = said("```\n(go)\n(start the printer upstairs)\n```")
    assert "printer" in quoted(read("How is the printer started?"), bare, None).quote
