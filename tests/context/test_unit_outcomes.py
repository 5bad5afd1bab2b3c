"""How a unit of work ended is kept once for each unit, and planners are told."""

from pathlib import Path

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from tests.stores import StoreMaker

UNIT = {"spec": "007", "subtask": "2"}


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def edited(session: AgentSession, root: Path) -> None:
    session.on_tool_call("Edit", {"file_path": str(root / "shop/a.py")}, call="e")
    session.on_tool_result("Edit", {"file_path": str(root / "shop/a.py")}, "ok", call="e")


def outcomes(memory: Recollect) -> list[Memory]:
    return list(memory.list(type="work_unit_outcome").items)


def test_the_end_of_a_session_is_the_end_of_its_unit(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(task="Mend the cart", root=tmp_path, unit=UNIT) as session:
        edited(session, tmp_path)

    (kept,) = outcomes(memory)
    assert kept.content == (
        "Spec 007 / Subtask 2: success after 1 step. Asked for: Mend the cart. "
        "Changed: `shop/a.py`."
    )
    assert dict(kept.extras) == {"outcome": "success", "steps": 1, "sessions": 1}
    assert kept.work_unit is not None
    assert kept.work_unit.hierarchy == ("007", "2")
    assert kept.modules == ("shop",)


def test_later_sessions_of_a_unit_have_the_last_word(memory: Recollect, tmp_path: Path) -> None:
    for outcome in ("failure", "success"):
        session = memory.session(root=tmp_path, unit=UNIT)
        edited(session, tmp_path)
        session.finish(outcome)
    with memory.session(root=tmp_path, unit={"spec": "008"}) as other:
        edited(other, tmp_path)

    extras = {one.work_unit.label: dict(one.extras) for one in outcomes(memory) if one.work_unit}
    assert extras == {
        "Spec 007 / Subtask 2": {"outcome": "success", "steps": 2, "sessions": 2},
        "Spec 008": {"outcome": "success", "steps": 1, "sessions": 1},
    }


def test_a_reviewer_outweighs_the_agent(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(root=tmp_path, unit=UNIT) as session:
        edited(session, tmp_path)
        session.qa_failed("It does not build.")
    (kept,) = outcomes(memory)
    assert kept.extras["outcome"] == "failure"


def test_a_unit_may_end_before_its_session(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(root=tmp_path, unit=UNIT) as session:
        kept = session.unit_done("partial", "The voucher is left for later.")
        edited(session, tmp_path)
    assert kept is not None
    (found,) = outcomes(memory)
    assert found.content == (
        "Spec 007 / Subtask 2: partial after 0 steps. The voucher is left for later."
    )
    with pytest.raises(InvalidInput, match="outcome"):
        session.unit_done("splendid")
    with pytest.raises(InvalidInput, match="names no unit"):
        memory.session(root=tmp_path).unit_done()


def test_a_review_leaves_what_was_said_of_the_unit_before(
    memory: Recollect, tmp_path: Path
) -> None:
    with memory.session(root=tmp_path, unit=UNIT) as session:
        edited(session, tmp_path)
        session.unit_done("partial", "The voucher is left for later.")
        session.qa_passed()
    (kept,) = outcomes(memory)
    assert kept.content.endswith("The voucher is left for later.")


def test_who_only_looked_says_nothing_of_the_unit(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(root=tmp_path, stage="planning", unit=UNIT) as session:
        session.on_tool_call("Read", {"file_path": "a.py"}, call="r")
    with memory.session(root=tmp_path) as unitless:
        edited(unitless, tmp_path)
    with memory.session(root=tmp_path, unit=UNIT, id="hushed") as hushed:
        memory.chat.incognito("hushed", True)
        edited(hushed, tmp_path)
    assert outcomes(memory) == []


def test_planners_of_the_same_whole_are_told(memory: Recollect, tmp_path: Path) -> None:
    with memory.session(root=tmp_path, unit=UNIT) as session:
        edited(session, tmp_path)

    told = "How earlier work ended:\n- [work_unit_outcome "
    other = memory.session(stage="planning", modules=["docs"], unit={"spec": "008"})
    assert told not in other.plan_context()
    same = memory.session(stage="planning", modules=["docs"], unit={"spec": "007"})
    assert told in same.plan_context()


def test_a_prompt_in_like_words_is_not_told_of_an_outcome(
    memory: Recollect, tmp_path: Path
) -> None:
    task = "Mend the voucher of the checkout basket total"
    with memory.session(task=task, root=tmp_path, unit=UNIT) as session:
        edited(session, tmp_path)
    other = memory.session(task=task, root=tmp_path, unit={"spec": "008"})
    told = [other.system_prompt(), other.first_message(task, files=False), other.bearing_on(task)]
    assert not any("work_unit_outcome" in text for text in told)


def test_two_people_keep_a_word_each(stores: StoreMaker, tmp_path: Path) -> None:
    memory = stores.open(settings={"agent_patience": "600"})
    memory.add_member("bob", "member")
    for view in (memory, memory.within(user="bob")):
        with view.session(root=tmp_path, unit=UNIT) as session:
            edited(session, tmp_path)
    assert {one.provenance.created_by for one in outcomes(memory)} == {"ada", "bob"}
    assert {one.extras["sessions"] for one in outcomes(memory)} == {1, 2}
