"""What an agent stated of a failure is no finding when the user reports the same failure again."""

import pytest

from recollect.observer.turn_words import has_not_helped
from tests.observer.acts import Story

_PASTED = (
    "POST http://localhost:9000/api/v2/parcels/7/labels/print answers "
    "[HTTP/1.1 409 Conflict 31ms] when I press the button of the label printer"
)
_CAUSE = "The cause is that `LabelQueue` locks the parcel twice, so the second lock is a conflict."


def _answered() -> Story:
    story = Story().prompt("Start the shop").answer("Done.")
    return story.prompt(_PASTED).edit("labels.py", "lock()", "").answer(_CAUSE)


def _states_the_cause(story: Story) -> bool:
    return any("LabelQueue" in one.content for one in story.observed().candidates())


def test_what_mended_a_failure_is_stated() -> None:
    assert _states_the_cause(_answered().prompt("now add a button for the invoice").answer("Done."))


@pytest.mark.parametrize("between", [0, 1, 2])
def test_a_cause_is_no_finding_when_the_same_failure_is_pasted_again(between: int) -> None:
    story = _answered()
    for _ in range(between):
        story.prompt("start the server of the shop again").answer("It runs.")
    story.prompt(_PASTED.replace("31ms", "54ms")).answer("I look at the log.")

    assert not _states_the_cause(story)


def test_another_failure_says_nothing_of_the_first() -> None:
    story = _answered()
    story.prompt("GET http://localhost:9000/invoices answers [HTTP/1.1 404 Not Found 3ms]")

    assert _states_the_cause(story.answer("The route is missing."))


def test_advice_that_did_not_help_is_no_finding() -> None:
    story = Story().prompt("Start the shop").answer("Done.").prompt(_PASTED).answer(_CAUSE)
    assert _states_the_cause(story)

    assert not _states_the_cause(story.prompt("That changed nothing. What else?"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("that weirdly did not do it", True),
        ("It didn't do anything", True),
        ("this made no difference", True),
        ("hm, nothing changed", True),
        ("it did not do the export of orders yet", False),
        ("show what changed", False),
    ],
)
def test_words_for_a_change_that_did_not_help(words: str, *, expected: bool) -> None:
    assert has_not_helped(words) is expected
