"""Time: what is valid when, what took whose place, and what was believed then."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import (
    Conflict,
    EventNotFound,
    InvalidInput,
    InvalidTime,
    MemoryNotFound,
)
from recollect.vocabulary.memory import Memory
from tests.clocks import TickingClock
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker

DAY = timedelta(days=1)


def listed(view: Recollect, **narrow: Any) -> list[str]:
    return [memory.content for memory in view.list(**narrow).items]


def recalled(view: Recollect, query: str, **narrow: Any) -> list[str]:
    return [found.text for found in view.recall(query, kinds=["memory"], **narrow)]


def test_memory_is_found_while_it_is_valid(memory: Recollect, clock: TickingClock) -> None:
    begin = clock.now
    memory.remember("the office is in lisbon", valid_from=begin + DAY, valid_to=begin + 3 * DAY)
    for days, expected in ((0, 0), (1, 1), (2.9, 1), (3, 0), (9, 0)):
        moment = begin + days * DAY
        assert len(recalled(memory, "office lisbon", as_of=moment)) == expected, days
        assert len(listed(memory, as_of=moment)) == expected, days

    assert recalled(memory, "office lisbon") == []
    clock.move(2 * DAY)
    assert len(recalled(memory, "office lisbon")) == len(listed(memory)) == 1
    clock.move(2 * DAY)
    assert recalled(memory, "office lisbon") == listed(memory) == []


def test_edges_of_validity_are_to_the_microsecond(memory: Recollect) -> None:
    begin = datetime(2024, 6, 1, 12, 0, 0, 1, tzinfo=UTC)
    end = begin + timedelta(microseconds=5)
    kept = memory.remember("fleeting", valid_from=begin, valid_to=end)
    one = timedelta(microseconds=1)
    for moment, expected in ((begin - one, []), (begin, ["fleeting"]), (end - one, ["fleeting"])):
        assert listed(memory, as_of=moment) == expected
        assert recalled(memory, "fleeting", as_of=moment) == expected
        assert kept.valid_at(moment) is bool(expected)
    assert listed(memory, as_of=end) == recalled(memory, "fleeting", as_of=end) == []


def test_successor_takes_the_place_of_the_old_one(memory: Recollect, clock: TickingClock) -> None:
    old = memory.remember("standup is at nine", tags=["standup"])
    between = clock.move(DAY)
    clock.move(DAY)
    new = memory.supersede(old.id, "standup is at ten", tags=["standup"])

    ended = memory.get(old.id)
    assert isinstance(ended, Memory)
    assert (new.supersedes, ended.superseded_by) == (old.id, new.id)
    assert ended.valid_to == new.valid_from
    assert listed(memory) == recalled(memory, "standup") == ["standup is at ten"]
    assert listed(memory, as_of=between) == ["standup is at nine"]
    assert recalled(memory, "standup", as_of=between) == ["standup is at nine"]
    assert [(arrow.type.value, arrow.target_id) for arrow in memory.relations(new.id)] == [
        ("supersedes", old.id)
    ]
    assert ended.confidence < old.confidence
    assert [entry.action.value for entry in memory.history(old.id)] == [
        "created",
        "superseded",
        "confidence",
    ]


def test_superseded_memories_show_when_they_are_asked_for(memory: Recollect) -> None:
    old = memory.remember("standup is at nine", tags=["standup"])
    memory.supersede(old.id, "standup is at ten", tags=["standup"])

    both = ["standup is at nine", "standup is at ten"]
    assert sorted(listed(memory, superseded=True)) == both
    assert sorted(recalled(memory, "standup", superseded=True)) == both


def test_chain_of_successors_answers_for_every_time(memory: Recollect, clock: TickingClock) -> None:
    current = memory.remember("price is 0")
    moments = []
    for price in range(1, 8):
        moments.append(clock.move(DAY))
        clock.move(DAY)
        current = memory.supersede(current.id, f"price is {price}")
    moments.append(clock.move(DAY))

    for price, moment in enumerate(moments):
        assert listed(memory, as_of=moment) == [f"price is {price}"]
        assert recalled(memory, "price", as_of=moment) == [f"price is {price}"]
    assert memory.health().sound


def test_successor_may_have_been_true_earlier(memory: Recollect, clock: TickingClock) -> None:
    start = clock.now
    old = memory.remember("rent is 900", valid_from=start - 100 * DAY)
    memory.supersede(old.id, "rent is 950", valid_from=start - 10 * DAY)

    assert listed(memory, as_of=start - 20 * DAY) == ["rent is 900"]
    assert listed(memory, as_of=start - 5 * DAY) == ["rent is 950"]
    assert listed(memory) == recalled(memory, "rent") == ["rent is 950"]


def test_successor_older_than_the_old_one_leaves_it_no_time(memory: Recollect) -> None:
    old = memory.remember("x is 1")
    memory.supersede(old.id, "x is 2", valid_from=old.valid_from - DAY)
    ended = memory.get(old.id)
    assert isinstance(ended, Memory)
    assert ended.valid_to == ended.valid_from
    assert listed(memory) == ["x is 2"]


def test_memory_is_superseded_once(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    old = memory.remember("one")
    memory.supersede(old.id, "two")
    before = state_of(database := stores.database(address))
    with pytest.raises(Conflict, match="already superseded"):
        memory.supersede(old.id, "three")
    assert changed(before, state_of(database)) == {}


def test_edited_memory_can_be_read_as_it_stood(memory: Recollect, clock: TickingClock) -> None:
    kept = memory.remember("draft", tags=["a"], confidence=0.4)
    first = clock.move(DAY)
    clock.move(DAY)
    memory.update(kept.id, content="second", tags=["b"], pinned=True)
    second = clock.move(DAY)
    clock.move(DAY)
    memory.forget(kept.id)

    then = memory.get(kept.id, as_of=first)
    assert isinstance(then, Memory)
    assert (then.content, then.tags, then.pinned, then.revision) == ("draft", ("a",), False, 1)
    later = memory.get(kept.id, as_of=second)
    assert isinstance(later, Memory)
    assert (later.content, later.tags, later.pinned) == ("second", ("b",), True)
    assert (later.archived, later.revision) == (False, 2)
    assert memory.get(kept.id, as_of=clock.now) == memory.get(kept.id)
    with pytest.raises(MemoryNotFound, match="did not exist yet"):
        memory.get(kept.id, as_of=kept.created_at - DAY)


def test_superseded_memory_as_it_stood(memory: Recollect, clock: TickingClock) -> None:
    kept = memory.remember("one", confidence=0.9)
    before = clock.move(DAY)
    clock.move(DAY)
    memory.supersede(kept.id, "two")
    then = memory.get(kept.id, as_of=before)
    assert isinstance(then, Memory)
    assert (then.superseded_by, then.valid_to, then.confidence) == (None, None, 0.9)


def test_change_of_validity_moves_it_in_the_index(memory: Recollect, clock: TickingClock) -> None:
    kept = memory.remember("the bridge is closed")
    assert recalled(memory, "bridge closed") == ["the bridge is closed"]
    clock.move(DAY)
    memory.update(kept.id, valid_to=clock.now - timedelta(hours=1))
    assert recalled(memory, "bridge closed") == listed(memory) == []
    memory.update(kept.id, valid_to=None)
    (hit,) = memory.recall("bridge closed")
    assert hit.vector_rank == 1, "its vector came along"


def test_validity_that_ends_before_it_begins_is_refused(memory: Recollect) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="before"):
        memory.remember("x", valid_from=now, valid_to=now - DAY)
    kept = memory.remember("x", valid_from=now)
    with pytest.raises(InvalidInput, match="before"):
        memory.update(kept.id, valid_to=now - DAY)
    assert memory.get(kept.id) == kept


def test_naive_times_are_refused(memory: Recollect) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    kept = memory.remember("x")
    attempts: list[Callable[[], object]] = [
        lambda: memory.get(kept.id, as_of=naive),
        lambda: memory.list(as_of=naive),
        lambda: memory.list(created_after=naive),
        lambda: memory.recall("x", as_of=naive),
        lambda: memory.recall("x", created_before=naive),
        lambda: memory.remember("y", valid_from=naive),
        lambda: memory.update(kept.id, stale_at=naive),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidTime):
            attempt()


def test_what_was_edited_is_recalled_and_listed_as_it_was_believed(
    memory: Recollect, clock: TickingClock
) -> None:
    kept = memory.remember("Staging is reset every night at 02:00.", tags=["night"])
    between = clock.move(DAY)
    clock.move(DAY)
    memory.update(kept.id, content="Staging is reset every night at 03:00.", tags=[])
    new = "Staging is reset every night at 03:00."

    assert recalled(memory, "staging reset", as_of=between) == [kept.content]
    assert listed(memory, as_of=between) == [kept.content]
    assert memory.list(as_of=between).items[0].tags == ("night",)
    assert "02:00" in str(memory.recall("staging reset", as_of=between, budget=500).packed)
    assert recalled(memory, "staging reset", as_of=clock.now) == [new]
    assert recalled(memory, "staging reset") == listed(memory) == [new]


def test_the_id_of_an_event_is_missed_as_an_event(memory: Recollect) -> None:
    with pytest.raises(EventNotFound, match="No event 'evt_nope'"):
        memory.get("evt_nope")


def test_what_was_told_later_of_an_earlier_time_keeps_its_words(
    memory: Recollect, clock: TickingClock
) -> None:
    began = clock.now - 9 * DAY
    kept = memory.remember("The ofice is in Lisbon.", valid_from=began)
    clock.move(DAY)
    memory.update(kept.id, content="The office is in Lisbon.")
    assert recalled(memory, "office lisbon", as_of=began + DAY) == ["The office is in Lisbon."]
