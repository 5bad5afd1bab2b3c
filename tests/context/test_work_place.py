"""Work states and handed over notes reach the unit of work and the branch that they belong to."""

from pathlib import Path

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    return folder


def check_out(root: Path, branch: str) -> None:
    (root / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n", "utf-8")


def edited(session: AgentSession, root: Path, name: str = "a.py") -> None:
    session.on_tool_call("Edit", {"file_path": str(root / name)}, call="e")
    session.on_tool_result("Edit", {"file_path": str(root / name)}, "ok", call="e")


def worked(memory: Recollect, root: Path, task: str, **named: object) -> None:
    with memory.session(task=task, root=root, **named) as session:
        edited(session, root)


def told(memory: Recollect, root: Path, **named: object) -> str:
    session = memory.session(root=root, **named)
    return session.first_message(files=False)


def test_a_branch_is_told_its_own_state_only(memory: Recollect, root: Path) -> None:
    check_out(root, "main")
    worked(memory, root, "Release the shop")
    check_out(root, "feature/other")
    assert told(memory, root) == ""

    worked(memory, root, "Write the docs")
    assert "Asked for: Write the docs." in told(memory, root)
    check_out(root, "main")
    assert "Asked for: Release the shop." in told(memory, root)


def test_a_folder_without_branches_is_told_the_newest_state(
    memory: Recollect, tmp_path: Path
) -> None:
    worked(memory, tmp_path, "first")
    worked(memory, tmp_path, "second")
    assert "Asked for: second." in told(memory, tmp_path)


def test_a_unit_is_told_its_own_state_on_any_branch(memory: Recollect, root: Path) -> None:
    check_out(root, "spec-007")
    worked(memory, root, "the seventh", unit={"spec": "007"})
    check_out(root, "main")
    worked(memory, root, "the eighth", unit={"spec": "008"})
    worked(memory, root, "without a unit")

    seventh = told(memory, root, unit={"spec": "007"})
    assert "stood with Spec 007 on branch spec-007 (today" in seventh
    assert "Asked for: the seventh." in seventh
    assert "the eighth" in told(memory, root, unit={"spec": "008"})
    assert told(memory, root, unit={"spec": "009"}) == ""
    assert told(memory, root, unit={"epic": "007"}, methodology="bmad") == ""


def test_a_subtask_goes_on_with_itself_first_and_then_with_its_spec(
    memory: Recollect, root: Path
) -> None:
    worked(memory, root, "the first", unit={"spec": "007", "subtask": "1"})
    worked(memory, root, "the second", unit={"spec": "007", "subtask": "2"})

    assert "the first" in told(memory, root, unit={"spec": "007", "subtask": "1"})
    assert "the second" in told(memory, root, unit={"spec": "007", "subtask": "3"})
    assert "the second" in told(memory, root, unit={"spec": "007"})


def test_a_planner_hands_on_to_the_coders_of_the_same_unit(memory: Recollect, root: Path) -> None:
    with memory.session(root=root, stage="planning", unit={"spec": "001"}) as planner:
        planner.remember("The tax table comes first.", type="decision")

    assert "tax table" in told(memory, root, unit={"spec": "001"})
    assert "tax table" in told(memory, root, unit={"spec": "001", "subtask": "4"})
    assert told(memory, root, unit={"spec": "002"}) == ""
    assert told(memory, root) == ""


def test_a_reviewer_of_the_whole_gets_the_notes_of_its_parts(memory: Recollect, root: Path) -> None:
    with memory.session(root=root, unit={"spec": "001", "subtask": "1"}) as coder:
        coder.remember("Totals round half up.", type="decision")

    assert "half up" in told(memory, root, stage="qa_review", unit={"spec": "001"})
    other = {"spec": "001", "subtask": "2"}
    assert told(memory, root, stage="qa_review", unit=other) == ""


def test_without_units_notes_are_handed_on_along_the_branch(memory: Recollect, root: Path) -> None:
    check_out(root, "feature/tax")
    with memory.session(root=root, stage="planning") as planner:
        planner.remember("The tax table comes first.", type="decision")

    assert "tax table" in told(memory, root)
    check_out(root, "main")
    assert told(memory, root) == ""


def test_units_and_branches_with_long_names_are_told_apart(memory: Recollect, root: Path) -> None:
    long = "x" * 190
    with memory.session(root=root, stage="planning", unit={"spec": f"{long}1"}) as planner:
        planner.remember("The tax table comes first.", type="decision")

    assert "tax table" in told(memory, root, unit={"spec": f"{long}1"})
    assert told(memory, root, unit={"spec": f"{long}2"}) == ""
