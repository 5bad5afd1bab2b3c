"""Vectors that cost are paid out of the month's budget; running out degrades, and heals."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.embedders import RemoteEmbedder
from tests.stores import StoreMaker

MIDDLE = datetime(2026, 4, 16, tzinfo=UTC)


class PaidEmbedder(RemoteEmbedder):
    """One that sends a bill."""

    paid = True


def used(memory: Recollect) -> float:
    return {budget.kind: budget.used for budget in memory.budgets()}["embeddings"]


def vectors(memory: Recollect) -> int:
    return sum(memory.stats()["vectors"].values())


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock(MIDDLE)


def test_every_vector_is_counted_and_no_more_are_made_than_allowed(
    stores: StoreMaker, clock: TickingClock
) -> None:
    memory = stores.open(embedder=PaidEmbedder(), clock=clock)
    memory.set_budget("embeddings", 3)
    for number in range(5):
        memory.remember(f"The ferry number {number} leaves from the northern quay.")
    memory.work(10)
    assert (vectors(memory), used(memory)) == (3, 3)
    assert len(memory.recall("ferry", limit=10)) == 5  # by words

    memory.remember("The harbour office opens at eight.")
    memory.work(10)
    assert (vectors(memory), used(memory)) == (3, 3)
    waiting = memory.stats()["queue"]
    assert (waiting.backlog, waiting.dead) == (1, 0)  # one promise for all of them

    clock.move(datetime(2026, 5, 1, 1, tzinfo=UTC) - clock())
    memory.work(10)
    assert (vectors(memory), used(memory)) == (6, 3)
    assert memory.health().without_vector == 0


def test_an_outage_costs_nothing(stores: StoreMaker, clock: TickingClock) -> None:
    embedder = PaidEmbedder(down=True)
    memory = stores.open(embedder=embedder, clock=clock)
    memory.remember("The ferry leaves from the northern quay.")
    memory.work(10)
    assert (vectors(memory), used(memory)) == (0, 0)
    embedder.down = False
    clock.move(timedelta(hours=1))
    memory.work(10)
    assert (vectors(memory), used(memory)) == (1, 1)


def test_plain_messages_are_paid_for_only_when_money_is_plenty(
    stores: StoreMaker, clock: TickingClock
) -> None:
    memory = stores.open(embedder=PaidEmbedder(), clock=clock)
    memory.set_budget("embeddings", 100)
    memory._services.spending.spend(memory.space.id, "embeddings", 50)  # on course in mid-April
    memory.record("The harbour closes at nine in winter.", stream="port")
    memory.record("When does the harbour close in winter?", stream="port")
    memory.work(10)
    assert (vectors(memory), used(memory)) == (1, 51)
    memory.set_budget("embeddings", None)
    memory.record("The harbour opens at six in winter.", stream="port")
    memory.work(10)
    assert vectors(memory) == 2


def test_what_costs_nothing_is_not_counted(stores: StoreMaker, clock: TickingClock) -> None:
    memory = stores.open(embedder=RemoteEmbedder(), clock=clock)
    memory.set_budget("embeddings", 0)
    memory.remember("The ferry leaves from the northern quay.")
    memory.work(10)
    assert (vectors(memory), used(memory)) == (1, 0)
