"""A night that is killed at every step, and two nights at once: nothing lost, nothing twice."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.evolution import rules
from recollect.evolution.night import Night
from tests.clocks import TickingClock
from tests.stores import StoreMaker

MEMORIES = 12


class Killed(BaseException):
    """What a process that dies feels like from inside."""


def filled(memory: Recollect, clock: TickingClock) -> list[str]:
    """Memories with one verdict each, some of which are due."""
    ids = []
    for number in range(MEMORIES):
        kind = "gotcha" if number % 3 == 0 else "fact"
        text = f"Machine m{number} in hall h{number} needs oil of grade g{number}."
        ids.append(memory.remember(text, type=kind, confidence=0.5).id)
    clock.move(timedelta(days=181))
    for number, memory_id in enumerate(ids):
        if number % 3:
            asked = memory.recall(f"oil machine m{number} hall", limit=MEMORIES)
            assert asked.id
            memory.feedback(asked.id, "helpful", items=[memory_id])
    memory.recall("flush")
    return ids


def check(memory: Recollect, ids: list[str]) -> None:
    """Every verdict counted once, every memory is there, and what was due is archived."""
    for number, memory_id in enumerate(ids):
        one: Any = memory.get(memory_id)
        assert one.archived == (number % 3 == 0 and one.last_accessed_at is None), one.content
        helpful = 0.05 if number % 3 else 0.0
        assert one.confidence == pytest.approx(0.5 + helpful), one.content


def trusting_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that only verdicts move confidence."""
    monkeypatch.setattr(rules, "USES", 1_000_000)
    monkeypatch.setattr(rules, "BATCH", 3)


def test_killed_at_every_batch(
    memory: Recollect, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting_nobody(monkeypatch)
    ids = filled(memory, clock)
    moved: Any = Night._move_on
    for fatal in range(1, 30):
        batches = 0

        def dying(self: Night, *given: Any, fatal: int = fatal) -> None:
            nonlocal batches
            batches += 1
            moved(self, *given)
            if batches == fatal % 4 + 1:
                raise Killed

        monkeypatch.setattr(Night, "_move_on", dying)
        try:
            memory.evolution.run()
        except Killed:
            continue
        break
    monkeypatch.setattr(Night, "_move_on", moved)
    memory.evolution.run()
    check(memory, ids)


def test_two_nights_at_once(stores: StoreMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    trusting_nobody(monkeypatch)
    address = stores.ready()
    memory = stores.open(address)
    ids = filled(memory, stores.clock)
    others = [stores.open(address) for _ in range(2)]
    threads = [threading.Thread(target=one.evolution.run) for one in (memory, *others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory.evolution.run()
    check(memory, ids)
    applied = sum(one.counts.get("feedback_rows", 0) for one in memory.evolution.reports().items)
    assert applied == len([number for number in range(MEMORIES) if number % 3])
