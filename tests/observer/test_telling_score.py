"""What a turn is told for: its forms of language, its outcome, and what overtakes it."""

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.promotion import Judge
from recollect.observer.signals.telling import told_beside
from recollect.observer.signals.telling_score import NORM, features_of
from recollect.observer.signals.turn_candidates import annotated
from tests.observer.acts import Story


def begun() -> Story:
    return Story().prompt("Add a cart").edit("a.py").answer("Done.")


def told(story: Story) -> list[Candidate]:
    found = Judge().judge(story.observed().candidates(), {}, []).promoted
    return [one for one in found if not one.needs_review]


def score(story: Story) -> float:
    return float(annotated(story.observed().turns())[-1]["telling"])


@pytest.mark.parametrize(
    "words",
    [
        "have in mind that a cart can exist without an owner",
        "we should use the typed amount wherever we can",
        "the idea is that people continue on another device",
        "it doesn't make sense to commit a broken state",
        "legacy_rates is being phased out in favor of rates",
    ],
)
def test_what_is_laid_down_is_a_norm(words: str) -> None:
    assert NORM.search(words)


@pytest.mark.parametrize(
    "words", ["can you add a test for this?", "yes, let's do option 2", "show the branch too"]
)
def test_what_is_ordered_for_now_is_no_norm(words: str) -> None:
    assert NORM.search(words) is None


def test_a_norm_that_was_agreed_to_scores_higher_than_an_order() -> None:
    agreed = "You're right, the export should not touch the cart of another owner."
    norm = begun().prompt("the export should not touch the cart of another owner").edit("b.py")
    order = begun().prompt("can you show the export of the cart again?").edit("b.py")

    assert score(norm.answer(agreed)) > 0 > score(order.answer("Done."))


def test_words_of_a_norm_are_told_with_the_sentence_that_agrees() -> None:
    story = begun().prompt("the export should not touch the cart of another owner in export.py")
    story.answer("You're right, `export_cart` should only read the cart of its own owner.")
    story.edit("export.py").answer("Done.")

    (one,) = told(story)

    assert "“the export should not touch the cart of another owner in export.py”" in one.content
    assert "The agent agreed: `export_cart` should only read the cart of its" in one.content
    assert "`export.py`" in one.content


def test_a_refused_command_with_an_order_is_told_with_the_command() -> None:
    story = (
        begun().call("Bash", command="git stash").refuse("do not stash anything, read the files")
    )

    (one,) = told(story)

    assert "`git stash`" in one.content
    assert "“do not stash anything, read the files”" in one.content


def test_a_question_at_a_refused_command_is_not_told() -> None:
    story = begun().call("Bash", command="git stash").refuse("what does this stash?")

    assert told(story) == []


def test_an_open_question_in_the_form_of_a_statement_is_not_told() -> None:
    story = begun().prompt("I wonder how users should set `API_KEY`, they won't have it any more")
    story.edit("b.py").answer("Good point, users should get `API_KEY` from the settings.")

    assert told(story) == []


def test_second_thoughts_about_the_same_file_overtake_what_was_told() -> None:
    story = begun().prompt("the export should not write `rates.csv` in export.py any more")
    story.edit("export.py").answer("You're right, `rates.csv` should not be written by the export.")
    (before,) = told(story)

    story.prompt("but I'm wondering now, the shop reads it").edit("export.py")
    story.answer("Good catch, the shop depends on it.")

    assert "rates.csv" in before.content
    assert all("should not write" not in one.content for one in told(story))


@pytest.mark.parametrize(
    "words",
    [
        "- holidays should always be centered - the text is hard to read - remove the totals",
        "can you make it so the lamp always goes to scene 2 for now",
        "still broken, I ran the install, it printed: npm warn deprecated glob@7.2.3",
    ],
)
def test_a_rule_of_the_product_that_nobody_confirmed_waits(words: str) -> None:
    story = begun().prompt(words).edit("b.py").answer("Done, it is as you asked.")

    assert all(words[:30] not in one.content for one in told(story.prompt("thanks")))


def test_short_words_are_told_with_what_they_reply_to() -> None:
    story = begun().prompt("is `RateTable` used anywhere?")
    story.answer("`RateTable` is only used by the old import.")
    story.prompt("drop it completely, no need to keep it deprecated").edit("rates.py").answer(
        "Done."
    )

    texts = [one.content for one in told(story)]

    assert any(
        "The agent had said: “`RateTable` is only used by the old import.”" in one for one in texts
    )


def test_the_outcome_of_a_turn_is_among_its_features() -> None:
    story = begun().prompt("the rates should not be rounded twice").edit("b.py")
    story.answer("You're right, the rates should not be rounded twice by `total`.")

    found = features_of(annotated(story.observed().turns())[-1])

    assert {"norm", "tells", "changed_code", "conceded", "said_again", "after_done"} <= found


@pytest.mark.parametrize(
    "opening",
    ["", "maybe ", "let's think about this: "],
)
def test_a_norm_is_told_and_a_thought_about_it_is_not(opening: str) -> None:
    words = f"{opening}the export should not touch the cart of another owner in export.py"
    story = begun().prompt(words)
    story.answer("You're right, `export_cart` should only read the cart of its own owner.")
    story.edit("export.py").answer("Done.")

    assert bool(told(story)) is (opening == "")


@pytest.mark.parametrize("situation", [frozenset[str](), frozenset({"edited_again"})])
def test_a_report_is_told_only_where_nothing_took_the_matter_up_again(
    situation: frozenset[str],
) -> None:
    story = begun().prompt("the export should not touch the cart of another owner in export.py")
    story.edit("export.py").answer("The export now skips the cart of another owner.")
    turn = {**annotated(story.observed().turns())[-1], "situation": situation}

    assert ("The agent reported: " in told_beside(turn, ())) is (not situation)
