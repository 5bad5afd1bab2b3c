"""Hearing messages: what is kept, what is skipped and why, what replaces what."""

from datetime import UTC, date, datetime, timedelta

import pytest

from recollect.chat.language.relative_dates import with_dates
from recollect.chat.updates.update_verdict import verdict
from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import Outcome

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def texts(memory: Recollect) -> set[str]:
    return {entry.memory.content for entry in memory.chat.entries(limit=100).items}


def test_each_statement_is_an_entry_that_points_at_its_message(memory: Recollect) -> None:
    heard = memory.chat.hear(
        "Hi! I'm allergic to mustard, I have a goat called Pepper. What should I cook?", at=NOON
    )
    assert texts(memory) == {"I'm allergic to mustard", "I have a goat called Pepper."}
    assert heard.event_id is not None
    assert {one.id for one in memory.pointing_at(heard.event_id)} == {
        entry.id for entry in heard.kept
    }


@pytest.mark.parametrize(
    "text",
    [
        "ok thanks",
        "Make it shorter please",
        "What is the capital of Peru?",
        "If I were rich I'd buy an island",
        'My teacher always said "I never sleep and I never eat"',
        "```\nmy_name = 'I live in Oslo'\n```",
        "> I live in Oslo and I am a nurse",
        "\U0001f602\U0001f602",
        "Anna: I live in Oslo\nBen: I am a nurse\nAnna: My birthday is in May",
    ],
)
def test_what_does_not_last_is_skipped_with_a_reason(memory: Recollect, text: str) -> None:
    heard = memory.chat.hear(text, at=NOON)
    assert texts(memory) == set()
    assert all(one.reason for one in heard.statements)
    assert {one.outcome for one in heard.statements} <= {Outcome.SKIPPED}


@pytest.mark.parametrize(
    "text",
    [
        "I work as a nurse at St. Georg hospital",
        "My address is 5 Main St. Apt. 4, Boston",
        "I study at the Univ. of Leipzig",
        "My doctor is Dr. Weber in Bonn",
    ],
)
def test_a_shortened_word_ends_no_sentence(memory: Recollect, text: str) -> None:
    memory.chat.hear(text, at=NOON)
    assert texts(memory) == {text}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "MariaDB plan scrapped after the load tests. We went with Postgres and it runs well",
            "MariaDB plan scrapped after the load tests. We went with Postgres and it runs well",
        ),
        (
            "I do payroll at Hollis & Crane. Please remember that for the tax stuff",
            "I do payroll at Hollis & Crane.",
        ),
        ("context for my questions: I'm on the Payments team", "I'm on the Payments team"),
    ],
)
def test_an_entry_is_a_whole_statement_and_says_it_once(
    memory: Recollect, text: str, kept: str
) -> None:
    memory.chat.hear(text, at=NOON)
    assert texts(memory) == {kept}


def test_a_weekday_that_names_a_thing_has_no_date() -> None:
    day = date(2026, 3, 10)
    assert with_dates("I found my new Saturday spot", day) == "I found my new Saturday spot"
    assert "14 March 2026" in with_dates("my flight is Saturday morning", day)


def test_the_assistant_teaches_nothing_and_its_role_is_kept(memory: Recollect) -> None:
    heard = memory.chat.hear("I live in the cloud.", at=NOON, speaker="assistant")
    assert texts(memory) == set()
    assert heard.event_id is not None
    assert memory.window(heard.event_id).event.payload["role"] == "assistant"


def test_the_same_message_twice_is_kept_once(memory: Recollect) -> None:
    first = memory.chat.hear("I live in Toulouse.", at=NOON)
    again = memory.chat.hear("I live in Toulouse.", at=NOON)
    assert again.event_id == first.event_id
    assert [one.outcome for one in again.statements] == [Outcome.SKIPPED]
    assert memory.chat.entries().items[0].repeat_count == 0


def test_relative_dates_become_absolute(memory: Recollect) -> None:
    memory.chat.hear("I have my piano exam tomorrow.", at=NOON)
    memory.chat.hear("On a signé le bail il y a trois jours.", at=NOON)
    assert texts(memory) == {
        "I have my piano exam tomorrow (11 March 2026).",
        "On a signé le bail il y a trois jours (7 mars 2026).",
    }


def test_a_change_replaces_and_both_stay_readable(memory: Recollect) -> None:
    old = memory.chat.hear("I live in Toulouse.", at=NOON).kept[0]
    heard = memory.chat.hear("We moved to Bordeaux.", at=NOON + timedelta(days=9))
    assert [one.outcome for one in heard.statements] == [Outcome.REPLACED]
    assert heard.statements[0].replaced == old.id
    assert texts(memory) == {"We moved to Bordeaux."}
    ended = memory.get(old.id)
    assert isinstance(ended, Memory)
    assert ended.superseded_by == heard.kept[0].id


def test_another_value_without_words_of_change_is_asked_about(memory: Recollect) -> None:
    memory.chat.hear("My dentist is Doctor Lund.", at=NOON)
    heard = memory.chat.hear("My dentist is Doctor Brandt.", at=NOON + timedelta(days=9))
    assert [one.outcome for one in heard.statements] == [Outcome.ASKED]
    answer = memory.chat.ask("who is my dentist?")
    assert "Brandt" in answer.text
    assert answer.question is not None


def test_a_correction_right_after_takes_its_place(memory: Recollect) -> None:
    memory.chat.hear("My dentist appointment is on 8 May at 10:00.", at=NOON)
    memory.chat.hear("sorry, I meant the 9th of May", at=NOON + timedelta(minutes=1))
    (text,) = texts(memory)
    assert "9th of May" in text
    assert "8 May" not in text
    assert memory.chat.questions() == ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("make that eight", "I have been a baker for eight years"),
        ("Make that one line with the one above", "I have been a baker for six years"),
        ("Actually, one more question for you", "I have been a baker for six years"),
    ],
)
def test_a_number_corrects_what_it_counts(memory: Recollect, said: str, kept: str) -> None:
    """A number of something else once changed the years."""
    memory.chat.hear("I have been a baker for six years", session="s")
    memory.chat.hear(said, session="s")
    assert texts(memory) == {kept}


@pytest.mark.parametrize(
    ("told", "meant", "kept"),
    [
        ("My uncle was born in Graz.", "It wasn't Graz, it was Linz.", "born in Linz"),
        ("We are 12 for dinner on Sunday.", "14, not 12", "are 14 for"),
        (
            "I'm meeting Paul on Monday.",
            "that's wrong: I'm meeting Paula at 8",
            "meeting Paula at 8",
        ),
    ],
)
def test_a_correction_keeps_the_corrected_fact_alone(
    memory: Recollect, told: str, meant: str, kept: str
) -> None:
    memory.chat.hear(told, at=NOON)
    memory.chat.hear(meant, at=NOON + timedelta(minutes=1))
    (text,) = texts(memory)
    assert kept in text
    assert "wrong" not in text


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        ("Yoga is on Thursdays", "yoga's on Mondays now", True),
        ("I bank with Barclays", "moved my account from Barclays to Monzo", True),
        ("My boss is Karen", "new boss, Dele, starts on Monday", True),
        ("We have two cats", "we have three cats now", True),
        ("Mon rdv dentiste est le 4 juin", "le dentiste a décalé au 9 juin", True),
        ("My daughter Ida is 6", "my daughter Runa is 9 now", False),
        ("The dentist is on 4 June", "the physio is on 9 June now", False),
    ],
)
def test_the_same_thing_told_otherwise_replaces_at_once(old: str, new: str, replaced: bool) -> None:
    found = verdict(new, {"old": old})
    assert (found is not None and found.at_once) is replaced


def test_half_a_sentence_belongs_to_the_statement_before_it(memory: Recollect) -> None:
    memory.chat.hear("They made me redundant in May. Nineteen years.", at=NOON)
    assert texts(memory) == {"They made me redundant in May. Nineteen years."}


def test_two_people_do_not_contradict_each_other(memory: Recollect) -> None:
    memory.chat.hear("My sister is a vegan.", at=NOON)
    memory.chat.hear("I eat meat again.", at=NOON + timedelta(days=1))
    assert len(texts(memory)) == 2


def test_nothing_is_known_of_what_was_not_told(memory: Recollect) -> None:
    memory.chat.hear("My mum was born in Tampere.", at=NOON)
    assert memory.chat.ask("where was my mum born?").known
    assert not memory.chat.ask("where was I born?").known
    assert not memory.chat.ask("what is my cat called?").known


def test_nothing_is_heard_or_answered_where_memory_is_closed(memory: Recollect) -> None:
    memory.chat.hear("I live in Toulouse.", at=NOON)
    memory.chat.incognito("quiet", True)
    assert memory.chat.hear("I have a dog.", at=NOON, session="quiet").event_id is None
    assert not memory.chat.ask("where do I live?", session="quiet").known
    memory.chat.set(memory_enabled=False)
    assert memory.chat.hear("I have a dog.", at=NOON).event_id is None
    assert not memory.chat.ask("where do I live?").known


def test_a_secret_is_refused_and_the_rest_kept(memory: Recollect) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    memory.chat.hear(f"I live in Toulouse. My access key is {key}.", at=NOON)
    assert texts(memory) == {"I live in Toulouse."}


def test_ten_megabytes_are_pasted_text(memory: Recollect) -> None:
    heard = memory.chat.hear("I live in Oslo. " * 650_000, at=NOON)
    assert [one.act for one in heard.statements] == ["pasted"]
    assert texts(memory) == set()


@pytest.mark.parametrize("text", ["أنا أعيش في باريس", "I live in Lyon mais je travaille à Paris"])
def test_other_scripts_and_mixed_languages_break_nothing(memory: Recollect, text: str) -> None:
    assert memory.chat.hear(text, at=NOON).event_id is not None


def test_clocks_that_run_backwards_break_nothing(memory: Recollect) -> None:
    memory.chat.hear("I live in Lyon.", at=NOON)
    memory.chat.hear("I have two cats.", at=NOON - timedelta(days=400))
    assert memory.chat.ask("where do I live?").known


def test_a_speaker_is_one_of_two(memory: Recollect) -> None:
    with pytest.raises(InvalidInput):
        memory.chat.hear("I live here.", speaker="narrator")


@pytest.mark.parametrize(
    ("told", "stays"),
    [
        ("I'm vegetarian and I live in Lyon.", "what is my diet?"),
        ("I'm vegetarian and live in Lyon.", "what is my diet?"),
        ("I live in Lyon and work as a nurse.", "what is my job?"),
        ("J'habite à Lyon et travaille comme infirmière.", "c'est quoi mon métier ?"),
    ],
)
def test_a_change_leaves_what_was_told_in_the_same_sentence(
    memory: Recollect, told: str, stays: str
) -> None:
    memory.chat.hear(told)
    memory.chat.hear("We moved to Bordeaux last May.")
    answer = memory.chat.ask(stays)
    assert answer.known
    assert any(word in answer.text for word in ("vegetarian", "nurse", "infirmière"))
    assert "Lyon" not in answer.text
    assert "Bordeaux" in memory.chat.ask("where do I live?").text


def test_a_change_leaves_the_rest_of_an_entry_that_was_kept_as_it_is(memory: Recollect) -> None:
    memory.chat.add("I'm vegetarian and I live in Lyon.")
    heard = memory.chat.hear("We moved to Bordeaux last May.")
    assert [one.outcome for one in heard.statements] == [Outcome.REPLACED, Outcome.KEPT]
    assert "vegetarian" in memory.chat.ask("what is my diet?").text
    assert "Bordeaux" in memory.chat.ask("where do I live?").text


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (
            "I'm worried about my thesis, especially since my supervisor Ines leaves on 4 July.",
            "my supervisor Ines leaves on 4 July.",
        ),
        (
            "I'm trying to understand why my running time went from 58 to 51 minutes.",
            "my running time went from 58 to 51 minutes.",
        ),
        (
            "I've decided to keep the shop closed on Mondays, and also provide a short sign for it",
            "I've decided to keep the shop closed on Mondays",
        ),
        (
            "I'm training for the Bilbao half marathon, and I've got it down to 1:52 so far.",
            "I'm training for the Bilbao half marathon, and I've got it down to 1:52 so far.",
        ),
    ],
)
def test_an_entry_is_neither_its_frame_nor_the_request_behind_it(
    memory: Recollect, told: str, kept: str
) -> None:
    memory.chat.hear(told, at=NOON)
    assert texts(memory) == {kept}


@pytest.mark.parametrize(
    "text",
    [
        "I want to get the spacing right. I've added a second header to it, I get the gist.",
        "I've got 9 + 16 = 25 for the first part and I'm still seeing some issues with the other.",
        "Thanks for walking me through it!",
    ],
)
def test_steps_of_a_task_are_not_kept(memory: Recollect, text: str) -> None:
    memory.chat.hear(text, at=NOON)
    assert texts(memory) == set()


def test_a_long_sentence_ends_behind_a_whole_word(memory: Recollect) -> None:
    words = "I was promoted on 3 May " + "after a long interview with very many people " * 20
    memory.chat.hear(words, at=NOON)
    (kept,) = texts(memory)
    assert set(kept.split()) <= set(words.split())


def test_what_denies_something_known_is_asked_about(memory: Recollect) -> None:
    memory.chat.hear("I skipped two rehearsals of the choir in March.", at=NOON)
    heard = memory.chat.hear("I've never skipped any rehearsals of the choir.", at=NOON)
    assert [one.outcome for one in heard.statements] == [Outcome.ASKED]
    assert memory.chat.questions()


def test_what_tells_the_home_answers_before_a_newer_workplace(memory: Recollect) -> None:
    memory.chat.hear("I live in Lyon.")
    memory.chat.hear("I work as a physiotherapist at the Croix-Rousse hospital")
    assert memory.chat.ask("where do I live?").text.startswith("I live in Lyon")


def test_an_english_preference_is_answered_in_english(memory: Recollect) -> None:
    said = memory.chat.say("Please keep your answers short from now on")
    assert "remember" in said.answer


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("been vegan since school, don't miss cheese at all", True),
        ("dad of two, Lily and Tom", True),
        ("my bus is late again", False),
        ("Worried that I won't finish this in time.", False),
        ("if I win the lottery I'm moving to Hawaii", False),
        ("name's Ottilie by the way", True),
        ("no car and no microwave here", True),
        ("can you suggest a chair, I've got a bad back", True),
        ("printer is an old Canon", True),
        ("on a deux ânes et un potager", True),
        ("my train is stuck again", False),
        ("I prefer the blue one", False),
        ("my husband laughed", False),
        ("le titre est trop long", False),
    ],
)
def test_the_score_overrules_the_rules(memory: Recollect, text: str, kept: bool) -> None:
    memory.chat.hear(text, at=NOON)
    assert bool(texts(memory)) is kept


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I have a dentist appointment on Friday", "Friday (5 June 2026)"),
        ("party next sat at 8", "next sat (6 June 2026)"),
        ("a week on Tuesday", "a week on Tuesday (16 June 2026)"),
        ("le pot est prévu vendredi", "vendredi (5 juin 2026)"),
        ("he's shut Mondays", "shut Mondays"),
    ],
)
def test_weekdays_are_dated(text: str, meant: str) -> None:
    assert meant in with_dates(text, date(2026, 6, 3))


def test_a_correction_may_tell_more(memory: Recollect) -> None:
    memory.chat.hear("I take 20 mg of amlodipine each morning", at=NOON)
    memory.chat.hear("Sorry, 5 mg. My son is allergic to nuts.", at=NOON)
    assert any("5 mg of amlodipine" in one for one in texts(memory))
    assert any("nuts" in one for one in texts(memory))


def test_questions_find_the_entry_in_other_words(memory: Recollect) -> None:
    told = (
        "My sister Una's lad Piers is coming on 4 April 2026.",
        "My daughter Wren lives in Cork.",
        "My daughter Isolde works as a welder in Metz.",
        "I can't stand parsley.",
        "Flights booked: Oslo, home on 9 May 2026.",
    )
    for text in told:
        memory.chat.add(text)
    for question, expected in {
        "who is Piers's mum?": ("Una",),
        "what are my daughters called?": ("Wren", "Isolde"),
        "when do I return from my trip?": ("9 May",),
    }.items():
        answer = memory.chat.ask(question)
        assert answer.known, question
        assert all(word in answer.text for word in expected), (question, answer.text)
    assert not memory.chat.ask("what's my favourite herb?").known


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The next one is Tuesday December 1st at 10.",
            "The next one is Tuesday December 1st at 10.",
        ),
        ("We meet on Thursday, 3 December at noon", "We meet on Thursday, 3 December at noon"),
        ("I play on Wednesday evenings", "I play on Wednesday evenings"),
        ("I lead it since Monday.", "I lead it since Monday (16 November 2026)."),
        ("J'y suis depuis lundi.", "J'y suis depuis lundi (16 novembre 2026)."),
        ("Dinner is on Friday", "Dinner is on Friday (20 November 2026)"),
    ],
)
def test_a_weekday_gets_a_date_only_where_it_has_none_and_the_right_one(
    text: str, expected: str
) -> None:
    assert with_dates(text, date(2026, 11, 18)) == expected
