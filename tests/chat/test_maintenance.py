"""Once a day: roll-ups that point back, retention, and nothing pinned is ever touched."""

from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory_types import MemoryType
from tests.clocks import TickingClock


def tidied(memory: Recollect, clock: TickingClock, days: int) -> None:
    clock.move(timedelta(days=days))
    memory.work(30)


def test_old_small_entries_are_rolled_up_and_pointed_back_at(
    memory: Recollect, clock: TickingClock
) -> None:
    small = [
        memory.chat.add(f"The {colour} {what} came by post.", tags=["post"]).entry
        for colour, what in (("red", "lamp"), ("blue", "chair"), ("green", "kettle"))
    ]
    pinned = memory.chat.add("The grey table came by post.", tags=["post"], pinned=True).entry
    assert pinned is not None

    tidied(memory, clock, 40)

    kept = {entry.memory.content: entry.memory for entry in memory.chat.entries().items}
    assert "The grey table came by post." in kept
    (rolled,) = (one for one in kept.values() if one.type is MemoryType.MEMO)
    assert "lamp" in rolled.content
    sources = {arrow.target_id for arrow in memory.relations(rolled.id)}
    assert sources == {entry.id for entry in small if entry}
    for source in sources:
        assert not memory.restore(source or "").archived


def test_retention_erases_what_is_older_with_its_message(
    memory: Recollect, clock: TickingClock
) -> None:
    assert memory.chat.settings().retention_days is None  # off unless chosen
    memory.chat.set(retention_days=10)
    memory.chat.add("I live in Lyon.", pinned=True)
    heard = memory.chat.hear("I prefer tea over coffee.")
    (old,) = [entry.id for entry in memory.chat.entries(pinned=False).items]
    clock.move(timedelta(days=11))
    memory.chat.add("My car is a blue Renault.")

    memory.work(30)

    left = {entry.memory.content for entry in memory.chat.entries().items}
    assert left == {"I live in Lyon.", "My car is a blue Renault."}
    actions = [one.action for one in memory.chat.audit(limit=100).items]
    assert actions.count("retention") == 1
    with pytest.raises(NotFound):
        memory.get(old)
    told = memory.get(str(heard.event_id))
    assert isinstance(told, Event)
    assert told.text == ""
    assert told.deleted_at is not None
    assert not memory.recall("tea coffee").found
