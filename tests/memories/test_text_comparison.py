"""What tells two claims apart however near their words, and what does not."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.static_embedder import StaticEmbedder
from recollect.memories.contradictions.judge import contradiction
from recollect.memories.contradictions.statements import shared_words, statement
from recollect.memories.text_comparison import alike, may_share_word, read

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
    with patch("recollect.memories.text_comparison._may_contain", return_value=True):
        assert read.__wrapped__(text) == shortcut


_STATEMENTS = st.one_of(
    _WORDS_AND_MARKS,
    st.lists(
        st.sampled_from(
            "deploy deploys deployment Deployed depot staging stage production v2 v3 2024 fa "
            "camelCase CamelCaseName max_retries src/app.py app.py run() f('s) l'été it's-me a-b "
            "nvim ~/.config/nvim #ops @ada `make` dead-ends, but and; équipe équipes (five) don't "
            "keeps store holds never not no is the".split()
        ),
        max_size=9,
    ).map(" ".join),
    st.text(st.sampled_from("abcdé fs12 '\u2019.,:-_/`()@# "), max_size=24),
)


@given(_STATEMENTS, _STATEMENTS)
def test_texts_said_to_share_no_word_share_none_and_do_not_contradict(one: str, other: str) -> None:
    if not may_share_word(one, other):
        assert not list(shared_words(statement(one), statement(other)))
        assert contradiction(one, other, WORDS) is None


def test_texts_without_a_common_word_are_told_apart_at_once() -> None:
    assert not may_share_word("The cache keeps answers.", "Staging is reset every night.")
    assert may_share_word("Staging is reset every night.", "We deploy to staging first.")
    assert may_share_word("The team deploys daily.", "A deployment takes an hour.")
    assert may_share_word("See src/app.py.", "The cache keeps answers.")  # not looked at closely
