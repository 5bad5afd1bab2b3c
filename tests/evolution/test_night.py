"""A night: each verdict counts once, what fades is archived and can be brought back."""

from datetime import timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import MemoryNotFound, NotAllowed
from recollect.vocabulary.memory import Memory
from tests.clocks import TickingClock
from tests.stores import StoreMaker

DAY = timedelta(days=1)
FADING = "A gotcha that nobody meets again."


def kept(memory: Recollect, text: str, **fields: Any) -> Memory:
    return memory.remember(text, **{"source": "observer_inferred", **fields})


def confidence(memory: Recollect, memory_id: str) -> float:
    return looked_up(memory, memory_id).confidence


def looked_up(memory: Recollect, memory_id: str) -> Memory:
    found = memory.get(memory_id)
    assert isinstance(found, Memory)
    return found


def standing(memory: Recollect) -> set[str]:
    return {one.content for one in memory.list(limit=500).items}


def nights(memory: Recollect, clock: TickingClock, days: int, *, apart: int = 1) -> None:
    """Nights up to so many days from now; a machine that is off now and then misses some."""
    for _ in range(0, days, apart):
        clock.move(apart * DAY)
        memory.evolution.run()


def test_each_verdict_is_applied_once(memory: Recollect, clock: TickingClock) -> None:
    good = kept(memory, "The importer needs the locale C.", confidence=0.5)
    bad = kept(memory, "Parsers of dates live in the module calendar.", confidence=0.5)
    asked = memory.recall("importer locale")
    wrong = memory.recall("parsers of dates calendar")
    assert asked.id
    assert wrong.id
    for _ in range(3):
        memory.feedback(asked.id, "helpful", items=[good.id])
    memory.feedback(wrong.id, "wrong", items=[bad.id])

    first = memory.evolution.run()
    second = memory.evolution.run()

    assert confidence(memory, good.id) == pytest.approx(0.65)
    assert confidence(memory, bad.id) == pytest.approx(0.4)
    assert first.counts["feedback_rows"] == 4
    assert not second.counts.get("feedback_rows")
    assert "verdicts" in first.text


def test_a_verdict_on_a_whole_answer_reaches_what_it_served(
    memory: Recollect, clock: TickingClock
) -> None:
    one = kept(memory, "The importer needs the locale C.", confidence=0.5)
    asked = memory.recall("importer locale")
    assert asked.id
    memory.feedback(asked.id, "helpful")
    memory.evolution.run()
    assert confidence(memory, one.id) == pytest.approx(0.55)


def test_use_without_correction_is_trusted(memory: Recollect, clock: TickingClock) -> None:
    one = kept(memory, "The importer needs the locale C.", confidence=0.5, needs_review=True)
    for _ in range(5):
        memory.recall("importer locale")
    memory.evolution.run()
    assert confidence(memory, one.id) == pytest.approx(0.55)
    assert looked_up(memory, one.id).needs_review

    for _ in range(5):
        memory.recall("importer locale")
    memory.evolution.run()
    memory.evolution.run()
    assert confidence(memory, one.id) == pytest.approx(0.6)
    assert not looked_up(memory, one.id).needs_review


def test_what_fades_is_archived_deleted_after_its_grace_and_protected_stays(
    memory: Recollect, clock: TickingClock
) -> None:
    kept(memory, FADING, type="gotcha", source="agent_explicit")
    kept(memory, "A pinned gotcha of the parser.", type="gotcha", pinned=True)
    kept(memory, "We chose PostgreSQL for the ledger.", type="decision")
    kept(memory, "A person taught this gotcha by hand.", type="gotcha", source="user_taught")
    memory.chat.add("I like green tea")
    everything = standing(memory)
    memory.evolution.run()
    clock.move(181 * DAY)

    archived = memory.evolution.run()
    assert archived.counts["half_life"] == 1
    assert standing(memory) == everything - {FADING}
    (gone,) = [one for one in memory.list(archived=True).items]

    nights(memory, clock, 28, apart=4)
    nights(memory, clock, 1)
    assert looked_up(memory, gone.id).archived
    nights(memory, clock, 2)
    with pytest.raises(MemoryNotFound):
        memory.get(gone.id)
    assert standing(memory) == everything - {gone.content}


def test_what_was_learned_of_old_times_today_is_not_old(
    memory: Recollect, clock: TickingClock
) -> None:
    long_ago = clock.now - 400 * DAY
    kept(memory, FADING, type="gotcha", happened_at=long_ago)
    assert memory.evolution.run().counts["prune"] == 0
    clock.move(181 * DAY)
    assert memory.evolution.run().counts["prune"] == 1


def test_a_night_is_undone(memory: Recollect, clock: TickingClock) -> None:
    one = kept(memory, FADING, type="gotcha", source="agent_explicit", confidence=0.5)
    clock.move(181 * DAY)
    report = memory.evolution.run()
    assert looked_up(memory, one.id).archived
    (change,) = memory.evolution.changes(report.id)
    assert (change.memory_id, change.step) == (one.id, "half_life")
    assert "- 1 memory was past three half-lives and was archived." in report.text

    undone = memory.evolution.undo(report.id)

    assert (undone.restored, undone.changed_since) == (1, 0)
    assert not looked_up(memory, one.id).archived
    assert [hit.id for hit in memory.recall("gotcha nobody meets")] == [one.id]
    assert memory.evolution.undo(report.id).restored == 0


def test_what_a_night_changed_in_two_steps_is_undone_whole(
    memory: Recollect, clock: TickingClock
) -> None:
    one = kept(memory, "The importer needs the locale C.", confidence=0.5, needs_review=True)
    for _ in range(10):
        asked = memory.recall("importer locale")
    assert asked.id
    memory.feedback(asked.id, "helpful", items=[one.id])
    report = memory.evolution.run()
    assert confidence(memory, one.id) == pytest.approx(0.65)

    undone = memory.evolution.undo(report.id)

    assert (undone.restored, undone.changed_since) == (2, 0)
    assert confidence(memory, one.id) == pytest.approx(0.5)
    assert looked_up(memory, one.id).needs_review
    memory.evolution.run()
    assert confidence(memory, one.id) == pytest.approx(0.5), "what was undone is not done again"


def test_a_memory_brought_back_by_hand_is_not_deleted(
    memory: Recollect, clock: TickingClock
) -> None:
    one = kept(memory, FADING, type="gotcha", source="agent_explicit")
    clock.move(181 * DAY)
    memory.evolution.run()
    memory.restore(one.id)
    memory.recall("gotcha nobody meets")
    nights(memory, clock, 40, apart=4)
    assert not looked_up(memory, one.id).archived


def test_a_clock_that_jumps_a_year_deletes_nothing(memory: Recollect, clock: TickingClock) -> None:
    one = kept(memory, FADING, type="gotcha", source="agent_explicit")
    clock.move(181 * DAY)
    memory.evolution.run()
    clock.move(365 * DAY)

    jumped = memory.evolution.run()

    assert jumped.counts["clock_jumped_days"] == 365
    assert "nothing was deleted" in jumped.text
    assert looked_up(memory, one.id).archived
    nights(memory, clock, 3)
    assert looked_up(memory, one.id).archived
    clock.move(-400 * DAY)
    back = memory.evolution.run()
    assert back.counts["clock_went_back"] == 1
    assert looked_up(memory, one.id).archived


def test_a_circle_of_supersedes_ends(memory: Recollect, clock: TickingClock) -> None:
    first = kept(memory, "The queue is RabbitMQ.")
    second = memory.supersede(first.id, "The queue is Kafka.", source="observer_inferred")
    third = memory.supersede(second.id, "The queue is NATS.", source="observer_inferred")
    memory.relate(first.id, "supersedes", memory=third.id)
    clock.move(91 * DAY)
    report = memory.evolution.run()
    assert report.counts["forget"] == 2
    assert standing(memory) == {"The queue is NATS."}


def test_only_stewards_run_and_undo(stores: StoreMaker) -> None:
    owner = stores.open()
    report = owner.evolution.run()
    owner.add_member("bea", role="member")
    member = owner.within(user="bea")
    assert [one.id for one in member.evolution.reports().items] == [report.id]
    for forbidden in (
        member.evolution.run,
        member.evolution.consolidate,
        lambda: member.evolution.undo(report.id),
    ):
        with pytest.raises(NotAllowed):
            forbidden()


def test_a_night_and_its_changes_show_only_what_one_may_see(
    stores: StoreMaker, clock: TickingClock
) -> None:
    owner = stores.open().within(teams=["core"])
    owner.add_member("bea", role="member")
    private = kept(
        owner, "A gotcha of the core team.", type="gotcha", visibility="team", team="core"
    )
    shared = kept(owner, "A shared gotcha of the project.", type="gotcha")
    clock.move(181 * DAY)
    report = owner.evolution.run()
    bea = owner.within(user="bea")
    assert {one.memory_id for one in bea.evolution.changes(report.id)} == {shared.id}
    assert {one.memory_id for one in owner.evolution.changes(report.id)} == {shared.id, private.id}


# --- consolidation --------------------------------------------------------------------------------


def test_a_dry_run_of_a_consolidation_and_the_run_agree(
    memory: Recollect, clock: TickingClock
) -> None:
    said = [memory.record(text, stream="backend").id for text in ("We drain it.", "Always.")]
    for event, tag in zip(said, ("queue", "release"), strict=True):
        memory.remember(
            "The queue is drained before every release.",
            repeats="keep",
            events=[event],
            tags=[tag],
        )
    memory.remember("Lunch is at noon.", repeats="keep")
    moved = memory.remember(
        "We moved the mail service to the new cluster today.",
        type="episode",
        extras={"title": "Mail", "artifacts": [{"type": "commit", "ref": "abc123"}]},
    )
    clock.move(timedelta(days=40))
    before = memory.list(superseded=True).items

    plan = memory.evolution.consolidate(dry_run=True)
    assert memory.list(superseded=True).items == before, "a dry run changes nothing"
    assert plan.dry_run
    assert plan.counts["merge"] == 1
    assert plan.counts["summarise"] == plan.counts["compress"] == 1

    done = memory.evolution.consolidate()
    assert done.counts == plan.counts
    short = looked_up(memory, moved.id).levels.compressed or ""
    assert short.startswith("Mail: "), "an old episode keeps its title"
    assert short.endswith("(commit abc123)"), "and what came of it"
    assert memory.evolution.consolidate().counts == {}, "what was done is not done again"
    (stays,) = [one for one in memory.list().items if "queue" in one.content]
    assert set(said) <= set(stays.provenance.events), "the survivor cites what both came from"
    assert set(stays.tags) == {"queue", "release"}
    gone = next(one for one in before if "queue" in one.content and one.id != stays.id)
    assert stays.content == gone.content, "nothing unsaid is added"
    assert looked_up(memory, gone.id).superseded_by == stays.id
    assert [one.item.id for one in memory.recall("queue drained release")].count(gone.id) == 0

    run = memory.evolution.reports().items[1]
    memory.evolution.undo(run.id, memory=gone.id)
    assert looked_up(memory, gone.id).superseded_by is None
    assert gone.id in {one.id for one in memory.list().items}


def test_a_series_of_like_sentences_contradicts_nothing(
    memory: Recollect, clock: TickingClock
) -> None:
    for number in range(8):
        memory.remember(f"Service {number} listens on port {8000 + number}.", repeats="keep")
    clock.move(timedelta(days=1))
    memory.evolution.run()
    assert memory.contradictions.list().items == ()
