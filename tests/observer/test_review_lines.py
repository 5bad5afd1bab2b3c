"""What a person who reviews reads: the lesson first, little evidence, and what became of it."""

from typing import Any

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.signals.overtaken import replaced_by
from recollect.observer.signals.review_lines import is_suggestion
from tests.observer.acts import Story


def _waiting(story: Story) -> list[Candidate]:
    found = story.observed().candidates()
    return [one for one in found if one.needs_review and one.confidence >= 0.45]


def _texts(story: Story) -> str:
    return "\n".join(one.content for one in _waiting(story))


def _begun() -> Story:
    return Story().prompt("Start the shop").answer("Done.")


def test_the_evidence_leaves_out_rows_passing_tests_and_bare_names() -> None:
    story = _begun().prompt("the import of orders loses the currency, can you look at it?")
    story.edit("orders.py")
    story.answer(
        "The issue was that `read_rows` takes the first row for names, so the currency is lost "
        "when the file has no header.\n"
        "All tests pass and the linter is clean now.\n"
        "| File | Rows |\n|---|---|\n| `orders.py` | 12 |\n"
        "`shop/orders.py`.\n"
        "orders.py:12 - the first row of the file was skipped there."
    )
    text = _texts(story)

    assert text.startswith("The issue was that `read_rows` takes the first row")
    assert "All tests pass" not in text
    assert " · " not in text
    assert "`shop/orders.py`." not in text
    assert "orders.py:12" not in text


def test_at_most_six_sentences_stand_behind_the_lesson() -> None:
    story = _begun().prompt("why do totals differ between the cart and the bill of the shop?")
    story.edit("bill.py")
    things = ("cart", "bill", "rate", "coupon", "refund", "parcel", "voucher", "receipt", "ledger")
    story.answer(
        "\n".join(
            f"The `{name}_total` is rounded by `{name}_round` because its {name} never keeps cents."
            for name in things
        )
    )
    text = _texts(story)

    assert 1 <= text.count("never keeps cents") <= 9
    assert text.count("never keeps cents") < len(things)


def test_an_option_of_talk_is_a_suggestion_and_a_finding_is_not() -> None:
    assert is_suggestion("Threshold-based - Only for changes above a certain size.")
    assert is_suggestion("Nested inside the shop: Modify the cart to know its parcels.")
    assert not is_suggestion("The cart keeps its parcels because the shop forgets them.")
    assert not is_suggestion("`read_rows` takes the first row for names.")


def test_talk_that_nobody_followed_does_not_wait_for_review() -> None:
    story = _begun().prompt("what would be a way to draw really large maps? cut them into tiles?")
    story.answer(
        "Tiles by zoom - Cut the map when it is drawn.\nTiles by area - Cut it when it is read."
    )
    story.prompt("let's leave this for later")

    assert "large maps" not in _texts(story)


def test_talk_in_which_the_agent_gave_way_still_waits_for_review() -> None:
    story = _begun().prompt("the map must never be drawn before the tiles are read, must it?")
    story.answer("You're right, the map needs its tiles first because it has no size before.")

    assert "never be drawn before the tiles" in "\n".join(
        one.content for one in story.observed().candidates() if one.confidence >= 0.45
    )


def test_an_order_of_which_nothing_is_known_does_not_wait_for_review() -> None:
    story = _begun().prompt("can you make a copy of the script for the scenario of two carts?")
    story.edit("copy.sh").answer("Done.")

    assert "a copy of the script" not in _texts(story)


@pytest.mark.parametrize(
    "later", ["ok let's do `Total: 3`", "hmm, what about `Total = 3` for the label"]
)
def test_what_replaces_a_wish_at_once_is_read_first(later: str) -> None:
    story = _begun().prompt('How about the label "Sum> " instead of "Sum: " for the total?')
    story.edit("label.py")
    story.answer("The `>` sets the sum off from the label, so that colons in names are no issue.")
    story.prompt(later).edit("label.py").answer("Done. The `label` shows the total as wanted now.")
    found = [one for one in _waiting(story) if "Sum>" in one.content]

    assert [one.content.startswith(f"Later the user said: “{later}”") for one in found] == [True]


def test_another_change_of_the_same_file_replaces_nothing() -> None:
    story = _begun().prompt('How about the label "Sum> " instead of "Sum: " for the total?')
    story.edit("label.py")
    story.answer("The `>` sets the sum off from the label, so that colons in names are no issue.")
    story.prompt("and can you sort the rows by date?").edit("label.py").answer("Sorted.")
    found = [one for one in _waiting(story) if "Sum>" in one.content]

    assert found
    assert not any(one.content.startswith("Later the user said") for one in found)


def test_a_refused_command_that_the_words_do_not_speak_of_is_left_out() -> None:
    story = _begun().call("Bash", command="git commit -m 'wip'")
    story.refuse("I think the kinds of parcels should stand apart for clarity, shouldn't they?")
    story.edit("parcels.py").answer("Done, each kind of parcel has its own class now.")
    text = "\n".join(one.content for one in story.observed().candidates())

    assert "should stand apart for clarity" in text
    assert "git commit" not in text


def test_what_readers_are_likelier_to_keep_comes_first_and_stays_below_what_is_told() -> None:
    story = _begun().prompt("the import of orders loses the currency, can you look at it?")
    story.edit("orders.py")
    story.answer(
        "The issue was that `read_rows` takes the first row for names, so the currency is lost "
        "when the file has no header."
    )
    story.prompt("maybe we could print the rows somehow, not sure, what might be nice there?")
    story.edit("rows.py")
    story.answer("It might be nice to print them, probably with a colour. Printed the `rows` now.")
    sure = {one.content: one.confidence for one in _waiting(story)}
    cause = next(value for text, value in sure.items() if "first row for names" in text)

    assert cause == max(sure.values())
    assert all(0.5 <= value <= 0.53 for value in sure.values())


def test_a_refused_command_that_the_words_speak_of_stays() -> None:
    story = _begun().call("Bash", command="git push origin parcels")
    story.refuse("why would you push the parcels now, is anything of them needed there?")
    text = "\n".join(one.content for one in story.observed().candidates())

    assert "git push origin parcels" in text


def test_what_was_wrong_stands_beside_what_holds_now() -> None:
    story = _begun().prompt("the import of orders should keep the currency of each order")
    story.answer(
        "The problem is that the import of orders drops the currency because `parse_rows` never "
        "reads it."
    )
    story.edit("rows.py")
    story.answer("The import of orders keeps the currency: `parse_rows` reads it from the header.")
    text = _texts(story)

    assert "Before the change: The problem is that the import of orders drops" in text
    assert text.count("never reads it") == 1


def test_remarks_of_that_moment_are_no_evidence() -> None:
    story = _begun().prompt("the total of the bill should be rounded once, at its end")
    story.edit("bill.py")
    story.answer(
        "`round_total` rounds the total of the bill once, at its end, because each line kept "
        "cents.\n"
        "If you want more places of the total, let me know.\n"
        "Added unused imports of the bill and its total.\n"
        "2b5aa54 - the total of the bill is rounded once now."
    )
    text = _texts(story)

    assert "rounds the total of the bill once" in text
    assert "let me know" not in text
    assert "unused imports" not in text
    assert "2b5aa54" not in text


def test_a_guess_in_talk_is_no_evidence() -> None:
    story = _begun().prompt("the bill of the shop must never round its total twice, does it?")
    story.answer(
        "The bill of the shop rounds its total twice because `round_total` is called by the cart "
        "as well.\n"
        "The total of the shop probably comes from an older file of the bill."
    )
    text = _texts(story)

    assert "called by the cart" in text
    assert "older file" not in text


def test_a_file_that_was_merely_open_is_no_place_of_talk() -> None:
    story = _begun().read("src/weather.py").read("src/bill.py")
    story.prompt("are we sure that the total of the bill is rounded only once?")
    story.answer("You're right: the total of the bill is rounded once, because lines keep cents.")
    text = _texts(story)

    assert "src/weather.py" not in text
    assert text.count("otal of the bill is rounded once, because") == 1


def _turn(words: str, *edited: str) -> dict[str, Any]:
    return {"words": words, "edited": list(edited)}


def test_what_replaces_a_replacement_holds() -> None:
    wish = _turn('we should show the label "Sum: " before the total of the bill', "bill.py")
    instead = _turn("how about the label `Sum>` for the total of the bill instead?", "bill.py")
    talk = _turn("thanks, and what is a voucher of the shop?")
    last = _turn("ok let's do the label `Total` for the total of the bill instead", "bill.py")

    assert replaced_by(wish, [instead, talk, last]) == last
    assert replaced_by(wish, [talk, talk, last]) is None
    assert replaced_by(wish, [instead, talk, talk, last]) == instead
