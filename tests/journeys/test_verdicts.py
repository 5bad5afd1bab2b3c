"""A reviewer at a terminal, an agent under hooks: the daemon's gate follows what is said there."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.vocabulary.memory import Memory
from tests.stores import SharedStores
from tests.surfaces.cli.runner import InProcess
from tests.surfaces.hooks.harness import Harness

REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\nauth.py is generated, please use tokens.py instead"
)


@pytest.fixture
def harness(tmp_path: Path, shared_stores: SharedStores) -> Iterator[Harness]:
    made = Harness(tmp_path)
    shutil.copy(shared_stores.migrated_file, made.db)
    yield made
    made.stop()


def preferences(harness: Harness) -> list[Memory]:
    with harness.memory() as memory:
        return list(memory.list(type="preference").items)


def stopped(harness: Harness) -> None:
    """The end of a turn, and until the daemon has written it."""
    harness.hook("Stop", stop_hook_active=False, last_assistant_message="Done.")
    harness.until(lambda: _is_kept(harness))


def _is_kept(harness: Harness) -> bool:
    with harness.memory() as memory:
        return bool(memory.list(type="work_state").items)


def test_a_verdict_at_a_terminal_holds_what_the_daemon_observes(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(harness.project)
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    cli = InProcess(harness.db)
    harness.hook("UserPromptSubmit", prompt="Make the login reject old tokens")
    harness.tool("Edit", "c1", file_path=harness.path("src/a.py"), response={"newString": ""})
    stopped(harness)
    assert "running" in cli("unit").out

    assert cli("unit", "qa", "It accepts old tokens", "--session", "one").out.startswith(
        "QA failed: session one"
    )
    edit = {"file_path": harness.path("src/auth.py"), "old_string": "a", "new_string": "b"}
    harness.call("PreToolUse", "Edit", "c2", **edit)
    harness.call("PostToolUseFailure", "Edit", "c2", error=REFUSAL, **edit)
    harness.tool("Edit", "c3", file_path=harness.path("src/tokens.py"), response={"newString": ""})
    harness.hook("SessionEnd", reason="prompt_input_exit")
    harness.stop()
    assert preferences(harness) == [], "its review failed"
    assert "held: QA did not pass" in cli("unit").out

    said = cli("unit", "qa", "--passed", "--session", "one").out

    assert "learned 1 thing that was kept back" in said
    (kept,) = preferences(harness)
    assert kept.content.startswith("The user said: “auth.py is generated")
    assert kept.files == ("src/auth.py", "src/tokens.py")
