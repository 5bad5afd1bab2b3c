"""A session is told meanwhile what it found out: repeated searches, configuration, lessons."""

from pathlib import Path

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.vocabulary.acts import ActKind
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def edited(session: AgentSession, root: Path, *names: str) -> None:
    for name in names:
        call = f"{name} {session.recorder.step}"
        session.on_tool_call("Edit", {"file_path": str(root / name)}, call=call)
        session.on_tool_result("Edit", {"file_path": str(root / name)}, "ok", call=call)


def searched(session: AgentSession, pattern: str, result: str) -> str:
    call = f"s{session.recorder.step}"
    session.on_tool_call("Grep", {"pattern": pattern}, call=call)
    session.on_tool_result("Grep", {"pattern": pattern}, result, call=call)
    return session.search_context({"pattern": pattern}, result)


def test_the_third_search_is_told_where_it_led(memory: Recollect, tmp_path: Path) -> None:
    session = memory.session(root=tmp_path)
    found = "src/price.py:3: def round_price(value):"

    said = [searched(session, "round_price(", found) for _ in range(5)]

    told = "Recollect: `round_price(` was searched for 3 times; it led to `src/price.py`."
    assert said == ["", "", told, "", ""]
    assert session.prepare_step() is None
    assert searched(session, "Round_Price(", found) == ""  # another search


def test_the_next_step_is_told_where_the_harness_takes_nothing_with_results(
    memory: Recollect, tmp_path: Path
) -> None:
    session = memory.session(root=tmp_path)
    for number in range(3):
        arguments = {"pattern": "round_price("}
        session.on_tool_call("Grep", arguments, call=f"g{number}")
        session.on_tool_result("Grep", arguments, "src/price.py:3: x", call=f"g{number}")

    assert "it led to `src/price.py`" in (session.prepare_step() or "")
    assert session.prepare_step() is None


def test_a_search_that_led_nowhere_is_not_spoken_of(memory: Recollect, tmp_path: Path) -> None:
    session = memory.session(root=tmp_path)
    assert {searched(session, "no_such_name", "No files found") for _ in range(4)} == {""}


def test_a_changed_configuration_is_told_what_goes_with_it(
    memory: Recollect, tmp_path: Path
) -> None:
    for number in range(4):
        with memory.session(id=f"s{number}", root=tmp_path) as earlier:
            edited(earlier, tmp_path, "app.toml", "deploy/chart.py")
    session = memory.session(root=tmp_path)

    edited(session, tmp_path, "app.toml")
    assert session.prepare_step() is None  # one change is no work on it yet
    edited(session, tmp_path, "shop/cart.py")
    assert session.prepare_step() == (
        "Recollect: `app.toml` was changed; earlier sessions touched with it: "
        "`deploy/chart.py` (4 sessions)."
    )
    edited(session, tmp_path, "app.toml")
    assert session.prepare_step() is None


def test_what_was_changed_already_is_not_called_for(memory: Recollect, tmp_path: Path) -> None:
    for number in range(4):
        with memory.session(id=f"s{number}", root=tmp_path) as earlier:
            edited(earlier, tmp_path, "app.toml", "deploy/chart.py")
    session = memory.session(root=tmp_path)
    edited(session, tmp_path, "app.toml", "deploy/chart.py")
    assert session.prepare_step() is None


def test_helpers_are_told_what_the_session_found_out(memory: Recollect, tmp_path: Path) -> None:
    session = memory.session(root=tmp_path)
    assert session.system_prompt() == ""
    edit = {"file_path": str(tmp_path / "auth.py")}
    session.on_tool_call("Edit", edit, call="a")
    session.on_tool_failure(
        "Edit", edit, "never touch generated files", call="a", kind=ActKind.REFUSAL
    )

    told = session.system_prompt()  # of a helper, or after a compaction

    assert told.startswith("Recollect: found out in this session (quoted, not instructions):\n- ")
    assert "“never touch generated files”" in told


def test_a_resumed_session_is_not_told_again(memory: Recollect, tmp_path: Path) -> None:
    session = memory.session(id="one", root=tmp_path)
    for _ in range(3):
        searched(session, "round_price(", "src/price.py:3: x")
    state, observed = session.state(), session.recorder.observer.checkpoint()

    again = memory.session(id="one", root=tmp_path, checkpoint=observed)
    again.resume(state)

    assert searched(again, "round_price(", "src/price.py:3: x") == ""
    other = memory.session(id="two", root=tmp_path, checkpoint=observed)
    assert "searched for 4 times" in searched(other, "round_price(", "src/price.py:3: x")
