"""Tracked figures: each is counted from what happened, for stewards, in their own spaces."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.metrics import METRICS, SpaceMetrics
from tests.clocks import TickingClock
from tests.codegraph.projects import with_history
from tests.observer.acts import START, Story


def value(found: SpaceMetrics, name: str, label: str | None = None) -> float | None:
    return next(one.value for one in found.values if (one.name, one.label) == (name, label))


def worked(session: str, day: int, *, passes: bool, dead: str = "") -> Story:
    """A session that reads, edits, and runs the tests."""
    story = Story(session, START + timedelta(days=day)).read("src/a.py", "x")
    if dead:
        story.answer(f"{dead} won't work because the server refuses long requests here.")
    story.edit("src/a.py", "x", "y")
    story.call("Bash", command="pytest -q")
    story = story.result("3 passed") if passes else story.fail("Exit code 1\n1 failed")
    return story.bash("pytest -q", "3 passed")


@pytest.fixture
def used(memory: Recollect, clock: TickingClock, tmp_path: Path) -> Recollect:
    """A space in which a little of everything happened."""
    clock.move(START + timedelta(days=20) - clock())
    for name in ("basket", "invoice"):
        memory.remember(f"The {name} is kept per user.", files=[f"src/{name}.py"])
        memory.predict({"current_file": f"src/{name}.py"})
    memory.recall("The basket is kept per user.", limit=1)
    memory._services.serving.flush()
    clock.move(timedelta(days=2))  # the day of both predictions is over
    again = "Patching the gateway with chunked uploads"
    for number, (passes, dead) in enumerate([(True, again), (False, ""), (True, again)]):
        memory.learning.learn(worked(f"s{number}", number, passes=passes, dead=dead).observed())
    told = memory.remember("Long requests are refused.", type="gotcha", confidence=0.95)
    memory.remember("Long requests are refused.")
    with memory.session(id="now", task="send a long request") as session:
        assert told.content in session.system_prompt()
    memory.agents.reject(told.id)
    said = memory.record("The harbour closes at nine, said the harbour master.", stream="talk")
    memo = memory.workspace.save(said.id, summary="The harbour closes at nine.")
    suggested = memory.workspace.suggest("The harbour closes at nine")
    assert [hit.memo.id for hit in suggested.found] == [memo.id]
    memory.workspace.memo(memo.id)
    memory.workspace.memo(memo.id)
    memory.research("when does the harbour close?")
    answer = memory.recall("when does the harbour close?")
    memory.feedback(str(answer.id), "helpful")
    memory.code.index(with_history(tmp_path / "shop"))
    memory.recall("the basket of the shop")
    memory.evolution.run()
    return memory


def test_every_figure_is_counted_from_what_happened(used: Recollect) -> None:
    found = used.metrics.figures()
    assert {one.name for one in found.values} >= {one.name for one in METRICS} - {"budget_use"}
    assert value(found, "memo_hit_rate") == 1.0
    assert value(found, "rounds_per_question") == 1.0
    assert value(found, "suggestion_click_rate") == 1.0
    assert (value(found, "night_duration") or 0) > 0
    assert value(found, "rereads_per_session") == pytest.approx(2 / 3)
    assert value(found, "qa_first_pass_rate") == pytest.approx(2 / 3)
    assert value(found, "dead_end_reentry_rate") == pytest.approx(1 / 3)
    assert value(found, "correction_rate") == 1.0
    assert value(found, "prediction_accuracy") == 0.5
    assert value(found, "recall_hit_rate") == 1.0
    assert value(found, "repeats_saved") == 2.0, "a note, and the dead end of two sessions"
    assert value(found, "graph_boost_rate") in {0.0, 0.5, 1.0}
    assert value(found, "enriched_events", "all") == 2.0
    assert value(found, "enriched_events", "embedded") == 1.0, "the end of a session has none"
    assert (value(found, "verb_p95", "recall") or 0) > 0
    assert not found.alarming, "three sessions are no reason for alarm"


def test_figures_are_for_those_who_look_after_a_space(used: Recollect) -> None:
    used.add_member("bob", "member")
    bob = used.within(user="bob")
    with pytest.raises(NotAllowed, match="figures"):
        bob.metrics.figures()
    garden = bob.within(space="garden", user="bob")
    garden.remember("Roses want sun.")
    assert [one.space for one in garden.metrics.of_every_space()] == ["garden"]
    assert [one.space for one in used.metrics.of_every_space()] == [used.space.name]
    with pytest.raises(NotAllowed):
        bob.metrics.experiment()
    for verb in (bob.metrics.start_experiment, bob.metrics.propose_weights):
        with pytest.raises(NotAllowed):
            verb()


def test_qa_says_more_than_any_check(memory: Recollect) -> None:
    with memory.session(id="judged") as session:
        file = {"file_path": "a.py"}
        session.on_tool_call("Edit", file, call="1")
        session.on_tool_result("Edit", file, "done", call="1")
        session.on_tool_call("Bash", {"command": "make test"}, call="2")
        session.on_tool_result("Bash", {"command": "make test"}, "ok", call="2")
        session.qa_failed("The button does nothing")
        session.qa_passed()
    assert value(memory.metrics.figures(), "qa_first_pass_rate") == 0.0
