"""Whom a question names: other spellings, short names, forms of address, and the subject."""

import pytest

from recollect.engine import Recollect
from recollect.recall.named_people import sound_alike
from recollect.vocabulary.events import Event
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def speakers_of(memory: Recollect, question: str) -> dict[str, float]:
    """How far each author counts as a person whom the question is about."""
    found: dict[str, float] = {}
    for hit in memory.recall(question, kinds="event", explain=True, limit=50):
        assert hit.why is not None
        assert isinstance(hit.item, Event)
        for part in hit.why.parts:
            if part.signal == "speaker":
                found[hit.item.author] = part.value
    return found


def say(memory: Recollect, *turns: tuple[str, str]) -> None:
    for author, text in turns:
        memory.record(text, author=author, stream="talk")


def test_a_name_spelled_otherwise_is_its_author(memory: Recollect) -> None:
    say(memory, ("Muhhamed", "The tournament is on Friday"), ("Fahim", "A tournament, nice"))
    assert speakers_of(memory, "When is the tournament of Muhammad?") == {"Muhhamed": 1.0}


def test_a_name_that_people_use_is_no_other_spelling(memory: Recollect) -> None:
    say(memory, ("Maria", "Mario wins the tournament"), ("Fahim", "A tournament, nice"))
    assert speakers_of(memory, "Which tournament does Mario win?") == {}


def test_a_short_name_is_its_author_unless_it_begins_two(memory: Recollect) -> None:
    say(memory, ("Melanie", "I painted a sunrise"), ("Caroline", "A sunrise, how lovely"))
    assert speakers_of(memory, "What sunrise did Mel paint?") == {"Melanie": 1.0}
    say(memory, ("Melvin", "I painted a sunrise as well"))
    assert speakers_of(memory, "What sunrise did Mel paint?") == {}


def greetings(memory: Recollect, called: str) -> None:
    for number in range(6):
        say(
            memory,
            ("emi", f"I went skiing on slope {number}"),
            ("elise", f"Slope {number} sounds fun {called}!"),
        )


def test_people_are_known_by_what_others_call_them(memory: Recollect) -> None:
    greetings(memory, "Kate")
    assert speakers_of(memory, "On which slope did Kate ski?") == {"emi": 1.0}


def test_somebody_who_is_spoken_of_is_nobody_who_speaks(memory: Recollect) -> None:
    greetings(memory, "since Kate went there with us")
    assert speakers_of(memory, "On which slope did Kate ski?") == {}


def test_a_name_that_a_person_says_too_is_not_theirs(memory: Recollect) -> None:
    greetings(memory, "Kate")
    for number in range(3):
        say(memory, ("emi", f"Slope {number} again, Kate!"), ("elise", "No"))
    assert speakers_of(memory, "On which slope did Kate ski?") == {}


@pytest.mark.parametrize(
    ("question", "weights"),
    [
        ("What advice did Ann give to Bert about the tournament?", {"Ann": 1.0, "Bert": 0.2}),
        ("What did Bert think of the tournament of Ann?", {"Ann": 0.2, "Bert": 1.0}),
        ("Which tournament did Ann and Bert see?", {}),
    ],
)
def test_the_subject_counts_before_others_whom_a_question_names(
    memory: Recollect, question: str, weights: dict[str, float]
) -> None:
    say(memory, ("Ann", "Train for the tournament"), ("Bert", "The tournament is hard"))
    found = speakers_of(memory, question)
    assert found == pytest.approx(weights)


def test_names_that_sound_alike() -> None:
    assert sound_alike("muhammad", "mohammed")
    assert sound_alike("elisa", "elise")
    assert not sound_alike("jean", "john")
    assert not sound_alike("maria", "marta")
