"""The overview counts what a walk over the memories counts, and is never older than a change."""

from datetime import timedelta

import pytest

from recollect.memories import overview
from tests.stores import StoreMaker


def test_the_overview_counts_what_a_walk_counts(stores: StoreMaker) -> None:
    memory = stores.open()
    for number, kind in enumerate(("fact", "fact", "gotcha", "decision")):
        memory.remember(
            f"Thing number {number} is so.",
            type=kind,
            confidence=0.2 + number / 5,
            modules=["jobs", f"part{number % 2}"],
            repeats="keep",
        )
    walked = memory.list(limit=100).items
    memory.agents.confirm(walked[0].id)
    memory.update(walked[1].id, needs_review=True)
    memory.forget(walked[2].id)
    memory.record("Something was said.", stream="general")

    seen = memory.overview()

    counts = seen.counts
    assert (counts.total, counts.archived, counts.needs_review, counts.verified) == (3, 1, 1, 1)
    assert counts.unsure == sum(one.confidence < 0.5 for one in memory.list(limit=100).items)
    assert seen.by_type == {"fact": 1, "gotcha": 1, "decision": 1}
    assert [(one.module, one.memories) for one in seen.modules] == [
        ("jobs", 3),
        ("part0", 2),
        ("part1", 1),
    ]
    assert sum(one.verified for one in seen.modules if one.module == "jobs") == 1
    assert [day.written for day in seen.days][-1] == 4
    assert (seen.events, seen.streams) == (1, 1)

    stores.clock.move(timedelta(days=100))
    later = memory.overview()
    assert later.counts.active == 0
    assert sum(day.written for day in later.days) == 0


def test_a_change_by_anyone_shows_at_once(stores: StoreMaker) -> None:
    address = stores.ready()
    ada = stores.open(address, user="ada")
    ada.add_member("bob")
    bob = ada.within(user="bob")
    ada.open_stream("plans", access="private")
    kept = ada.remember("Move the office.", events=[ada.record("Move.", stream="plans").id])
    assert (ada.overview().counts.total, bob.overview().counts.total) == (1, 0)

    ada.admit("plans", "bob")
    assert bob.overview().counts.total == 1
    ada.dismiss("plans", "bob")
    assert bob.overview().counts.total == 0

    other = stores.open(address, user="ada")
    other.remember("The queue is durable.")
    assert (ada.overview().counts.total, bob.overview().counts.total) == (2, 1)

    ada.recall("which queue is durable?")
    assert len(ada.retrievals().items) == 1
    assert sum(day.asked for day in ada.overview().days) == 1

    ada.forget(kept.id, for_good=True)
    assert (ada.overview().counts.total, bob.overview().counts.total) == (1, 1)


def test_where_counting_is_dear_counts_may_lag_and_say_so_but_show_nothing_gone(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "_CHEAP", -1.0)  # as in a space of a hundred thousand memories
    monkeypatch.setattr(overview, "_REST", 1e9)
    address = stores.ready()
    memory = stores.open(address)
    kept, gone = (memory.remember(text) for text in ("The queue is durable.", "It rains."))
    seconds = 0.0
    counts = overview.SpaceOverview(stores.database(address), stores.clock, lambda: seconds)
    first = counts.overview(memory.viewer, memory.space)
    assert (first.counts.total, first.again_in) == (2, 0.0)

    memory.forget(gone.id, for_good=True)
    second = counts.overview(memory.viewer, memory.space)
    assert second.counts.total == 2
    assert second.again_in > 0
    assert [one.memory.id for one in second.activity] == [kept.id]

    seconds = 1e12
    third = counts.overview(memory.viewer, memory.space)
    assert (third.counts.total, third.again_in) == (1, 0.0)
