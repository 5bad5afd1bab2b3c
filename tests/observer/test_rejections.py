"""What a user rejects is not told of the agent, and a rejected wish says so."""

import pytest

from recollect.observer.signals.rejections import overtaken_by, rejections_in, says_rejected
from recollect.observer.turn_words import is_go_ahead, is_notice
from tests.observer.acts import Story


@pytest.mark.parametrize(
    ("words", "said", "rejected"),
    [
        ("it is a rectangle, not a triangle", "The floor needs a triangle at its edge.", True),
        ("it is a rectangle, not a triangle", "The floor needs a rectangle at its edge.", False),
        ("it is a rectangle, not a triangle", "The triangle was removed from the floor.", False),
        ("no need to shuffle the cards", "The cards are shuffled before each round.", True),
        ("no need to shuffle the cards", "Each round takes one card.", False),
        ("let's go back to not having a delay", "A delay of a second filters the noise.", True),
        ("I removed the second field of the form", "The second field of the form asks it.", True),
        ("j'ai supprimé le champ de la page", "Le champ de la page demande le code.", True),
        ("use maps instead of nested objects", "Nested objects hold the settings.", True),
        ("use maps instead of nested objects", "Maps hold the settings.", False),
        ("I don't want just a small cache", "A small cache holds the rows.", False),
        ("is it a map?", "It is a map of rows.", False),
    ],
)
def test_a_sentence_that_says_what_was_rejected(words: str, said: str, rejected: bool) -> None:
    assert says_rejected(said, rejections_in(words)) is rejected


def test_replacing_something_by_what_is_rejected_says_what_is_rejected() -> None:
    rejections = rejections_in("remove index-based state access")

    assert says_rejected("Replaced the lookup with state access by index.", rejections)
    assert not says_rejected("Replaced state access by index with a lookup.", rejections)


def test_a_wish_that_is_rejected_later_names_the_sentence() -> None:
    later = [
        {"words": "and now the menu", "event": "e2"},
        {"words": "Looks good. No need to shuffle the cards, take any.", "event": "e3"},
    ]

    assert overtaken_by("Please shuffle the cards.", later) == (
        "No need to shuffle the cards, take any.",
        "e3",
    )
    assert overtaken_by("Please draw the table.", later) is None


def test_a_remedy_after_which_the_same_failure_is_pasted_again_is_not_told() -> None:
    failure = (
        "ReferenceError: painter is not defined at sketch (sketch.js:75) at build (page.vue:9)"
    )
    again = "TypeError: painter has no flip at sketch (sketch.js:76) at build (page.vue:9)"
    story = Story().prompt("Draw the sketch").answer("Done.").prompt(failure)
    story.answer("The issue is that `painter` is not declared; declare `painter` in `setup()`.")
    story.prompt(again).answer("The issue is that `setup()` runs after `sketch.js` has read it.")
    found = [one for one in story.observed().candidates() if one.confidence >= 0.5]

    assert not any("declare `painter`" in one.content for one in found)


@pytest.mark.parametrize(
    ("words", "only"),
    [
        ("Implement the plan as specified. Do not edit the plan itself. Finish all to-dos.", True),
        ("Implement the plan, but use a queue instead.", False),
        ("Implement the plan. The header should be blue.", False),
    ],
)
def test_an_order_to_carry_out_a_plan_is_a_go_ahead(words: str, only: bool) -> None:
    assert is_go_ahead(words) is only


def test_a_notice_of_a_program_is_no_turn_of_a_user() -> None:
    notice = "<system_notification>\nThe task has ended. Never repeat it.\n</system_notification>"

    assert is_notice(notice)
    assert not is_notice("<user_query>use pnpm, not npm</user_query>")
    assert not is_notice("<div> is not closed here")
    begun = Story().prompt("Add a cart").answer("Done.")
    told = begun.prompt(notice).answer("Noted.").observed().candidates()
    assert not any("notification" in one.content for one in told)
