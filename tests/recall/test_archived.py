"""Archived memories are found by whoever asks for them, by their words, and by nobody else."""

from datetime import UTC, datetime

import pytest

from recollect.engine import Recollect
from recollect.engine.for_surfaces import attribution
from recollect.storage.memories import reads
from recollect.vocabulary.memory import Memory
from tests.stores import StoreMaker


def filled(memory: Recollect) -> dict[str, str]:
    """Archived memories and one that stands, by name."""
    texts = {
        "kettle": "the red kettle leaks at its handle",
        "pan": "the blue pan is for eggs, and the kettle for tea",
        "lamp": "the lamp in the hall",
        "stands": "the red kettle was repaired",
    }
    kept = {name: memory.remember(text).id for name, text in texts.items()}
    for name in ("kettle", "pan", "lamp"):
        memory.forget(kept[name])
    return kept


def test_archived_memories_are_found_on_request_alone_best_first(memory: Recollect) -> None:
    kept = filled(memory)

    asked = memory.recall("red kettle", archived=True)

    assert [one.id for one in asked] == [kept["kettle"], kept["pan"]]
    assert [one.keyword_rank for one in asked] == [1, 2]
    assert 1 >= asked.found[0].score > asked.found[1].score > 0
    assert all(isinstance(one.item, Memory) and one.item.archived for one in asked)
    assert [one.id for one in memory.recall("red kettle")] == [kept["stands"]]
    assert not memory.recall("zeppelin", archived=True).found


def test_archived_memories_are_marked_wherever_they_are_quoted(memory: Recollect) -> None:
    filled(memory)

    (first, *_) = memory.recall("red kettle", archived=True)
    packed = memory.recall("red kettle", archived=True, budget=500).packed

    assert "archived" in attribution(first.item)
    assert packed is not None
    assert "archived" in packed.text
    assert "archived" not in attribution(memory.recall("red kettle").found[0].item)


def test_filters_and_limit_hold_for_archived_memories(memory: Recollect) -> None:
    kept = filled(memory)
    tagged = memory.remember("the copper kettle", tags=["kitchen"], files=["src/kettle.py"])
    memory.forget(tagged.id)

    assert [one.id for one in memory.recall("kettle", archived=True, tag="kitchen")] == [tagged.id]
    by_file = memory.recall("kettle.py", archived=True, limit=1, explain=True)
    assert by_file.found[0].id == tagged.id, "files are searched as they are in the index"
    assert by_file.found[0].why is not None
    assert {one.id for one in by_file.dropped} == {kept["kettle"], kept["pan"]}
    assert not memory.recall("kettle", archived=True, type="gotcha").found


def test_events_are_not_archived_and_sessions_are_not_considered(memory: Recollect) -> None:
    filled(memory)
    memory.record("the red kettle on the stream", author="Ann")

    everything = memory.recall("red kettle", archived=True)
    assert {one.kind for one in everything} == {"memory"}
    assert not memory.recall("red kettle", archived=True, kinds=("event",)).found
    narrowed = memory.recall("red kettle", archived=True, last_sessions=1)
    assert any("all sessions" in one for one in narrowed.missing)


def test_archived_memories_of_others_stay_hidden(stores: StoreMaker) -> None:
    memory = stores.open()
    mine = memory.remember("my secret kettle", visibility="personal")
    memory.forget(mine.id)

    assert memory.recall("kettle", archived=True).found
    assert not memory.within(user="bea").recall("kettle", archived=True).found


def test_the_state_at_an_earlier_time_holds_for_archived_ones(memory: Recollect) -> None:
    filled(memory)

    past = memory.recall("red kettle", archived=True, as_of=datetime(2000, 1, 1, tzinfo=UTC))

    assert not past.found


def test_who_does_not_ask_pays_nothing(memory: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(memory)

    def never(*_: object, **__: object) -> list[Memory]:
        raise AssertionError("archived memories were read")

    monkeypatch.setattr(reads, "list_memories", never)

    assert memory.recall("red kettle").found
    with pytest.raises(AssertionError):
        memory.recall("red kettle", archived=True)
