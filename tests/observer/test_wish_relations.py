"""A user's later wish and an earlier one: the same, in its place, against it, or beside it."""

import pytest

from recollect.inference.static_embedder import StaticEmbedder
from recollect.observer.wish_relations import WishRelation, related

PNPM = "please always use pnpm here"
VECTORS = StaticEmbedder().word_vectors


def noted(words: str, about: str = "") -> str:
    return f"The user said: “{words}”" + (f"\n{about}" if about else "")


def relation(old: str, new: str) -> WishRelation | None:
    return related(noted(old), noted(new), VECTORS)


@pytest.mark.parametrize(
    "said",
    [
        "always use pnpm here, please",
        "from now on use pnpm in this project",
        "use pnpm, not npm",
        "we use pnpm here, never npm",
    ],
)
def test_the_same_wish_in_other_words(said: str) -> None:
    assert relation(PNPM, said) is WishRelation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PNPM, "we moved: please always use yarn here from now on, not pnpm"),
        (PNPM, "stop using pnpm, we use yarn now"),
        (PNPM, "don't use pnpm any more"),
        ("use pnpm, not npm", "we switched from pnpm to yarn, please use yarn"),
        ("use tabs instead of spaces", "use spaces instead of tabs"),
        (
            "never push to main without asking me",
            "you may push to main without asking from now on",
        ),
        (
            "never edit schema.py by hand",
            "edit schema.py by hand from now on, the generator is gone",
        ),
    ],
)
def test_a_wish_that_takes_an_earlier_one_s_place(old: str, new: str) -> None:
    assert relation(old, new) is WishRelation.REPLACES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PNPM, "please always use yarn here"),
        ("in the backend use pnpm", "we moved to yarn, not pnpm"),
    ],
)
def test_wishes_of_which_neither_certainly_holds(old: str, new: str) -> None:
    assert relation(old, new) is WishRelation.AGAINST


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PNPM, "in the docs folder use yarn, not pnpm"),
        (PNPM, "use requests, not httpx"),
        ("always run the tests before committing", "always run the linter before committing"),
        ("don't use mocks", "from now on use mocks in the unit tests"),
        ("use the new client, not the old one", "use requests, not httpx"),
        (
            'make it "Prompt> " instead of "Prompt: "',
            "we have the file handle, can we read it to get the prompt instead of sleeping?",
        ),
        (PNPM, "can we use yarn, not pnpm, from now on?"),
        ("keep the first one", "keep the first one from now on in the report"),
    ],
)
def test_wishes_that_hold_beside_each_other(old: str, new: str) -> None:
    assert relation(old, new) is None


def test_words_that_point_are_the_same_only_about_the_same() -> None:
    here = noted("don't do that", "Refused: editing `src/a.py`.")
    there = noted("don't do that", "Refused: running `git push`.")

    assert related(here, here, VECTORS) is WishRelation.SAME
    assert related(here, there, VECTORS) is None
