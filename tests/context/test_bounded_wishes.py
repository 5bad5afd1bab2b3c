"""Wishes for one piece of work are told where that work goes on, say so, and end with it."""

import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine import Recollect
from recollect.observer.bounded_words import bound_of
from recollect.vocabulary.memory import Memory, WorkUnit
from tests.clocks import TickingClock

RULE = "until the release is out, always leave the migrations untouched"
NAME = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *NAME, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    git(place, "commit", "-q", "--allow-empty", "-m", "begin")
    return place


def worked(memory: Recollect, root: Path, words: str = "", **more: Any) -> None:
    """A session in this folder, in which the user says these words after the agent's work."""
    with memory.session(root=root, **more) as session:
        session.on_prompt("Add a voucher")
        session.on_tool_call("Bash", {"command": "ls"}, call="1")
        session.on_tool_result("Bash", {"command": "ls"}, "cart.py", call="1")
        session.on_message("Done.", final=True)
        if words:
            session.on_prompt(words)
            edit = {"file_path": str(root / "cart.py")}
            session.on_tool_call("Edit", edit, call="2")
            session.on_tool_result("Edit", edit, "ok", call="2")
            session.on_message("Right.", final=True)


def begins(memory: Recollect, root: Path, **more: Any) -> str:
    return memory.session(root=root, **more).system_prompt()


def bound(memory: Recollect) -> list[Memory]:
    """The wishes for one piece of work that have not been ended before their time."""
    found = memory.list(tags=["bound:work"]).items
    return [one for one in found if one.valid_to == one.valid_from + timedelta(days=14)]


def test_it_is_told_on_its_branch_alone_and_says_so(root: Path) -> None:
    with recollect.open(root.parent / "m.db", worker=False) as memory:
        git(root, "switch", "-q", "-c", "release/2")
        worked(memory, root, RULE)

        (kept,) = bound(memory)
        assert kept.work_unit == WorkUnit("branch", ("release/2",), "branch release/2")
        assert kept.valid_to == kept.valid_from + timedelta(days=14)
        told = begins(memory, root)
        assert RULE in told
        assert "Holds for this work only (“until the release is out”): branch release/2" in told

        git(root, "switch", "-q", "main")
        assert RULE not in begins(memory, root)
        signals = {"task": "the migrations", "branch": "main"}
        assert RULE not in memory.assemble(2_000, signals).context
        signals["branch"] = "release/2"
        assert RULE in memory.assemble(2_000, signals).context


def test_it_ends_when_its_branch_is_merged(root: Path) -> None:
    with recollect.open(root.parent / "m.db", worker=False) as memory:
        git(root, "switch", "-q", "-c", "release/2")
        worked(memory, root, RULE)
        git(root, "switch", "-q", "main")
        worked(memory, root)
        assert len(bound(memory)) == 1

        git(root, "switch", "-q", "release/2")
        git(root, "commit", "-q", "--allow-empty", "-m", "work")
        git(root, "switch", "-q", "main")
        git(root, "merge", "-q", "release/2")
        worked(memory, root)
        assert bound(memory) == []


def test_it_ends_when_its_branch_is_gone(root: Path) -> None:
    with recollect.open(root.parent / "m.db", worker=False) as memory:
        git(root, "switch", "-q", "-c", "release/2")
        worked(memory, root, "for this task only, don't touch the tests")
        assert len(bound(memory)) == 1
        git(root, "switch", "-q", "main")
        git(root, "branch", "-q", "-D", "release/2")
        worked(memory, root)
        assert bound(memory) == []


def test_it_ends_with_its_unit_of_work_and_after_two_weeks(root: Path) -> None:
    clock = TickingClock()
    with recollect.open(root.parent / "m.db", worker=False, clock=clock) as memory:
        unit: dict[str, Any] = {"methodology": "bmad", "unit": {"epic": "1", "story": "2"}}
        other: dict[str, Any] = {"methodology": "bmad", "unit": {"epic": "1", "story": "3"}}
        worked(memory, root, RULE, **unit)
        (kept,) = bound(memory)
        assert RULE in begins(memory, root, **unit)
        assert RULE not in begins(memory, root, **other)

        memory.remember(
            "Story 2 is done.",
            type="work_unit_outcome",
            extras={"outcome": "success"},
            work_unit=kept.work_unit,
        )
        worked(memory, root, **other)
        assert bound(memory) == []

        worked(memory, root, RULE, **other)
        assert RULE in begins(memory, root, **other)
        clock.move(timedelta(days=15))
        assert RULE not in begins(memory, root, **other)


def test_a_session_that_ends_does_not_end_its_unit_but_the_agents_word_does(root: Path) -> None:
    with recollect.open(root.parent / "m.db", worker=False) as memory:
        unit: dict[str, Any] = {"unit": {"spec": "007"}}
        worked(memory, root, RULE, **unit)
        (outcome,) = memory.list(type="work_unit_outcome").items
        assert outcome.extras["outcome"] == "success"
        worked(memory, root, "Now the basket", **unit)
        assert RULE in begins(memory, root, **unit)

        with memory.session(root=root, **unit) as last:
            last.unit_done()
        assert bound(memory) == []
        assert RULE not in begins(memory, root, **unit)


@pytest.mark.parametrize(
    ("words", "bound_by"),
    [
        (RULE, "until the release is out"),
        ("for this task only, don't touch the tests", "for this task only"),
        ("on this branch never run the linter", "on this branch"),
        ("don't touch the tests for this task", "for this task"),
        ("can you review the change in this branch, I'm concerned about the tests", ""),
        ("let's only add replace for now, but leave the others", ""),
        ("keep the old API until v2 is out", "until v2 is out"),
        ("never merge until CI is green", ""),
        ("don't commit until I say so", ""),
        ("never push until the tests pass", ""),
        ("from now on use pnpm", ""),
    ],
)
def test_what_holds_for_a_while_and_what_must_always_come_first(words: str, bound_by: str) -> None:
    assert bound_of(words) == bound_by
