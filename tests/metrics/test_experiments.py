"""Experiments: groups by hash, silence for some, and claims only where chance is no explanation."""

import random
from collections import Counter
from datetime import UTC, datetime

import pytest

from recollect.engine import Recollect
from recollect.metrics.confidence_intervals import (
    adjusted,
    rank_chance,
    share_chance,
    share_interval,
)
from recollect.metrics.experiments import NO_DIFFERENCE, NOT_ENOUGH, compared
from recollect.metrics.figures import SessionOutcome
from recollect.vocabulary.agents import Point
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.experiments import ExperimentGroup, ExperimentReport, group_of, may_serve

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def verdicts(
    report: ExperimentReport, group: ExperimentGroup = ExperimentGroup.FULL
) -> dict[str, str]:
    return {one.metric: one.verdict for one in report.comparisons if one.group is group}


def sessions(count: int, *, helps: bool, seed: int) -> list[SessionOutcome]:
    draw = random.Random(seed)
    found = []
    for number in range(count):
        name = f"{seed}-{number}"
        calls, passes = int(draw.lognormvariate(3.5, 0.6)), draw.random() < 0.5
        if helps and group_of("exp", name) is ExperimentGroup.FULL:
            calls, passes = calls // 2, passes or draw.random() < 0.6
        found.append(SessionOutcome(name, NOW, calls, calls // 3, passes, False))
    return found


def test_groups_are_of_the_sizes_that_were_asked_for() -> None:
    counts = Counter(group_of("exp", f"session {number}") for number in range(20_000))
    assert counts[ExperimentGroup.CONTROL] / 20_000 == pytest.approx(0.05, abs=0.01)
    assert counts[ExperimentGroup.PASSIVE] / 20_000 == pytest.approx(0.10, abs=0.01)
    assert [point for point in Point if may_serve(ExperimentGroup.CONTROL, point)] == []
    assert not may_serve(ExperimentGroup.PASSIVE, Point.STEP)
    assert may_serve(ExperimentGroup.PASSIVE, Point.SYSTEM_PROMPT)
    assert all(may_serve(None, point) and may_serve(ExperimentGroup.FULL, point) for point in Point)


def test_an_effect_is_found_where_there_is_one_and_only_there() -> None:
    good = verdicts(compared("exp", sessions(1_500, helps=True, seed=1)))
    assert good["tool_calls_per_session"] == good["qa_first_pass_rate"] == "better"
    none = compared("exp", sessions(1_500, helps=False, seed=2))
    assert set(verdicts(none).values()) == {NO_DIFFERENCE}
    few = compared("exp", sessions(100, helps=True, seed=3))
    assert set(verdicts(few).values()) == {NOT_ENOUGH}
    control = next(one for one in few.figures if one.group is ExperimentGroup.CONTROL)
    assert control.low is None


def test_the_statistics_are_those_of_the_books() -> None:
    assert share_interval(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    one, other = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    assert rank_chance(one, other) == pytest.approx(0.0050, abs=0.0015)
    assert rank_chance([1, 1, 1], [1, 1, 1]) == 1.0
    assert share_chance((30, 40), (10, 40)) < 0.001
    assert adjusted([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_a_control_session_is_told_nothing_and_observed(memory: Recollect) -> None:
    memory.remember("Always run the linter first.", type="preference", confidence=0.95)
    assert memory.session(id="before").group is None
    started = memory.metrics.start_experiment()
    assert started.running
    with pytest.raises(InvalidInput, match="already"):
        memory.metrics.start_experiment()
    names = {group_of(str(started.id), f"s{number}"): f"s{number}" for number in range(300)}
    for group, name in names.items():
        with memory.session(id=name, task="run the linter") as session:
            told = [session.system_prompt(), session.plan_context(), session.first_message("lint")]
            session.on_tool_call("Read", {"file_path": "a.py"}, call="1")
            session.on_tool_result("Read", {"file_path": "a.py"}, "x", call="1")
        assert session.group is group
        assert ("linter" in told[0]) is (group is not ExperimentGroup.CONTROL)
        if group is ExperimentGroup.CONTROL:
            assert told == ["", "", "lint"]
    stopped = memory.metrics.stop_experiment()
    assert (stopped.running, stopped.sessions) == (False, 3)
    assert memory.session(id=names[ExperimentGroup.CONTROL] + "x").group is None
    with pytest.raises(InvalidInput, match="No experiment"):
        memory.metrics.stop_experiment()
