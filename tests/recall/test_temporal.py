"""Temporal modes, trends, and what comes along by cause."""

from datetime import timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.recall.profiles import PROFILES
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.events import Event
from recollect.vocabulary.results import Filters
from tests.clocks import START, TickingClock
from tests.stores import StoreMaker

DAY = timedelta(days=1)


def meet(memory: Recollect, days: int = 8) -> list[Event]:
    """One session a day on a stream of its own, oldest first; alpha in each."""
    return [
        memory.record(
            f"alpha on day {day}", author="ann", stream=f"day {day}", occurred_at=START + day * DAY
        )
        for day in range(days)
    ]


def texts(answer: object) -> set[str]:
    return {hit.text for hit in answer}  # type: ignore[attr-defined]


def test_last_sessions(memory: Recollect) -> None:
    meet(memory)
    memory.record("alpha once more", stream="day 7", occurred_at=START + 7 * DAY)
    found = memory.recall("alpha", last_sessions=2, limit=50)
    assert texts(found) == {"alpha on day 6", "alpha on day 7", "alpha once more"}
    assert len(memory.recall("alpha", limit=50)) == 9
    assert texts(memory.recall("alpha", last_sessions=2, author="ann", limit=50)) == {
        "alpha on day 6",
        "alpha on day 7",
    }


def test_long_pause_begins_a_session(memory: Recollect) -> None:
    for hour in (0, 5, 10, 30):
        memory.record(f"alpha at {hour}", stream="one", occurred_at=START + timedelta(hours=hour))
    assert texts(memory.recall("alpha", last_sessions=1)) == {"alpha at 30"}
    assert len(memory.recall("alpha", last_sessions=2)) == 4


def test_memories_belong_to_the_session_they_name_or_were_made_in(
    stores: StoreMaker, clock: TickingClock
) -> None:
    memory = stores.open()
    events = meet(memory, 3)
    clock.now = START + DAY
    made = memory.remember("alpha made on day 1")
    clock.now = START + 40 * DAY
    named = memory.remember("alpha told of day 2", session=events[2].stream_id)
    late = memory.remember("alpha much later")
    found = {hit.id for hit in memory.recall("alpha", last_sessions=2, kinds="memory")}
    assert found == {made.id, named.id}
    assert late.id in {hit.id for hit in memory.recall("alpha")}


def test_around_an_event(memory: Recollect) -> None:
    events = meet(memory, 10)
    found = memory.recall("alpha", around=events[5].id, limit=50)
    assert texts(found) == {f"alpha on day {day}" for day in range(2, 9)}
    edge = memory.recall("alpha", around=events[0].id, limit=50)
    assert texts(edge) == {f"alpha on day {day}" for day in range(4)}


def test_sessions_that_cannot_be_seen_do_not_count(memory: Recollect) -> None:
    memory.add_member("bob")
    meet(memory, 3)
    memory.open_stream("secret", access="private")
    hidden = memory.record("alpha in secret", stream="secret", occurred_at=START + 9 * DAY)
    bob = memory.within(user="bob")
    assert texts(bob.recall("alpha", last_sessions=1)) == {"alpha on day 2"}
    assert texts(memory.recall("alpha", last_sessions=1)) == {"alpha in secret"}
    with pytest.raises(EventNotFound):
        bob.recall("alpha", around=hidden.id)


def test_modes_are_checked(memory: Recollect) -> None:
    event = memory.record("alpha")
    with pytest.raises(InvalidInput):
        memory.recall("alpha", last_sessions=1, around=event.id)
    with pytest.raises(InvalidInput):
        memory.recall("alpha", last_sessions=0)
    with pytest.raises(EventNotFound):
        memory.recall("alpha", around="evt_nobody")


def test_trend(stores: StoreMaker, clock: TickingClock) -> None:
    memory = stores.open()
    clock.now = START + 30 * DAY
    for day in (1, 20, 24, 25, 28, 28, 29):
        memory.record("the build broke", stream="builds", occurred_at=START + day * DAY)
    memory.record("lunch was good", stream="builds", occurred_at=START + 5 * DAY)
    memory.record("the build broke", stream="builds", occurred_at=START - 5 * DAY)
    rising = memory.trend("build broke", days=30)
    assert (rising.direction, rising.total) == ("rising", 7)
    assert sum(one.count for one in rising.stretches) == 7
    assert rising.stretches[0].count == 1
    assert [one.end for one in rising.stretches[:-1]] == [one.start for one in rising.stretches[1:]]
    assert memory.trend("violin", days=30).total == 0
    with pytest.raises(InvalidInput):
        memory.trend("build", days=0)


def test_a_trend_between_two_times(stores: StoreMaker, clock: TickingClock) -> None:
    memory = stores.open()
    clock.now = START + 60 * DAY
    for day in (1, 8, 9, 9, 20):
        memory.record("the build broke", stream="builds", occurred_at=START + day * DAY)
    start, end = START, START + 10 * DAY
    both = memory.trend("build broke", created_after=start, created_before=end)
    assert (both.stretches[0].start, both.stretches[-1].end) == (start, end)
    assert (both.direction, both.total) == ("rising", 4)
    until = memory.trend("build broke", days=5, created_before=end)
    assert (until.stretches[0].start, until.total) == (START + 5 * DAY, 3)
    since = memory.trend("build broke", filters=Filters(created_after=START + 15 * DAY))
    assert since.stretches[0].start == START + 15 * DAY
    assert (since.stretches[-1].end > START + 60 * DAY, since.total) == (True, 1)
    with pytest.raises(InvalidInput):
        memory.trend("build", created_after=end, created_before=start)


def test_a_trend_by_the_state_of_memories(stores: StoreMaker, clock: TickingClock) -> None:
    memory = stores.open()
    clock.now = START + 10 * DAY
    first = memory.remember("the build needs gcc 12")
    before = clock.now + DAY
    clock.now = START + 20 * DAY
    memory.supersede(first.id, "the build needs gcc 13")
    pinned = memory.remember("the build takes a minute on the big machine")
    memory.pin(pinned.id)
    gone = memory.remember("the build used make in the old days")
    memory.forget(gone.id)

    def total(**narrow: Any) -> int:
        return memory.trend("build", days=30, **narrow).total

    assert total() == 2
    assert total(superseded=True) == 3
    assert total(pinned=True) == 1
    assert total(archived=True) == 1
    assert total(needs_review=True) == 0
    earlier = memory.trend("build", days=30, as_of=before)
    assert (earlier.total, earlier.stretches[-1].end) == (1, before)


# --- Chains ---------------------------------------------------------------------------------------


def test_files_that_go_together_bring_their_memories(memory: Recollect) -> None:
    asked = memory.remember("the parser reads headers", files=["src/parser.py"])
    cause = memory.remember(
        "touch both", type="causal_dependency", files=["src/parser.py", "src/lexer.py"]
    )
    gotcha = memory.remember("the lexer eats newlines", type="gotcha", files=["src/lexer.py"])
    memory.remember("a decision on the lexer", type="decision", files=["src/lexer.py"])
    memory.remember("an old one", type="gotcha", files=["src/other.py"])
    plain = memory.recall("parser headers", kinds="memory", limit=1)
    assert [hit.id for hit in plain] == [asked.id]
    chained = memory.recall("parser headers", kinds="memory", limit=1, chain=True)
    assert [hit.id for hit in chained] == [asked.id, gotcha.id]
    assert chained.found[1].along == "src/lexer.py goes with what was found"
    assert chained.found[1].score <= chained.found[0].score
    memory.forget(cause.id)
    again = memory.recall("parser headers", kinds="memory", limit=1, chain=True, explain=True)
    assert [hit.id for hit in again] == [asked.id]
    assert any("go with" in note for note in again.notes)


@pytest.mark.parametrize(("confidence", "comes"), [(0.9, True), (0.5, False)])
def test_arrows_to_files_count_when_they_are_sure(
    memory: Recollect, confidence: float, comes: bool
) -> None:
    memory.remember("the schema", files=["schema.sql"])
    source = memory.remember("elsewhere entirely", type="decision", files=["models.py"])
    memory.relate(source.id, "required_with", file="schema.sql", confidence=confidence)
    there = memory.remember("models are generated", type="pattern", files=["models.py"])
    tied = memory.remember("run the generator")
    first = memory.recall("schema", kinds="memory", limit=1)
    memory.relate(first.found[0].id, "required_with", memory=tied.id, confidence=confidence)
    found = {hit.id for hit in memory.recall("schema", kinds="memory", limit=1, chain=True)}
    assert ({there.id, tied.id} <= found) is comes


def test_chain_shows_nothing_that_the_asker_may_not_see(memory: Recollect) -> None:
    memory.add_member("bob")
    memory.remember("the schema", files=["schema.sql"], visibility="project")
    memory.remember(
        "both", type="causal_dependency", files=["schema.sql", "m.py"], visibility="project"
    )
    memory.remember("mine", type="gotcha", files=["m.py"], visibility="personal")
    shared = memory.remember("ours", type="gotcha", files=["m.py"], visibility="project")
    bob = memory.within(user="bob")
    came = [hit.id for hit in bob.recall("schema", limit=1, chain=True) if hit.along]
    assert came == [shared.id]
    private = memory.remember(
        "secret link",
        type="causal_dependency",
        files=["schema.sql", "hidden.py"],
        visibility="personal",
    )
    memory.remember("open", type="gotcha", files=["hidden.py"], visibility="project")
    came = [hit.text for hit in bob.recall("schema", limit=1, chain=True) if hit.along]
    assert came == ["ours"], private.id


def test_the_phases_of_v2_are_a_preset(memory: Recollect) -> None:
    requirement = memory.remember("alpha beta", type="requirement")
    recipe = memory.remember("alpha -> beta", type="workflow_recipe")
    assert (
        memory.recall("alpha beta", phase="define", profile="ranks_by_query_type").found[0].id
        == recipe.id
    )
    assert (
        memory.recall("alpha beta", phase="define", profile="vectors_by_phase").found[0].id
        == requirement.id
    )
    assert PROFILES["vectors_by_phase"].parts == (0.6, 0.25, 0.15)
