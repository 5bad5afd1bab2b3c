"""Whose topic it is: whoever says "my dog", and not whoever admires it."""

import pytest

from recollect.research.topic_speakers import NOBODY, FoundPassage, tells_of_author, topic_share
from recollect.vocabulary.events import Event, EventKind
from tests.research.conversation import START

ADA, BERT = frozenset({"Ada"}), frozenset({"Bert"})


def passages(*said: tuple[str, str]) -> list[FoundPassage]:
    """Messages in the order of a search, each scoring a little less than the one before."""
    return [
        FoundPassage(
            Event(
                f"evt_{place}",
                "spc",
                "str",
                EventKind.MESSAGE,
                author,
                text,
                {},
                None,
                START,
                START,
            ),
            0.8 - place / 100,
        )
        for place, (author, text) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("I walk my dog every morning.", "You walk your dog every morning."),
        ("The dog is brown.", "Your dog is brown."),
        ("We adopted a dog.", "Did we adopt a dog?"),
        ("J'ai adopt\u00e9 mon chien.", "Tu as adopt\u00e9 ton chien."),
    ],
)
def test_a_sentence_tells_of_its_author_by_how_it_speaks(more: str, less: str) -> None:
    assert 0 <= tells_of_author(less) < tells_of_author(more) <= 1


def test_whoever_says_my_holds_the_topic_and_who_admires_it_does_not() -> None:
    found = passages(
        ("Bert", "Your dog looks so happy! What is the name of your dog?"),
        ("Ada", "Thanks! My dog is called Rex, I adopted him in May."),
    )
    words = ["name", "dog"]

    ada, bert = topic_share(ADA, found, words, None), topic_share(BERT, found, words, None)

    assert ada.held > 0.5 > bert.held
    assert ada.margin > 0 > bert.margin
    assert ada.margin == pytest.approx(-bert.margin)


def test_only_the_sentence_that_is_near_is_read() -> None:
    aside = "I slept badly and I missed my train and I lost my keys. "
    near = passages(("Ada", "My dog barked."), ("Bert", aside + "Your dog barked."))
    far = passages(("Ada", "My dog barked."), ("Bert", aside + "My dog barked."))

    assert topic_share(ADA, near, ["dog"], None).held > topic_share(ADA, far, ["dog"], None).held


def test_of_one_who_says_nothing_of_it_nothing_is_held() -> None:
    found = passages(("Ada", "My dog barked."), ("Ada", "I walk the dog."))

    assert topic_share(BERT, found, ["dog"], None).held == 0
    assert topic_share(ADA, found, ["dog"], None).held == 1


def test_words_that_stand_nowhere_decide_nothing_by_nearness() -> None:
    found = passages(("Ada", "Hello."), ("Bert", "Hello."))

    told = topic_share(ADA, found, ["zebra"], None)

    assert (told.margin, told.others) == (NOBODY.margin, NOBODY.others)
