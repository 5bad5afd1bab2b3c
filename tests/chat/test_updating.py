"""What changes what is known: ends, beginnings, tastes, values that change, lists, and what not."""

from datetime import UTC, date, datetime, timedelta

import pytest

from recollect.chat.language.change_words import ended_words
from recollect.chat.language.relative_dates import with_dates
from recollect.chat.statements.shopping_lists import changed_list, is_list, list_change
from recollect.chat.statements.statement_extraction import statements_of
from recollect.chat.updates.carried_details import carried_over
from recollect.chat.updates.corrections import corrected, is_correction
from recollect.chat.updates.preferences import contrary_preferences
from recollect.chat.updates.single_attributes import attributes_of
from recollect.chat.updates.update_verdict import verdict
from recollect.engine import Recollect
from recollect.vocabulary.personal import Outcome

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=30)


def texts(memory: Recollect) -> set[str]:
    return {entry.memory.content for entry in memory.chat.entries(limit=100).items}


def kept(text: str) -> list[str]:
    return [one.text for one in statements_of(text, date(2026, 3, 10)) if one.lasts]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm a pastry cook at the Anchor", "handed in my notice on Friday"),
        ("I'm a plumber", "I'm a teacher now"),
        ("I work at the harbour office", "first day done at the tax office, survived"),
        ("Seeing a guy called Anselm", "Anselm and I called it quits"),
        ("I'm in a studio in Malmö", "we ended up taking the three-bed in Lund"),
        ("I'm vegan", "I'm eating fish again"),
        ("I have a Nokia", "I switched to a Fairphone"),
        ("I bank with Nordea", "done with Nordea, it's all at Avanza now"),
        ("I love techno", "I used to love techno but now I can't stand it"),
        ("Torn between two names for the cat: Miso or Pickle", "we picked Miso"),
        ("I sing in the Harbour choir", "finished with the Harbour choir"),
        ("J'apprends le portugais", "J'ai laissé tomber le portugais"),
        ("Je fais du judo le mardi", "j'ai arrêté le judo"),
        ("J'adore l'opéra", "Maintenant je ne supporte plus l'opéra"),
        ("Je suis cuisinier", "J'ai donné ma démission"),
    ],
)
def test_words_of_an_end_or_a_beginning_replace_at_once(old: str, new: str) -> None:
    found = verdict(new, {"old": old})
    assert found is not None
    assert found.at_once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm going to Vienna in May", "I finished the novel about Vienna"),
        ("I have a dog called Bruno", "I lost my keys to Bruno's kennel"),
        ("I have a cat", "I got a dog"),
        ("On weekdays I'm up at six", "At weekends I'm up at ten"),
        ("My sister lives in Turin", "I moved to Turin"),
        ("My brother works at Volvo", "I quit my job"),
        ("I collected the keys to the boat shed", "my scan got moved to the 14th"),
        ("I love hiking in the mountains", "I hate hiking in the rain"),
        ("My own phone is a Pixel", "For work they gave me an iPhone"),
        ("J'ai un chat", "J'ai pris un chien"),
    ],
)
def test_something_else_changes_nothing(old: str, new: str) -> None:
    assert verdict(new, {"old": old}) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [("I love liquorice", "I hate liquorice"), ("J'aime le golf", "Je déteste le golf")],
)
def test_a_contrary_taste_without_words_of_change_is_asked_about(old: str, new: str) -> None:
    assert contrary_preferences(old, new)
    found = verdict(new, {"old": old})
    assert found is not None
    assert not found.at_once


def test_an_end_names_what_it_ends() -> None:
    assert "keys" in ended_words("I lost my keys to the shed")
    assert "shed" not in ended_words("I lost my keys to the shed")
    assert "boat" in ended_words("sold her. yes, the boat.")
    assert "gym" in ended_words("the gym is closed")


def test_a_food_is_a_diet_only_where_it_changes() -> None:
    assert "diet" in attributes_of("I'm back on dairy")
    assert "diet" not in attributes_of("I eat fish on Fridays")


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("I swim 2 km every Monday", "I swim 3 km now", "I swim 3 km every Monday"),
        (
            "We rehearse on Monday at 8 pm",
            "we rehearse on Tuesday now",
            "We rehearse on Tuesday at 8 pm",
        ),
        ("I swim 2 km every Monday", "I swim for 2 hours now", None),
        ("Yoga is on Mondays", "Yoga is on Tuesdays now", None),
    ],
)
def test_a_changed_value_leaves_the_others(old: str, new: str, whole: str | None) -> None:
    assert carried_over(old, new) == whole


def test_corrections_of_a_number_and_what_only_stresses() -> None:
    assert corrected("Mon neveu a 8 ans", "non je dis n'importe quoi, il en a 9 depuis mai") == (
        "Mon neveu a 9 ans"
    )
    assert not is_correction("nobody gets me up before ten, and I mean nobody")
    assert is_correction("Karolina i mean")
    assert is_correction("scrap that, it's 40")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I should mention I have a bad knee", ["I have a bad knee"]),
        ("Je précise que je travaille de nuit", ["je travaille de nuit"]),
        ("My train leaves on Tuesday, so perhaps I'll pack tonight.", None),
        ("We're bidding on a barn near Stoke-on-Trent", None),
        ("Their names are Ines and Jonas", None),
        ("i need the ramp for my wheelchair", None),
        ("Goal is to open a tea room by spring", None),
        ("spell things the British way", None),
        ("évite les abréviations, ça m'énerve", None),
        ("one house rule: no guessing", None),
        ("Faut aussi que je renouvelle mon passeport avant fin juin", None),
    ],
)
def test_what_is_told_in_other_forms_is_heard(text: str, told: list[str] | None) -> None:
    assert kept(text) == told if told is not None else kept(text)


@pytest.mark.parametrize(
    "text",
    [
        "now how do i fold this",
        "good. what's the weather usually like in Faro in may",
        "hang on, let me look at the label",
        "good luck to us",
        "I have a face but no eyes, hands but no fingers. what am I",
        "slide 3 is too full, split it",
        "every office needs one",
    ],
)
def test_forms_of_talk_leave_nothing(text: str) -> None:
    assert kept(text) == []


def test_an_end_and_what_took_its_place_are_one_entry(memory: Recollect) -> None:
    memory.chat.hear("I'm learning the harp, half an hour a day", at=NOON)
    heard = memory.chat.hear("Dropped the harp. I took up the oboe with a teacher", at=LATER)
    assert [one.outcome for one in heard.statements] == [Outcome.REPLACED]
    assert texts(memory) == {"Dropped the harp. I took up the oboe with a teacher"}


def test_a_list_grows_and_shrinks_as_one_entry(memory: Recollect) -> None:
    memory.chat.hear("Shopping list: eggs, bread", at=NOON)
    memory.chat.hear("add milk", at=NOON + timedelta(minutes=5))
    memory.chat.hear("add some rice and tea to the list", at=LATER)
    memory.chat.hear("take the eggs off the list please", at=LATER + timedelta(minutes=1))
    assert texts(memory) == {"Shopping list: bread, milk, rice, tea"}
    memory.chat.hear("add a paragraph", at=LATER + timedelta(days=1))
    assert texts(memory) == {"Shopping list: bread, milk, rice, tea"}


def test_lists_in_french_and_what_is_none() -> None:
    assert is_list("Liste de courses : lait, pain")
    change = list_change("ajoute du beurre à la liste de courses")
    assert change is not None
    assert (
        changed_list("Liste de courses : lait, pain", change)
        == "Liste de courses : lait, pain, beurre"
    )
    assert list_change("add a test to the function") is None
    assert not is_list("make me a shopping list")


def test_spans_that_end_on_the_same_day() -> None:
    day = date(2026, 1, 31)
    assert with_dates("in exactly one month", day) == "in exactly one month (28 February 2026)"
    assert with_dates("two weeks ago today", day) == "two weeks ago today (17 January 2026)"
    assert "since July 2025" in with_dates("we've had it for six months now", day)
    assert with_dates("by the Friday before", day) == "by the Friday before"


def test_a_remark_on_a_statement_and_a_name_before_it_belong_to_it() -> None:
    (told,) = kept("I can't have walnuts, they nearly killed me once.")
    assert told.startswith("I can't have walnuts")
    assert not kept("I'm shattered, it was a long day.")
    (told,) = kept("give Oluwaseun his own row actually, he's our drummer and he hates stairs")
    assert told == "Oluwaseun: he's our drummer and he hates stairs"


@pytest.mark.parametrize(
    "text",
    [
        "need a spreadsheet that adds up the deposits, where do I start",
        "pour deux murs il m'en faut combien",
    ],
)
def test_a_question_without_its_mark_tells_nothing(text: str) -> None:
    assert not kept(text)
    assert kept("I teach at a school in Leeds, which is where my sister lives.")


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("I live in Matosinhos, near the beach", "actually we're moving to Braga in January"),
        ("bouldering is on Wednesdays", "actually we're moving to Braga in January"),
        ("my dentist is in Lyon", "oh wait, my cousin Ines arrives on Friday"),
        ("j'habite à Lyon", "en fait ma soeur part vivre à Brest"),
    ],
)
def test_a_sentence_about_something_else_gives_no_value(old: str, words: str) -> None:
    """Otherwise words are put into a person's mouth: "I live in Braga, near the beach"."""
    assert corrected(old, words) is None


def test_a_greeting_is_no_part_of_what_was_told() -> None:
    assert kept("hey there, I'm Tomas") == ["I'm Tomas"]
    assert kept("hello again, I live in Porto") == ["I live in Porto"]


def test_a_list_can_be_spoken(memory: Recollect) -> None:
    assert memory.chat.say("shopping list: eggs, bread").done
    assert memory.chat.say("add milk").done
    assert memory.chat.say("take the bread off the list").done
    assert texts(memory) == {"shopping list: eggs, milk"}


def test_what_somebody_cannot_eat_is_no_job() -> None:
    assert attributes_of("je suis caissier au marché") == {"job"}
    assert "job" not in attributes_of("je suis intolérant au lactose")
    known = {"old": "I'm a backend dev at a small fintech in Porto"}
    assert verdict("je suis intolérant au lactose", known) is None


def test_undoing_is_said_in_the_language_of_the_question(memory: Recollect) -> None:
    memory.chat.say("j'habite à Lyon")
    memory.chat.say("oublie que j'habite à Lyon")
    assert memory.chat.say("annule").answer == "C'est annulé : tout est comme avant."
    assert texts(memory) == {"j'habite à Lyon"}
