"""A model's answer keeps what rests on passages; everything else is struck out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.research.checked_answer import checked, renumbered

PASSAGES = ["Ada moved to Lisbon in May.", "Bert adopted a cat.", "Deploys run on Friday."]


def test_sentences_with_citations_stand() -> None:
    found = checked("Ada lives in Lisbon [1]. Deploys are on Friday [3].", PASSAGES)

    assert found.sentences == ("Ada lives in Lisbon [1].", "Deploys are on Friday [3].")
    assert (found.cited, found.struck) == ((1, 3), 0)
    assert renumbered(found.sentences, found.cited) == (
        "Ada lives in Lisbon [1].",
        "Deploys are on Friday [2].",
    )


@pytest.mark.parametrize(
    "answer",
    [
        "Ada lives in Lisbon [9].",
        "Ada lives in Lisbon.",
        "Ada lives in Lisbon [0].",
        "Ada said \u201cLisbon is the best of all\u201d [1].",  # not her words
        "The moon is made of cheese [1].",  # nothing of it stands there
        "",
        "[1]",
    ],
)
def test_what_rests_on_nothing_is_struck_out(answer: str) -> None:
    assert checked(answer, PASSAGES).sentences == ()


def test_a_citation_of_what_is_not_there_goes_and_the_others_stay() -> None:
    found = checked("Ada moved to Lisbon [1][9]. Bert has a cat [2, 7].", PASSAGES)

    assert found.sentences == ("Ada moved to Lisbon [1].", "Bert has a cat [2].")
    assert found.struck == 2


def test_real_quotes_stand() -> None:
    answer = "She \u201cmoved to Lisbon in May\u201d [1]."
    assert checked(answer, PASSAGES).sentences == (answer,)


@given(st.text(alphabet="Ada Lisbon [0129],.\u201c\u201d\n", max_size=300))
def test_whatever_is_said_only_passages_are_cited(answer: str) -> None:
    found = checked(answer, PASSAGES)

    assert set(found.cited) <= {1, 2, 3}
    for sentence in renumbered(found.sentences, found.cited):
        assert "[" in sentence
