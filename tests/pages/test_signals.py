"""Signals raise messages; thresholds follow the budget; budgets are spent in one statement."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from recollect.engine import Recollect
from recollect.inference.ledger import Ledger
from recollect.pages.signals import Thresholds, thresholds
from recollect.pages.value import is_bare, value_of
from recollect.storage.event_signals import signals_of
from recollect.vocabulary.errors import InvalidInput, NotAllowed
from tests.stores import StoreMaker


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("thanks!", 0),
        ("ok lol 👍", 0),
        ("The harbour closes at nine in winter.", 0),
        ("When does the harbour close in winter?", 1),
        ("See https://example.org for the opening hours.", 1),
        ("- first thing to do\n- second thing to do", 1),
        ("Try this:\n```\nrecollect doctor\n```", 2),
        ("word " * 60, 1),
    ],
)
def test_value_is_by_shape(text: str, value: int) -> None:
    assert value_of(text) == value


def test_manners_alone_are_bare() -> None:
    assert all(map(is_bare, ("thanks", "OK!", "👍🎉", "lol", "merci")))
    assert not any(map(is_bare, ("thanks for the harbour map", "ok, at nine", "")))


def test_thresholds_follow_what_is_left_of_the_budget() -> None:
    middle = datetime(2026, 4, 16, tzinfo=UTC)

    assert thresholds(250, 500, middle) == Thresholds(2, 2)
    assert thresholds(100, 500, middle) == Thresholds(4, 5)
    assert thresholds(500, 500, middle) == Thresholds(1, 2)
    assert thresholds(float("inf"), None, middle) == Thresholds(1, 2)


def test_two_replies_raise_a_message_to_a_header_that_follows_edits(
    memory: Recollect, stores: StoreMaker
) -> None:
    memory.record("The ship to Bergen is late because of the storm.", stream="port")
    asked = memory.record("When does it arrive at the northern quay?", stream="port")
    database = stores.database(memory._rooms.keeper._database.address)

    def kept() -> object:
        with database.reading(house=True) as transaction:
            return signals_of(transaction, memory.space.id, asked.id)

    memory.record("At nine, they say.", stream="port", reply_to=asked.id)
    memory.work(5)
    memory.record("No, at ten.", stream="port", reply_to=asked.id)
    memory.work(5)

    raised = kept()
    assert raised is not None
    assert (raised.replies, raised.tier) == (2, 2)  # type: ignore[attr-defined]
    assert "port" in raised.header  # type: ignore[attr-defined]
    assert len(raised.header.split()) <= 100  # type: ignore[attr-defined]
    assert memory.health().sound
    assert memory.recall("northern quay", kinds=["event"]).found[0].id == asked.id
    memory.edit_event(asked.id, "When does it arrive?")
    assert kept().header is None  # type: ignore[attr-defined]


def test_budget_is_never_overspent_by_many_at_once(memory: Recollect, stores: StoreMaker) -> None:
    ledger = Ledger(stores.database(memory._rooms.keeper._database.address), stores.clock)
    ledger.allow(memory.space.id, "queries", 5)

    with ThreadPoolExecutor(4) as pool:
        took = list(pool.map(lambda _: ledger.spend(memory.space.id, "queries"), range(12)))

    assert sum(took) == 5
    assert ledger.left(memory.space.id, "queries") == 0


def test_first_use_that_does_not_fit_takes_nothing(memory: Recollect) -> None:
    ledger = memory._rooms.ledger

    assert not ledger.spend(memory.space.id, "enrichments", 501)
    assert ledger.spend(memory.space.id, "enrichments", 500)
    with pytest.raises(InvalidInput, match="no budget"):
        ledger.spend(memory.space.id, "coffee")


def test_only_stewards_set_budgets(memory: Recollect) -> None:
    memory.add_member("bob", "member")

    with pytest.raises(NotAllowed):
        memory.within(user="bob").set_budget("cents", 1)
