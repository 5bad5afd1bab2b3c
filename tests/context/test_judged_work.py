"""Verdicts from outside of a session: they reach it in the store, whichever process observes it."""

from pathlib import Path

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.observer.observer import Observer
from recollect.observer.page_replay import acts_of_page
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from tests.stores import StoreMaker

WISH = "please always use tabs in this project"
UNIT = {"spec": "007"}


@pytest.fixture
def stores_twice(stores: StoreMaker) -> tuple[Recollect, Recollect]:
    """One store, opened by two processes: the observer's and another one."""
    address = stores.ready()
    settings = {"agent_patience": "600"}
    return stores.open(address, settings=settings), stores.open(address, settings=settings)


def worked(memory: Recollect, root: Path, wish: str = WISH, **named: object) -> AgentSession:
    """A session in which the user states a lasting wish after the work."""
    session = memory.session(root=root, **named)
    session.recorder.check_out("ann/tabs")
    session.on_prompt("Add a discount")
    for number, words in enumerate(("Done.", "OK.")):
        edit = {"file_path": str(root / f"{number}.py")}
        session.on_tool_call("Edit", edit, call=f"e{number}")
        session.on_tool_result("Edit", edit, "ok", call=f"e{number}")
        session.on_message(words, final=True)
        if not number:
            session.on_prompt(wish)
    return session


def taught(memory: Recollect) -> list[Memory]:
    found = [one for one in memory.list(limit=100).items if WISH in one.content]
    return [
        one
        for one in found
        if one.type not in (MemoryType.WORK_STATE, MemoryType.WORK_UNIT_OUTCOME)
    ]


def test_a_verdict_of_another_process_closes_and_opens_the_gate_of_a_running_session(
    stores_twice: tuple[Recollect, Recollect], tmp_path: Path
) -> None:
    here, there = stores_twice
    session = worked(here, tmp_path)
    session.checkpoint()

    failed = there.agents.work.qa_report([{"description": "It fails"}], session=session.id)
    assert [(one.running, one.held) for one in failed.sessions] == [(True, "held: QA did not pass")]
    assert session.learn() == []
    assert taught(here) == []

    passed = there.agents.work.qa_report([], session=session.id)
    assert not passed.sessions[0].learned, "it is learned by who observes it"
    assert len(session.finish()) == 1
    assert len(taught(there)) == 1


def test_a_session_that_is_over_is_learned_from_its_page(
    stores_twice: tuple[Recollect, Recollect], tmp_path: Path
) -> None:
    here, there = stores_twice
    session = worked(here, tmp_path, session_type="spec", stage="planning")
    assert session.finish() == []
    (waiting,) = there.agents.work.sessions()
    assert waiting.held == "held: the specification is not accepted yet"

    done = there.agents.work.accepted(branch="ann/tabs")

    ((learned,),) = [one.learned for one in done.sessions]
    (kept,) = taught(there)
    assert learned.id == kept.id
    assert kept.provenance.session_id == session.id
    assert kept.provenance.events, "it cites the events of the page"
    assert any(tag.startswith("relay:native:coder") for tag in there.get(kept.id).tags)  # type: ignore[union-attr]
    assert there.agents.work.sessions()[0].held is None
    again = there.agents.work.accepted(session=session.id)
    assert not again.sessions[0].learned
    assert len(taught(here)) == 1


def test_what_is_learned_from_a_page_is_what_was_heard(memory: Recollect, tmp_path: Path) -> None:
    session = worked(memory, tmp_path)
    session.on_tool_call("Bash", {"command": "pytest -q"}, call="b")
    session.on_tool_failure("Bash", {"command": "pytest -q"}, "Exit code 1\nE  KeyError", call="b")
    session.checkpoint()
    events = memory.read(f"agent {session.id}").items

    again = Observer(session.id)
    for act in acts_of_page(events, session.id, "ann/tabs"):
        again.observe(act)

    mine = session.recorder.observer.candidates()
    assert [(one.key, one.content, one.events) for one in again.candidates()] == [
        (one.key, one.content, one.events) for one in mine
    ]
    assert again.facts().files == session.recorder.observer.facts().files


def test_a_verdict_on_a_unit_reaches_its_sessions_and_its_outcome(
    memory: Recollect, tmp_path: Path
) -> None:
    other = worked(memory, tmp_path, "never edit the vendored files", unit={"spec": "008"})
    other.finish()
    session = worked(memory, tmp_path, unit={"spec": "007", "subtask": "2"})
    session.checkpoint()
    issue = {"description": "Totals are off", "severity": "high", "files": ["0.py"]}

    failed = memory.agents.work.qa_report([issue], spec="007")
    assert [one.run.id for one in failed.sessions] == [session.id]
    (finding,) = failed.findings
    told = memory.session(root=tmp_path).tool_context("Edit", {"file_path": "0.py"})
    assert "Totals are off" in told, "a person said it, so agents are warned at any trust level"
    assert finding.work_unit is not None
    assert finding.work_unit.hierarchy == ("007",)
    assert "severity:high" in finding.tags
    assert session.finish() == []

    whole = {"spec": "007", "subtask": "2"}
    passed = memory.agents.work.qa_report([], unit=whole, note="Checked twice.")
    assert len(passed.sessions[0].learned) == 1
    assert passed.outcome is not None
    assert passed.outcome.extras["outcome"] == "success"
    assert passed.outcome.content.startswith("Spec 007 / Subtask 2: success after 2 steps.")


def test_who_names_unknown_work_is_told(memory: Recollect) -> None:
    with pytest.raises(NotFound, match="branch nowhere"):
        memory.agents.work.accepted(branch="nowhere")
    with pytest.raises(InvalidInput, match="names no unit"):
        memory.agents.work.accepted(unit={"colour": "red"})
    with pytest.raises(InvalidInput, match="Which work"):
        memory.agents.work.done()
    kept = memory.agents.work.qa_report([{"description": "It fails"}], branch="nowhere")
    assert len(kept.findings) == 1, "a finding is kept although no session is known"


def test_without_a_name_only_the_last_session_is_meant(memory: Recollect, tmp_path: Path) -> None:
    for _ in range(2):
        worked(memory, tmp_path, session_type="spec").finish()
    last = memory.agents.sessions(1)[0].id

    done = memory.agents.work.accepted()

    assert [one.run.id for one in done.sessions] == [last]
    assert [one.held is None for one in memory.agents.work.sessions()] == [True, False]


def test_a_unit_that_is_done_ends_the_wishes_that_held_for_it_alone(
    memory: Recollect, tmp_path: Path
) -> None:
    session = worked(memory, tmp_path, unit=UNIT)
    session.on_prompt("for this spec, always skip the slow tests")
    session.finish("partial")
    (bound,) = memory.list(tag="bound:work").items

    partly = memory.agents.work.done("partial", unit=UNIT)
    assert not partly.ended
    done = memory.agents.work.done(unit=UNIT, note="Shipped.")

    assert [one.id for one in done.ended] == [bound.id]
    assert done.outcome is not None
    assert done.outcome.content.endswith("Shipped.")
    assert dict(done.outcome.extras)["said"] is True
    assert not memory.list(tag="bound:work").items
    assert len(memory.list(type="work_unit_outcome").items) == 1


def test_a_verdict_on_a_page_that_one_may_not_read_is_refused(
    memory: Recollect, tmp_path: Path
) -> None:
    session = worked(memory, tmp_path, private=True, session_type="spec")
    session.finish()
    memory.add_member("bea", "member")
    bea = memory.within(user="bea")

    with pytest.raises(NotFound):
        bea.agents.work.accepted(session=session.id)
    assert taught(memory) == []
    assert len(memory.agents.work.accepted(session=session.id).sessions[0].learned) == 1
