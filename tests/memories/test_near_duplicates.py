"""What tells two claims apart however near their words, and what does not."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.static_embedder import StaticEmbedder
from recollect.memories.near_duplicates import alike, read

WORDS = StaticEmbedder().word_vectors


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I moved from Oslo to Bergen.", "I moved from Bergen to Oslo."),
        ("The queue is drained before a deploy.", "The queue is drained after a deploy."),
        ("I sold my bike to Karim.", "Karim sold his bike to me."),
        ("Eat less salt.", "Eat more salt."),
        ("My first child was born in 2015.", "My last child was born in 2015."),
        ("The sprint starts on Mondays.", "The sprint ends on Mondays."),
        ("The invoice must be sent before the 5th.", "The invoice must be paid before the 5th."),
        ("Enable the cache.", "Disable the cache."),
    ],
)
def test_what_is_turned_around_is_another_claim(one: str, other: str) -> None:
    assert not alike(one, other, WORDS)
    assert not alike(other, one, WORDS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I broke my wrist in 2019.", "In 2019 my wrist was broken."),
        ("Nadia leads the team.", "The team is led by Nadia."),
        ("I don't like loud bars.", "I dislike loud bars."),
        ("I gave up smoking in March.", "I quit smoking in March."),
        ("My sister sings in a choir.", "My sister is a singer in a choir."),
        ("Flying scares me.", "I'm afraid of flying."),
    ],
)
def test_other_forms_of_the_same_words_are_one_claim(one: str, other: str) -> None:
    assert alike(one, other, WORDS)
    assert alike(other, one, WORDS)


_WORDS_AND_MARKS = st.lists(
    st.sampled_from(
        "i we me us to from before than over instead of rather not never without any up bed out "
        "aside train take the prefer préfère au à la plutôt que like enjoy love can stand are "
        "frozen give run Oslo l'over up'n don't tea 4 , . -".split()
    ),
    max_size=14,
).map(" ".join)


@given(_WORDS_AND_MARKS)
def test_a_pattern_that_is_passed_over_would_not_have_matched(text: str) -> None:
    shortcut = read.__wrapped__(text)
    with patch("recollect.memories.near_duplicates._may_contain", return_value=True):
        assert read.__wrapped__(text) == shortcut
