"""Answering questions: which entry, which version, which message, and when nothing is known."""

from datetime import UTC, date, datetime, timedelta

import pytest

from recollect.chat.answers.question_reader import asked
from recollect.chat.language.relative_dates import with_beginning, with_dates
from recollect.engine import Recollect
from tests.stores import StoreMaker

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
TOLD = (
    "I restore church organs for a firm in Dijon.",
    "My flat is on the sixth floor.",
    "My sister Odette keeps geese.",
    "I gave up fencing because of my wrist.",
    "My partner Ruben is a glazier.",
)


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def test_entries_are_found_by_what_they_tell_and_by_nothing_else(memory: Recollect) -> None:
    for text in TOLD:
        memory.chat.add(text)
    for question, expected in {
        "what do I do for a living?": "organs",
        "what is my profession?": "organs",
        "how high up do I live?": "sixth",
        "what animals does my sister have?": "geese",
        "do I still fence?": "gave up",
        "why did I stop fencing?": "wrist",
        "what does my partner do?": "glazier",
        "what's my partner's name?": "Ruben",
    }.items():
        assert expected in memory.chat.ask(question).text, question
    for question in (
        "what pets do I have?",
        "how old am I?",
        "when is lunch?",
        "what car do I drive?",
        "what's my brother called?",
        "where did I go to school?",
        "quel est mon plat préféré ?",
    ):
        assert not memory.chat.ask(question).known, question


def test_what_made_no_entry_is_answered_from_the_message(memory: Recollect) -> None:
    chat = memory.chat
    heard = chat.hear("Proofread the sign for my stall on Elm Road please", at=NOON)
    later = NOON + timedelta(minutes=1)
    chat.hear("If I win I'm moving the stall to Oak Street", at=later)
    chat.hear("Should the stall go to Pine Avenue?", at=later)
    chat.hear("Your stall is on Ash Lane.", at=later, speaker="assistant")
    chat.hear("> my stall is on Fir Close", at=later)
    answer = chat.ask("where is my stall?")
    assert "Elm Road" in answer.text
    assert answer.events == (heard.event_id,)
    assert "Elm Road" in chat.say("where is my stall?").answer
    assert not chat.ask("where is my boat?").known


def test_nothing_from_before_a_forgetting_is_told_again(memory: Recollect) -> None:
    memory.chat.hear("grr, Clara borrowed the drill once more", at=NOON)
    kept = memory.chat.add("My cellar key is with Clara.").entry
    assert kept is not None
    assert memory.chat.ask("who has my cellar key?").known
    memory.chat.forget(kept.id, *(one.id for one in memory.chat.entries().items if one != kept))
    assert not memory.chat.ask("who has my cellar key?").known
    assert not memory.chat.ask("what did Clara borrow?").known


def test_what_was_before_is_answered_with_the_older_version(memory: Recollect) -> None:
    memory.chat.hear("I live in Toulouse.", at=NOON)
    memory.chat.hear("We moved to Bordeaux.", at=NOON + timedelta(days=30))
    assert "Bordeaux" in memory.chat.ask("where do I live?").text
    assert "Toulouse" in memory.chat.ask("where did I live before?").text
    assert "Toulouse" in memory.chat.ask("où est-ce que j'habitais avant ?").text


def test_what_changed_in_passing_is_answered_as_it_is_now(memory: Recollect) -> None:
    for hours, text in enumerate(
        (
            "The rehearsal is at 7:30 on Mondays.",
            "My daughter Ilse is learning the cello.",
            "I pay 640 a month for my flat.",
            "I cook with butter, lots of it.",
            "we moved the rehearsal to eight, people were late",
            "Ilse dropped the cello, it's drums instead",
            "the rent is going up to 705 from May",
        )
    ):
        memory.chat.hear(text, at=NOON + timedelta(hours=hours))
    for question, expected in {
        "what time is the rehearsal?": "eight",
        "what instrument does Ilse play?": "drums",
        "does Ilse still play the cello?": "drums",
        "how much is my rent?": "705",
        "what did I use to pay for the flat?": "640",
        "what was the last thing I told you?": "705",
        "what did I just say?": "705",
    }.items():
        assert expected in memory.chat.ask(question).text, question
    assert not memory.chat.ask("what instrument does my son play?").known


def test_several_things_of_a_kind_are_told_together(memory: Recollect) -> None:
    memory.chat.hear("I play squash on Thursdays.", at=NOON)
    memory.chat.hear("I play badminton with Omar.", at=NOON + timedelta(days=1))
    answer = memory.chat.ask("what sports do I play?").text
    assert "squash" in answer
    assert "badminton" in answer


def test_a_date_comes_as_a_date_in_the_language_of_the_question(memory: Recollect) -> None:
    memory.chat.hear("We got engaged last night!", at=NOON)
    assert "9 March 2026" in memory.chat.ask("when did we get engaged?").text
    unknown = memory.chat.ask("comment s'appelle mon chien ?")
    assert unknown.text.startswith("Je ne sais pas")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the op is two weeks from today", "(24 March 2026)"),
        ("we fly a fortnight from now", "(24 March 2026)"),
        ("it has been five years since I sang", "(2021)"),
        ("ça fait trois ans que je ne fume plus", "(2023)"),
        ("she was born this morning", "(10 March 2026)"),
    ],
)
def test_more_relative_dates(text: str, meant: str) -> None:
    assert meant in with_dates(text, date(2026, 3, 10))


@pytest.mark.parametrize("for_good", [False, True])
def test_what_was_forgotten_by_any_door_is_not_told_from_the_message(
    memory: Recollect, for_good: bool
) -> None:
    memory.chat.hear("I live in Graz with my cat Miro", session="s")
    memory.chat.hear("My sister is called Paula.", session="s")
    (entry,) = [one for one in memory.chat.entries().items if "Graz" in one.memory.content]
    memory.forget(entry.memory.id, for_good=for_good)
    answer = memory.chat.ask("where do I live?")
    assert not answer.known, answer.text


def test_what_one_has_is_told_by_what_is_said_of_it(memory: Recollect) -> None:
    memory.chat.hear("my dog Biscuit is scared of bin lorries", session="s")
    memory.chat.hear("my neighbour Ada paints boats", session="s")
    for question in ("what pets do I have?", "do I have any pets?"):
        assert "Biscuit" in memory.chat.ask(question).text
    assert not memory.chat.ask("what boat do I have?").known


def test_somebody_else_s_facts_and_what_a_change_left_standing(memory: Recollect) -> None:
    chat = memory.chat
    chat.say("I have two brothers, Sam and Leo.")
    chat.say("Sam lives in Oslo.")
    assert "Oslo" in chat.ask("where does Sam live?").text
    assert not chat.ask("where does Leo live?").known
    chat.say("I live in Ghent with my husband Joris")
    chat.say("We moved to Bruges last week")
    assert "Bruges" in chat.ask("where do I live?").text
    assert "Joris" in chat.ask("who is my husband?").text
    chat.say("I work as a nurse at St. Mary's.")
    chat.say("I just switched jobs, I'm now at Studio Noord.")
    assert "Noord" in chat.ask("where do I work?").text


def test_whoever_is_named_is_not_answered_with_what_the_speaker_does(memory: Recollect) -> None:
    memory.chat.hear("I'm up at 6:30 for swimming, five days a week.")
    memory.chat.hear("My flatmate Ingrid never surfaces before noon, so I creep about the kitchen.")
    assert "6:30" not in memory.chat.ask("when does Ingrid get up?").text


def test_the_detail_that_is_asked_for_counts_and_not_the_topic_alone(memory: Recollect) -> None:
    for text in (
        "We bought a Skoda because of the hens and the mud.",
        "Torn between Ottilie and Wanda as the name of our canoe.",
        "We picked Wanda for the canoe.",
        "I keep three hives and restore two old looms in the barn.",
        "Always give prices in Danish crowns please.",
        "We've had the wind turbine for four months now.",
    ):
        memory.chat.hear(text, at=NOON)
    for question, expected in {
        "which name did we choose for the canoe?": "picked Wanda",
        "how many looms are in the barn?": "two old looms",
        "which currency should you use in your answers?": "crowns",
        "since which month have we had the wind turbine?": "November 2025",
    }.items():
        assert expected in memory.chat.ask(question).text, question
    for question in (
        "what are our hens called?",
        "how much did we pay for the Skoda?",
    ):
        assert not memory.chat.ask(question).known, question


def test_idioms_of_asking_and_everyday_words_for_the_same(memory: Recollect) -> None:
    for text in (
        "I repair tractors for a cooperative.",
        "I'm allergic to hazelnuts.",
        "The leaving do is at the Old Mill on 3 June.",
        "We closed the account with Halden.",
        "Ma cousine Zélie vient de se fouler la cheville.",
    ):
        memory.chat.add(text)
    for question, expected in {
        "how do I earn my living?": "tractors",
        "what should I steer clear of?": "hazelnuts",
        "which nuts must I avoid?": "hazelnuts",
        "where's the party?": "Old Mill",
        "is the Halden account still open?": "closed",
        "qu'est-ce que Zélie s'est foulé ?": "cheville",
    }.items():
        assert expected in memory.chat.ask(question).text, question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what's my age?", "age"),
        ("how much does the gym cost?", "money"),
        ("combien je paie de loyer ?", "money"),
        ("what time is choir?", "clock"),
        ("what date format do I want?", "what"),
        ("qu'est-ce que je prends quand je voyage ?", "what"),
        ("quand est mon train ?", "when"),
    ],
)
def test_the_kind_of_answer_that_a_question_wants(question: str, kind: str) -> None:
    assert asked(question).wants == kind


def test_a_weekday_behind_a_verb_of_the_past_lies_behind() -> None:
    today = date(2026, 3, 10)  # a Tuesday
    assert "(6 March 2026)" in with_dates("our son was born on Friday", today)
    assert "(10 April 2026)" in with_dates("the ferry leaves in exactly one month", today)
    assert with_beginning("on a le poêle depuis deux ans", today).endswith("(depuis 2024)")


def test_a_name_that_begins_alike_is_somebody_else(memory: Recollect) -> None:
    memory.chat.add("my friend Marta lives in Berlin")
    memory.chat.add("I'm a backend dev at a small fintech in Porto")
    assert not memory.chat.ask("where does Maria live?").known
    assert "Berlin" in memory.chat.ask("where does Marta live?").text
    assert "fintech" in memory.chat.ask("where do I work?").text


def test_an_open_question_of_later_does_not_answer_as_of_before(memory: Recollect) -> None:
    chat = memory.chat
    first = NOON - timedelta(days=60)
    chat.hear("I live in Nantes.", at=first)
    later = first + timedelta(days=30)
    heard = chat.hear("I live in Rennes.", at=later)
    assert [one.outcome for one in heard.statements] == ["asked"]
    before = chat.ask("where do I live?", at=first + timedelta(days=2))
    assert "Nantes" in before.text
    assert before.question is None
    assert "Rennes" in chat.ask("where do I live?", at=later + timedelta(days=1)).text
