"""A dry run of a consolidation and the run agree on any store, and what it did can be undone."""

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select, update

from recollect.engine import Recollect
from recollect.evolution import rules
from recollect.evolution.night import Night
from recollect.storage.schema import evolution_runs
from recollect.vocabulary.evolution import Consolidation
from recollect.vocabulary.memory import Memory
from tests.clocks import TickingClock
from tests.stores import StoreMaker

DAY = timedelta(days=1)
THINGS = ("queue", "cache", "gateway", "importer", "mail service", "ledger")
PLACES = ("Berlin", "Madrid", "Oslo")
FILES = ("src/queue.py", "src/cache.py", "src/gateway.py")
SENTENCES = (
    "The {thing} runs in {place}.",
    "The {thing} moved to {place}.",
    "The {thing} is drained before every release.",
    "Never restart the {thing} by hand.",
    "Always restart the {thing} by hand.",
    "The {thing} listens on port {number}.",
    "We replaced the {thing} with a new one today.",
)


def fill(view: Recollect, clock: TickingClock, chance: random.Random, count: int) -> None:
    """A store of memories that repeat, contradict and resemble each other, of many ages."""
    for _ in range(count):
        text = chance.choice(SENTENCES).format(
            thing=chance.choice(THINGS),
            place=chance.choice(PLACES),
            number=8_000 + chance.randrange(3),
        )
        one = view.remember(
            text,
            type=chance.choice(("fact", "fact", "fact", "decision", "episode", "preference")),
            source=chance.choice(("agent_explicit", "observer_inferred", "user_taught")),
            visibility=chance.choice(("project", "project", "personal")),
            files=chance.sample(FILES, chance.randrange(3)),
            tags=chance.sample(("one", "two", "three"), chance.randrange(3)),
            repeats="keep",
        )
        clock.move(DAY * chance.choice((0, 0, 1, 5)))
        if chance.random() < 0.1:
            view.supersede(one.id, f"{text} Since then it was changed.")
        if chance.random() < 0.05:
            view.forget(one.id)


def told(result: Consolidation) -> tuple[Any, ...]:
    return dict(result.counts), dict(result.memories), dict(result.pairs), result.waiting


def state(view: Recollect) -> list[Memory]:
    return [*view.list(limit=500, superseded=True).items, *view.list(archived=True).items]


@settings(max_examples=3)
@given(seed=st.integers(0, 10_000), scanned=st.sampled_from((25, 1_000)))
def test_a_dry_run_and_the_run_agree_on_any_store(
    memory: Recollect, clock: TickingClock, seed: int, scanned: int
) -> None:
    view = memory.within(space=f"store {len(memory.spaces())}")
    fill(view, clock, random.Random(seed), 50)
    clock.move(95 * DAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "MAX_SCANNED", scanned)
        patch.setattr(rules, "BATCH", 3)
        patch.setattr(rules, "SCAN_BATCH", 7)
        waiting = 1
        while waiting:
            before = state(view)
            plan = view.evolution.consolidate(dry_run=True)
            assert state(view) == before, "a dry run changes nothing"
            assert told(view.evolution.consolidate(dry_run=True)) == told(plan)
            done = view.evolution.consolidate()
            assert told(done) == told(plan)
            waiting = done.waiting
        assert told(view.evolution.consolidate(dry_run=True)) == ({}, {}, {}, 0)
        assert told(view.evolution.consolidate()) == ({}, {}, {}, 0)
        assert told(view.evolution.consolidate(dry_run=True)) == ({}, {}, {}, 0)


def test_a_random_store_has_something_to_do_in_every_step(
    memory: Recollect, clock: TickingClock
) -> None:
    fill(memory, clock, random.Random(1), 50)
    clock.move(95 * DAY)
    found = memory.evolution.consolidate(dry_run=True)
    steps = {"forget", "summarise", "compress", "merge", "link", "contradictions"}
    assert set(found.counts) == steps
    assert set(found.pairs) == {"merge", "link", "contradictions"}
    assert all(len(found.memories[step]) == found.counts[step] for step in steps)


def test_a_dry_run_says_what_a_killed_consolidation_has_left(
    memory: Recollect, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "SCAN_BATCH", 7)
    fill(memory, clock, random.Random(2), 50)
    clock.move(95 * DAY)
    everything = memory.evolution.consolidate(dry_run=True)
    moved: Any = Night._move_on
    batches = 0

    def dying(self: Night, *given: Any) -> None:
        nonlocal batches
        batches += 1
        moved(self, *given)
        if batches == 13:
            raise KeyboardInterrupt

    monkeypatch.setattr(Night, "_move_on", dying)
    with pytest.raises(KeyboardInterrupt):
        memory.evolution.consolidate()
    monkeypatch.setattr(Night, "_move_on", moved)
    left = memory.evolution.consolidate(dry_run=True)
    assert 0 < sum(left.counts.values()) < sum(everything.counts.values())
    assert told(memory.evolution.consolidate()) == told(left)


def test_a_night_finishes_a_consolidation_that_was_killed(
    memory: Recollect, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory, clock, random.Random(3), 20)

    def dying(self: Night, *_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Night, "_move_on", dying)
        with pytest.raises(KeyboardInterrupt):
            memory.evolution.consolidate()
    memory.evolution.run()
    assert all(one.finished_at for one in memory.evolution.reports().items)
    assert memory.evolution.consolidate(dry_run=True).counts == {}


def test_what_is_changed_or_comes_from_elsewhere_later_is_compared_too(
    memory: Recollect, clock: TickingClock
) -> None:
    memory.remember("The stand-up is at nine.", repeats="keep")
    late = memory.remember("The lunch is at noon.", repeats="keep")
    memory.evolution.consolidate()
    memory.evolution.consolidate()
    memory.update(late.id, content="The stand-up is at nine.")
    assert memory.evolution.consolidate(dry_run=True).counts == {"merge": 1}


def test_a_night_goes_on_behind_what_an_earlier_version_compared(
    stores: StoreMaker, clock: TickingClock
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    old = [memory.remember("The stand-up is at nine.", repeats="keep").id for _ in range(2)]
    report = memory.evolution.run()
    memory.evolution.undo(report.id)

    def as_it_was(connection: Connection) -> None:
        row = connection.execute(select(evolution_runs.c.counts)).scalar_one()
        counts = {**row, "scanned": old[-1]}
        connection.execute(update(evolution_runs).values(counts=counts))

    stores.database(address).write(as_it_was)
    memory.remember("The lunch is at noon.", repeats="keep")
    memory.remember("The lunch is at noon.", repeats="keep")
    found = memory.evolution.consolidate(dry_run=True)
    assert found.counts == {"merge": 1}
    assert not set(old) & {one for pair in found.pairs["merge"] for one in pair}


def test_a_merge_that_was_undone_is_not_done_again(memory: Recollect, clock: TickingClock) -> None:
    for tag in ("one", "two"):
        said = memory.record(f"We drain it, {tag}.", stream="backend").id
        memory.remember(
            "The queue is drained before every release.", repeats="keep", tags=[tag], events=[said]
        )
    before = {one.id: one for one in memory.list().items}
    memory.evolution.consolidate()
    assert len(memory.list().items) == 1
    run = memory.evolution.reports().items[0]

    undone = memory.evolution.undo(run.id)

    assert (undone.restored, undone.changed_since) == (2, 0)
    after = {one.id: one for one in memory.list().items}
    assert after.keys() == before.keys()
    for memory_id, one in after.items():
        assert one.tags == before[memory_id].tags
        assert one.times_told == before[memory_id].times_told
        assert one.provenance.events == before[memory_id].provenance.events
        assert memory.relations(memory_id) == ()
    clock.move(DAY)
    assert memory.evolution.consolidate(dry_run=True).counts == {}


def test_links_and_contradictions_are_undone_until_somebody_decides(
    memory: Recollect, clock: TickingClock
) -> None:
    fill(memory, clock, random.Random(1), 50)
    before = {one.id for one in memory.contradictions.list(limit=200).items}
    done = memory.evolution.consolidate()
    found = [one for one in memory.contradictions.list(limit=200).items if one.id not in before]
    assert len(found) == done.counts["contradictions"] > 1
    memory.contradictions.resolve(found[0].id, "both")
    source, target = done.pairs["link"][0]
    assert any(one.target_id == target for one in memory.relations(source))
    run = memory.evolution.reports().items[0]

    undone = memory.evolution.undo(run.id)

    assert undone.changed_since == 1, "the contradiction that was decided stays"
    assert {one.id for one in memory.contradictions.list(limit=200).items} == before
    assert not any(one.target_id == target for one in memory.relations(source))
    assert memory.evolution.undo(run.id).restored == 0
