"""What was said of names that the session removed is not told as if they stood."""

import pytest

from recollect.observer.observer import Observer
from recollect.observer.signals.gone_names import GoneNames, speaks_of_gone
from tests.observer.acts import Story


def test_a_declaration_that_is_removed_is_gone_and_one_that_moved_is_not() -> None:
    names = GoneNames()
    names.edited("shop/cart.py", {"old_string": "def add_tax(x):\n", "new_string": ""})
    names.edited("shop/cart.py", {"old_string": "def round_up(x):\n", "new_string": ""})
    names.edited("shop/money.py", {"content": "def round_up(x):\n    return x\n"})

    assert names.gone() == {"add_tax"}


def test_a_renamed_declaration_is_gone_and_one_that_came_back_is_not() -> None:
    names = GoneNames()
    names.edited("a.go", {"old_string": "func readRows() {", "new_string": "func scanRows() {"})
    names.edited("b.ts", {"old_string": "const limit = 1", "new_string": ""})
    names.edited("b.ts", {"old_string": "", "new_string": "const limit = 2"})

    assert names.gone() == {"readrows"}


def test_a_file_that_is_written_again_loses_what_it_does_not_hold() -> None:
    names = GoneNames()
    names.edited("a.py", {"content": "class Painter:\n    pass\n"})
    names.edited("a.py", {"content": "class Drawer:\n    pass\n"})

    assert names.gone() == {"painter"}


def test_a_call_that_is_edited_away_removes_no_declaration() -> None:
    names = GoneNames()
    names.edited("a.py", {"old_string": "total = add_tax(x)", "new_string": "total = x"})
    names.edited("b.py", {"edits": [{"old_string": "add_tax(y)", "new_string": ""}, "nonsense"]})

    assert names.gone() == frozenset()


def test_the_names_survive_a_checkpoint() -> None:
    names, later = GoneNames(), GoneNames()
    names.edited("a.py", {"old_string": "def add_tax(x):", "new_string": ""})
    later.resume(names.state())

    assert later.gone() == {"add_tax"}


@pytest.mark.parametrize(
    ("sentence", "stale"),
    [
        ("`addTax` rounds before it multiplies.", True),
        ("The total is wrong because `money.addTax()` rounds first.", True),
        ("Removed `addTax`, because nothing calls it.", False),
        ("`addTax` was replaced by a table of rates.", False),
        ("`addTip` rounds before it multiplies.", False),
        ("The tax is added last.", False),
    ],
)
def test_a_sentence_that_speaks_of_what_is_gone(sentence: str, stale: bool) -> None:
    assert speaks_of_gone(sentence, frozenset({"addtax"})) is stale


def test_what_was_said_of_a_function_that_the_session_removed_does_not_wait_for_review() -> None:
    story = Story().prompt("Start").answer("Done.")
    story.prompt("the totals of the cart are wrong for two items, why is that?")
    story.edit("cart.py", "", "def addTax(x):\n    return x\n")
    story.answer(
        "The issue was that the cart sums floats, because the parser never converts the totals. "
        "`addTax()` must be called for both items of the cart before they are summed."
    )
    before = _texts(story)
    story.prompt("let us keep the rates in a table").edit("cart.py", "def addTax(x):", "RATES = {}")
    after = _texts(story)

    assert "`addTax()` must be called" in before
    assert "`addTax()` must be called" not in after
    assert "never converts the totals" in after


def test_a_session_goes_on_after_a_checkpoint_with_the_same_names() -> None:
    story = Story().prompt("Start").edit("a.py", "def addTax(x):", "def addRate(x):")
    kept = Observer.restore(story.observed().checkpoint())

    assert kept.checkpoint() == story.observed().checkpoint()


def _texts(story: Story) -> str:
    return "\n".join(one.content for one in story.observed().candidates() if one.confidence >= 0.45)
