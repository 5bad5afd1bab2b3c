"""What an update may replace among many entries: the same person, the same thing, nothing else."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.chat.entries.control import without_forgotten
from recollect.chat.updates.known_people import known_people, subject_of
from recollect.chat.updates.moved_values import moved_value
from recollect.chat.updates.pointed_updates import pointed_update
from recollect.chat.updates.update_verdict import verdict
from recollect.engine import Recollect
from recollect.vocabulary.events import Event
from recollect.vocabulary.personal import Intent, Outcome
from tests.clocks import TickingClock

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)

#: What a person has told besides.
CROWD = (
    "My neighbour Mr Abara keeps three parrots",
    "my mate col drives a bus in leeds",
    "dad lives in perth, drives road trains",
    "I paid 310 euros for the desk",
    "I bake bread on Sunday mornings",
    "My sister Lena is a vet in Bremen",
    "I keep a diary since January",
    "The boiler room is locked on Saturdays",
)


def texts(memory: Recollect) -> set[str]:
    return {entry.memory.content for entry in memory.chat.entries(limit=100).items}


def told(memory: Recollect, *said: str) -> None:
    for number, text in enumerate(said):
        memory.chat.hear(text, at=NOON + timedelta(days=number))


@pytest.mark.parametrize(
    "new",
    [
        "col quit the choir",
        "me n jess got a place!! 2 bedder in york",
        "lena's mate works at a florist now",
        "The left window sticks again",
        "The sale of the house left me 90,000",
        "I have met a retired vet from Ulm",
        "I've joined the choir as an alto",
        "the plan was scrapped, and we have been live since Sunday",
    ],
)
def test_a_loosely_related_word_replaces_nothing(new: str) -> None:
    known = {str(number): text for number, text in enumerate(CROWD)}
    found = verdict(new, known)
    assert found is None or not found.at_once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I drive a 2014 Fiesta", "Night driving is a trial, so I've sold the Fiesta to a cousin"),
        ("We use Slack for everything at work", "We don't use Slack any more, it's all on Teams"),
        ("All my notes are in Evernote", "I've switched from Evernote to Obsidian for my notes"),
        ("I have one cat, a tabby named Biscuit", "Biscuit died in her sleep on Sunday"),
        ("my girlfriend tess, together 2 yrs", "tess and i split up"),
    ],
)
def test_what_ended_is_replaced_among_many(old: str, new: str) -> None:
    known = {"old": old, **{str(number): text for number, text in enumerate(CROWD)}}
    found = verdict(new, known)
    assert found is not None
    assert (found.old_id, found.at_once) == ("old", True)


def test_names_typed_small_are_known_from_the_entry_that_told_them() -> None:
    people = known_people(["my sis bree is a nurse", "mon pote gwen a un chien", "I like her"])
    assert people == {"bree": {"sister"}, "gwen": {"friend"}}
    assert subject_of("bree got a job in hobart", people) == {"bree", "sister"}
    assert subject_of("dad lives in perth", people) == {"dad"}
    assert subject_of("bree and i went to perth", people) == set()
    assert subject_of("got a job in hobart", people) == set()


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        (
            "dentist booked for 12 feb 9:40am, dr rao in coburg",
            "dentist rang, theyve pushed me to the 19th same time",
            "dentist booked for 19th feb 9:40am, dr rao in coburg",
        ),
        (
            "Bridge is Wednesday afternoons at Spencer House",
            "Bridge has been shifted to Friday afternoons for good",
            "Bridge is Friday afternoons at Spencer House",
        ),
        (
            "rdv kiné pour mon dos le 17 février à 18h",
            "la kiné a décalé, ce sera le 24 à la même heure",
            "rdv kiné pour mon dos le 24 février à 18h",
        ),
        (
            "I take 10 mg of lisinopril every morning",
            "the lisinopril was raised to 20 mg",
            "I take 20 mg of lisinopril every morning",
        ),
    ],
)
def test_a_moved_value_goes_into_its_entry(old: str, new: str, whole: str) -> None:
    known = {**{str(number): text for number, text in enumerate(CROWD)}, "old": old}
    found = moved_value(new, known)
    assert found is not None
    assert (found.old_id, found.text) == ("old", whole)


@pytest.mark.parametrize(
    "new",
    [
        "A lorry blocks the road on Friday morning, my daughter is moving back in",  # no thing
        "the boys changed schools, at Elmfield now, and bread is on Fridays",  # more changed
    ],
)
def test_a_value_is_not_moved_by_a_word_that_many_entries_hold(new: str) -> None:
    assert moved_value(new, {str(number): text for number, text in enumerate(CROWD)}) is None


def test_two_entries_that_fit_alike_are_both_left() -> None:
    known = {"a": "The choir meets on Mondays", "b": "The choir sings on Tuesdays"}
    assert moved_value("choir was shifted to Thursdays", known) is None


def test_it_means_an_entry_only_where_no_other_could_be_meant() -> None:
    one = {"a": "The parcel comes on Monday", "b": "My sister is a vet"}
    assert pointed_update("they moved it to Friday", one) is not None
    two = {**one, "c": "The plumber comes on Tuesday"}
    assert pointed_update("they moved it to Friday", two) is None


def test_what_was_replaced_is_named(memory: Recollect) -> None:
    told(memory, *CROWD, "I drive a 2014 Fiesta")
    heard = memory.chat.hear("sold the fiesta!!", at=NOON + timedelta(days=30))
    assert [one.replaced_texts for one in heard.statements] == [("I drive a 2014 Fiesta",)]
    assert texts(memory) == {*CROWD, "sold the fiesta!!"}

    said = memory.chat.say("I no longer bake bread")
    assert said.replaced_texts == ("I bake bread on Sunday mornings",)
    assert "Replaced: “I bake bread on Sunday mornings”" in said.answer


# --- which question a yes answers -----------------------------------------------------------------


def asks(memory: Recollect, session: str) -> None:
    """Have a question open in a session."""
    memory.chat.add("The deadline of the report is 15 March.", session=session)
    kept = memory.chat.add("The deadline of the report is 20 March.", session=session)
    assert kept.outcome is Outcome.ASKED


def test_a_yes_of_another_session_answers_no_question(memory: Recollect) -> None:
    asks(memory, "monday")
    said = memory.chat.say("yes", session="tuesday")
    assert said.intent is Intent.YES
    assert not said.done
    assert "1. I have noted: “The deadline of the report is 15 March.”" in said.answer
    assert len(memory.chat.questions()) == 1

    said = memory.chat.say("yes 1", session="tuesday")
    assert said.done
    assert said.replaced_texts == ("The deadline of the report is 15 March.",)
    assert texts(memory) == {"The deadline of the report is 20 March."}


def test_a_yes_answers_what_was_asked_last_in_its_session(memory: Recollect) -> None:
    asks(memory, "monday")
    memory.chat.add("I live in Lyon.", session="tuesday")
    memory.chat.add("I live in Oslo now.", session="tuesday")
    said = memory.chat.say("yes", session="monday")
    assert said.replaced_texts == ("The deadline of the report is 15 March.",)
    assert texts(memory) >= {"I live in Lyon.", "I live in Oslo now."}


def test_a_number_that_was_not_listed_answers_nothing(memory: Recollect) -> None:
    asks(memory, "monday")
    assert not memory.chat.say("yes 1", session="tuesday").done
    assert not memory.chat.say("no 7", session="tuesday").done
    assert memory.chat.say("non 1", session="tuesday").done
    assert not memory.chat.questions()
    assert len(texts(memory)) == 2


def test_a_yes_long_after_is_asked_what_it_means(memory: Recollect, clock: TickingClock) -> None:
    asks(memory, "monday")
    clock.move(timedelta(hours=2))
    assert not memory.chat.say("yes", session="monday").done
    assert memory.chat.say("yes", session="monday").done  # the one that was listed


# --- a message of which one fact is forgotten -----------------------------------------------------

MESSAGE = "I'm allergic to hazelnuts. My sister Mia lives in Lyon. Hazelnuts are everywhere!"


def test_a_forgotten_fact_is_taken_out_of_its_message(memory: Recollect) -> None:
    heard = memory.chat.hear(MESSAGE, at=NOON)
    lost = [entry.id for entry in heard.kept if "hazelnuts" in entry.memory.content]
    gone = memory.chat.forget(*lost)

    assert heard.event_id is not None
    event = memory.get(heard.event_id)
    assert isinstance(event, Event)
    assert event.text == "[forgotten] My sister Mia lives in Lyon. [forgotten]"
    assert memory.revisions(heard.event_id) == ()
    assert not any("hazelnut" in one.text.lower() for one in memory.recall("hazelnuts").found)
    assert not memory.chat.ask("what am I allergic to?").known
    assert "Lyon" in memory.chat.ask("where does my sister live?").text

    memory.chat.undo(gone.undo or "")
    assert isinstance(back := memory.get(heard.event_id), Event)
    assert back.text == MESSAGE
    assert "hazelnuts" in memory.chat.ask("what am I allergic to?").text


def test_a_message_of_one_fact_goes_with_it(memory: Recollect) -> None:
    heard = memory.chat.hear("I'm allergic to hazelnuts.", at=NOON)
    memory.chat.forget(*(entry.id for entry in heard.kept))
    assert heard.event_id is not None
    assert isinstance(gone := memory.get(heard.event_id), Event)
    assert gone.text == ""


@pytest.mark.parametrize(
    ("message", "forgotten", "kept", "left"),
    [
        (
            "I see Dr. Okoye on Mondays. My cat is called Juno.",
            "I see Dr. Okoye on Mondays.",
            "My cat is called Juno.",
            "[forgotten] My cat is called Juno.",
        ),
        (
            "I'm vegan and live in Lyon, my rent is 700 euros\nany tips?",
            "my rent is 700 euros",
            "I'm vegan",
            "[forgotten]\nany tips?",
        ),
        (
            "I fly tomorrow. I'm 40.",
            "I fly tomorrow (11 March 2026).",
            "I'm 40.",
            "[forgotten] I'm 40.",
        ),
    ],
)
def test_the_sentences_of_a_forgotten_fact(
    message: str, forgotten: str, kept: str, left: str
) -> None:
    assert without_forgotten(message, [forgotten], [kept]) == left
