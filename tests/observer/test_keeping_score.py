"""What a reader would not keep does not wait for review, and what waits is in readers' order."""

import pytest

from recollect.observer.candidates import Candidate
from recollect.observer.signals.keeping_score import features_of
from recollect.observer.signals.review_queue import FORGOTTEN, rank_of, sureness_of
from tests.observer.acts import Story


def _waiting(story: Story, words: str) -> Candidate:
    found = story.observed().candidates()
    return next(one for one in found if words in str(one.quote))


def _begun() -> Story:
    return Story().prompt("Start the shop").answer("Done.")


def test_words_without_a_point_are_forgotten() -> None:
    story = _begun().prompt("ugh can you get rid of the tests of the totals there :(")
    story.edit("shop/totals.py").answer("Removed them.")

    assert _waiting(story, "get rid").confidence == FORGOTTEN


def test_a_refusal_that_says_what_is_wrong_waits_however_short() -> None:
    story = (
        _begun().call("Edit", "src/cart.py").refuse("no, ugh, this one is unused, don't edit it!")
    )

    assert _waiting(story, "don't edit it").confidence >= 0.5


def test_a_full_lesson_comes_before_a_short_one() -> None:
    full = _begun().prompt("the import of orders loses the currency, why does it lose it?")
    full.edit("orders.py").answer(
        "The issue was that `read_rows` takes the first row for names, so the currency of the "
        "orders is lost when the file has no header. The import of orders now keeps the currency, "
        "because `read_rows` reads the names from the settings of the shop."
    )
    short = _begun().prompt("make the total of the shop blue as in the old list").edit("shop.py")
    short.answer("The total is blue.")

    told = _waiting(full, "loses the currency").confidence
    assert told > _waiting(short, "blue").confidence


def test_the_text_and_the_words_are_features() -> None:
    turn = {"words": "can you drop the tests?", "first": False, "telling": -1.0}
    bare = features_of("The user asked: “can you drop the tests?”", turn, 0.5)
    found = features_of(
        "The tests of `total` fail because it is rounded.\nChanged: `a.py`.", turn, 0
    )

    assert bare["rank"] == 0.5
    assert bare["removes"]
    assert bare["tests"]
    assert bare["nothing_found"]
    assert found["leads_found"]
    assert found["changed"]
    assert not found["nothing_found"]
    assert found["lead_score"] > bare["lead_score"]


@pytest.mark.parametrize("rank", [-3.0, -0.5, 0.0, 2.0])
def test_a_rank_is_read_back_from_a_confidence(rank: float) -> None:
    assert rank_of(sureness_of(rank)) == pytest.approx(rank, abs=0.02)


def test_an_order_of_which_nothing_is_told_but_the_file_is_forgotten() -> None:
    story = _begun().prompt("the totals of the shop could now be printed, I've done the rest of it")
    story.edit("shop/totals.py")

    assert _waiting(story, "I've done the rest").confidence == FORGOTTEN
