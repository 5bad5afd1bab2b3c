"""A value that is said anew right after it was told takes the place of the first one alone."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.chat.updates.value_exchange import exchanged_value, gives_a_value
from recollect.engine import Recollect
from recollect.vocabulary.personal import Outcome

NOON = datetime(2025, 6, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("old", "said", "whole"),
    [
        ("I weigh 82 kilos", "with shoes on lol. 80 without", "I weigh 80 kilos"),
        ("my son is in year 4", "god, year 5. time flies", "my son is in year 5"),
        ("Grandpa was born in 1938", "Mum says 1936", "Grandpa was born in 1936"),
        (
            "We rehearse on Tuesdays and Thursdays",
            "I said Thursdays but it's Fridays",
            "We rehearse on Tuesdays and Fridays",
        ),
        (
            "My brother lives in Utrecht with his cat",
            "I keep saying Utrecht, it's Eindhoven",
            "My brother lives in Eindhoven with his cat",
        ),
        ("our anniversary is June 12", "he says it's the 21st", "our anniversary is June 21st"),
        ("on met chacun 15 euros", "ah zut : vingt euros par tête", "on met chacun vingt euros"),
        ("My manager is Colin", "no no, Colin left in spring. It's Bea", "My manager is Bea"),
    ],
)
def test_a_value_alone_is_exchanged(old: str, said: str, whole: str) -> None:
    assert exchanged_value(old, said, taken_back=False) == whole


@pytest.mark.parametrize(
    ("old", "said", "whole"),
    [
        (
            "The party is at Sophie's house",
            "at Emma's house, Sophie is away",
            "The party is at Emma's house",
        ),
        (
            "My dentist is Dr Vasseur, rue Pasteur",
            "c'est rue Voltaire, je confonds toujours",
            "My dentist is Dr Vasseur, rue Voltaire",
        ),
        ("two puffs of the blue one", "one puff, not two", "one puffs of the blue one"),
        (
            "my blood group is A negative",
            "I found the card and it's O negative",
            "my blood group is O negative",
        ),
        (
            "The lease is for unit 14B, 1,340 a month",
            "14D",
            "The lease is for unit 14D, 1,340 a month",
        ),
        ("we meet at the fountain", "closed, so at the clock tower", "we meet at the clock tower"),
    ],
)
def test_what_is_taken_back_is_found_by_its_kind_or_its_place(
    old: str, said: str, whole: str
) -> None:
    assert exchanged_value(old, said, taken_back=True) == whole


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("I'm meeting Sam at 5", "I'll be back by 8"),
        ("my dentist is on the 3rd", "and the vet on the 5th"),
        ("I pick for aisle nine", "three!! and my boss not even one"),
        ("it's Tunde and Blessing that assist me", "Shorter. She's not my pastor."),
        ("I have 3 cats", "can you give me 5 names?"),
        ("I have 3 cats", "make that one sentence"),
    ],
)
def test_what_tells_something_else_exchanges_nothing(old: str, said: str) -> None:
    assert exchanged_value(old, said, taken_back=False) is None


def test_only_a_short_message_with_a_value_is_looked_at() -> None:
    assert gives_a_value("argh 38")
    assert not gives_a_value("I've got 38 hens and a duck")
    assert not gives_a_value("is it 38?")


def test_the_entry_keeps_the_rest_and_points_at_both_messages(memory: Recollect) -> None:
    memory.chat.hear("We pay 640 euros a month for daycare", at=NOON)
    heard = memory.chat.hear("nope, checked the bill: 685", at=NOON + timedelta(minutes=2))
    assert heard.statements[0].outcome is Outcome.REPLACED
    answer = memory.chat.ask("how much do we pay for daycare?", at=NOON + timedelta(days=9))
    assert answer.text == "We pay 685 euros a month for daycare"
    (entry,) = memory.chat.entries(limit=10).items
    assert len(entry.memory.provenance.events) == 2


def test_a_value_the_next_day_is_no_correction(memory: Recollect) -> None:
    memory.chat.hear("my locker is number 218", at=NOON)
    memory.chat.hear("281", at=NOON + timedelta(days=1))
    answer = memory.chat.ask("which locker is mine?", at=NOON + timedelta(days=9))
    assert answer.text == "my locker is number 218"


def test_a_call_and_what_goes_on_with_it_are_one_entry(memory: Recollect) -> None:
    memory.chat.hear("I teach maths at St Brendan's", at=NOON)
    memory.chat.hear(
        "Second week at the Tidewater museum! I'm the education officer here",
        at=NOON + timedelta(days=90),
    )
    answer = memory.chat.ask("what's my current job?", at=NOON + timedelta(days=99))
    assert "education officer" in answer.text
    assert "Tidewater" in answer.text


@pytest.mark.parametrize(
    ("old", "new", "question", "value"),
    [
        (
            "I go to the gym on Mondays",
            "gym schedule is Tuesdays and Saturdays from this week on",
            "which days do I go to the gym?",
            "Tuesdays",
        ),
        (
            "J'habite à Niort, au rez-de-chaussée",
            "Me voilà installée à Bayonne, troisième étage",
            "J'habite où maintenant ?",
            "Bayonne",
        ),
        (
            "I'm with Lloyds for the current account",
            "after 22 years I've moved all my banking to Nationwide",
            "who do I bank with?",
            "Nationwide",
        ),
    ],
)
def test_of_entries_that_fit_alike_the_later_answers(
    memory: Recollect, old: str, new: str, question: str, value: str
) -> None:
    memory.chat.hear(old, at=NOON)
    memory.chat.hear(new, at=NOON + timedelta(days=60))
    assert value in memory.chat.ask(question, at=NOON + timedelta(days=90)).text
