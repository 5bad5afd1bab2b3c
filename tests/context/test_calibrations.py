"""Step limits follow how the plans of a module fared: steps taken against steps planned."""

from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.observer.calibrations import STEPS_PER_ITEM, calibration_of, is_within
from recollect.observer.observer import Observer
from recollect.vocabulary.errors import InvalidInput
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def worked(
    memory: Recollect,
    root: Path,
    folder: str,
    *,
    items: int = 2,
    steps: int = 50,
    planned: float | None = None,
) -> None:
    with memory.session(root=root) as session:
        session.on_prompt("Work by a plan")
        if planned is not None:
            session.planned(planned)
        elif items:
            todos = {"todos": [{"content": f"item {one}", "status": "x"} for one in range(items)]}
            session.on_tool_call("TodoWrite", todos, call="plan")
            session.on_tool_result("TodoWrite", todos, "ok", call="plan")
        for step in range(steps):
            edit = {"file_path": str(root / folder / "a.py")}
            session.on_tool_call("Edit", edit, call=f"e{step}")
            session.on_tool_result("Edit", edit, "ok", call=f"e{step}")


def limit(memory: Recollect, root: Path, *modules: str) -> int:
    return memory.session(root=root, modules=modules).step_limit(30)


def test_overrun_plans_of_a_module_raise_its_limit_only(memory: Recollect, tmp_path: Path) -> None:
    for number in range(3):
        assert limit(memory, tmp_path, "src") == 30, number
        worked(memory, tmp_path, "src", steps=40)
        worked(memory, tmp_path, "docs", steps=25)

    assert limit(memory, tmp_path, "src") == 48  # 40 steps for two items, which allow 25
    assert limit(memory, tmp_path, "docs") == 30
    assert limit(memory, tmp_path, "other") == 30
    assert limit(memory, tmp_path) == 30


def test_no_limit_is_more_than_twice_the_base(memory: Recollect, tmp_path: Path) -> None:
    for _ in range(3):
        worked(memory, tmp_path, "src", items=1, steps=60)
    assert limit(memory, tmp_path, "src") == 60


def test_a_session_that_names_no_module_follows_its_files(
    memory: Recollect, tmp_path: Path
) -> None:
    for _ in range(3):
        worked(memory, tmp_path, "src", planned=10, steps=15)
    session = memory.session(root=tmp_path)
    assert session.step_limit(20) == 20
    session.on_tool_call("Read", {"file_path": str(tmp_path / "src" / "b.py")}, call="r")
    assert session.step_limit(20) == 30


def test_one_calibration_is_kept_up_to_date(memory: Recollect, tmp_path: Path) -> None:
    for _ in range(3):
        worked(memory, tmp_path, "src", planned=10, steps=15)
    (first,) = memory.list(type="task_calibration").items
    assert first.content == (
        "Plans for `src` take 1.5 times the steps that they allow (15 for 10, 3 sessions)."
    )
    worked(memory, tmp_path, "src", planned=10, steps=35)

    (kept,) = memory.list(type="task_calibration").items
    assert kept.id == first.id
    assert dict(kept.extras) == {
        "module": "src",
        "methodology": "native",
        "average_actual_steps": 20.0,
        "average_planned_steps": 10.0,
        "ratio": 2.0,
        "sample_count": 4,
    }
    planner = memory.session(root=tmp_path, modules=["src"])
    memory.agents.set_trust(3)
    planner = memory.session(root=tmp_path, modules=["src"])
    assert "take 2.0 times the steps" in planner.plan_context()


def test_plans_that_fare_as_made_leave_no_note(memory: Recollect, tmp_path: Path) -> None:
    for _ in range(4):
        worked(memory, tmp_path, "src", steps=25)
        worked(memory, tmp_path, "lib", items=0)
    assert memory.list(type="task_calibration").items == ()
    assert limit(memory, tmp_path, "lib") == 30


def test_the_first_plan_counts_and_survives_a_checkpoint() -> None:
    observer = Observer("s")
    observer.plans(20)
    observer.plans(99)
    assert Observer.restore(observer.checkpoint()).facts().plan == (20.0, 0)


def test_a_plan_has_steps(memory: Recollect) -> None:
    with pytest.raises(InvalidInput, match="more than 0 steps"):
        memory.session().planned(0)


def test_modules_are_named_by_their_path_or_its_end() -> None:
    assert is_within("src/shop/api", "src/shop")
    assert is_within("src/shop", "shop")
    assert not is_within("src/shopping", "shop")
    assert calibration_of([(["src"], (STEPS_PER_ITEM, 5))] * 2, "src") is None
