"""Who the people are whom a person has told of."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.answers.mentioned_people import mentioned_people, names_stated


@pytest.mark.parametrize(
    ("texts", "relation", "names"),
    [
        (["My husband Corin is a potter."], "husband", {"corin"}),
        (["We've got two kids: Liv is 9 and Aron is 4."], "kids", {"liv", "aron"}),
        (["My sons are Otto and Piet."], "son", {"otto", "piet"}),
        (
            ["My husband Corin is a potter.", "Corin's parents, Hedda and Lorne, have a farm."],
            "mother-in-law",
            {"hedda", "lorne"},
        ),
        (
            [
                "My husband Corin is a potter.",
                "Corin's parents, Hedda and Lorne, have a farm.",
                "Lorne fell, he is in hospital.",
            ],
            "mother-in-law",
            {"hedda"},
        ),
        (["My brother Jory rings on Sundays.", "Jory and his wife Mabli row."], "sister-in-law",
         {"mabli"}),
        (["My sister Nuria is a cook.", "Nuria has two boys, Gil and Pau."], "nephew",
         {"gil", "pau"}),
        (["My brother Jory rings on Sundays.", "Jory's baby is here: a girl, Senara."], "niece",
         {"senara"}),
        (["The tiler was Casimir."], "tiler", {"casimir"}),
        (["My new manager is Priya Sandhu, she came from Hull."], "boss", {"priya", "sandhu"}),
        (["The class is on Tuesdays."], "class", set()),
    ],
)  # fmt: skip
def test_names_with_what_they_are_to_the_speaker(
    texts: Sequence[str], relation: str, names: set[str]
) -> None:
    assert mentioned_people(texts).get(relation, set()) == names


def test_of_two_children_the_one_that_is_she_is_the_daughter() -> None:
    texts = ["We have two kids, Liv and Aron.", "Liv broke her arm.", "Aron lost his tooth."]
    found = mentioned_people(texts)
    assert found["daughter"] == {"liv"}
    assert found["son"] == {"aron"}


@given(st.lists(st.text(max_size=80), max_size=6))
def test_whatever_is_told_names_are_in_small_letters(texts: list[str]) -> None:
    told = mentioned_people(texts)
    assert all(name == name.lower() for names in told.values() for name in names)
    assert set().union(*told.values()) <= set().union(*map(names_stated, texts))
