"""Events that a process of their own writes down, and that arrive after their session's end."""

import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import time_ns
from typing import Any

from recollect.vocabulary.errors import StreamNotFound
from tests.child_processes import ROOT, ForkedProcess
from tests.surfaces.hooks.harness import SOURCE, Harness

_BLOCKED = """
import os, sys

if "--write" in sys.orig_argv:
    open(os.environ["LATE_EVENT"]).read()
"""


class LateWriter:
    """Makes the next process that writes an event itself wait until it is let go."""

    def __init__(self, harness: Harness, folder: Path) -> None:
        self._harness = harness
        harness.forks_daemons = False  # hooks start those that are late
        self._gate = folder / "gate"
        os.mkfifo(self._gate)
        (folder / "late").mkdir()
        (folder / "late" / "sitecustomize.py").write_text(_BLOCKED)
        self._slow = {
            "PYTHONPATH": f"{folder / 'late'}{os.pathsep}{SOURCE}",
            "LATE_EVENT": str(self._gate),
            "RECOLLECT_AGENT_PATIENCE": "0.01",
        }

    def hook(self, event: str, session: str = "one", **data: str) -> None:
        """An event for which no daemon is there in time."""
        usual = self._harness.environment
        self._harness.environment = {**usual, **self._slow}
        self._harness.hook(event, session, **data)
        self._harness.environment = usual

    def let_go(self) -> None:
        """Let the process write its event, and wait until it has."""
        self._gate.write_text("")
        self._harness.wait_for_writers()


def write(harness: Harness, written_at: int, event: str, session: str, **data: Any) -> None:
    """A process that writes an event, as hooks of an earlier version start it: it has no lock."""
    payload = json.dumps(
        {"session_id": session, "cwd": str(harness.project), "hook_event_name": event, **data}
    )
    writer = ForkedProcess(
        [str(harness.home), "--write"],
        environment=harness.environment,
        folder=ROOT,
        module="recollect.surfaces.hooks",
        stdin=subprocess.PIPE,
    )
    assert writer.stdin is not None
    writer.stdin.write(f"\x1e{written_at}-1 {len(payload)} claude-code {event}\n{payload}\n")
    writer.communicate(60)
    assert writer.returncode == 0


def work(harness: Harness, session: str = "one") -> None:
    """A session that changes a file and ends."""
    harness.tool("Edit", "c1", session, file_path=harness.path("src/tokens.py"))
    harness.hook("Stop", session, last_assistant_message="Done.")
    harness.hook("SessionEnd", session, reason="other")


def texts(harness: Harness, session: str = "one") -> list[str]:
    with harness.memory() as memory, suppress(StreamNotFound):
        return [event.text for event in memory.read(f"claude-code {session}").items]
    return []


def kill(harness: Harness) -> None:
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()


def state(harness: Harness, session: str = "one") -> str:
    with harness.memory() as memory:
        found = memory.list(types=["work_state"]).items
        mine = (one.content for one in found if one.provenance.session_id == session)
        return next(mine, "")


def test_prompt_that_is_written_after_the_end_opens_its_session(
    harness: Harness, tmp_path: Path
) -> None:
    late = LateWriter(harness, tmp_path)
    late.hook("UserPromptSubmit", prompt="Make the login reject old tokens")
    harness.hook("SessionStart", "zero", source="startup")  # waits for the daemon
    work(harness)

    late.let_go()
    harness.until(lambda: "Make the login reject old tokens" in texts(harness))
    harness.until(lambda: "partial" in texts(harness))
    harness.stop()

    assert texts(harness) == [
        "Make the login reject old tokens",
        *(
            f"Edit: {harness.path('src/tokens.py')}",
            '{"stdout": "", "stderr": ""}',
            "Done.",
            "partial",
        ),
    ]
    assert state(harness).startswith("Asked for: Make the login reject old tokens. Changed:")
    with harness.memory() as memory:
        assert memory.agents.review("one").session.task == "Make the login reject old tokens"


def test_events_of_a_finished_session_are_kept_and_its_end_stays(harness: Harness) -> None:
    begun = time_ns()
    harness.hook("SessionStart", "zero", source="startup")
    work(harness)
    work(harness, "two")
    harness.until(lambda: "partial" in texts(harness) and "partial" in texts(harness, "two"))
    with harness.memory() as memory:
        ended = memory.agents.review("one").session.ended_at

    write(harness, begun, "SessionStart", "one", source="startup")
    write(harness, begun + 1, "UserPromptSubmit", "one", prompt="Reject old tokens")
    kill(harness)
    write(harness, begun + 2, "UserPromptSubmit", "two", prompt="Reject new tokens")
    harness.hook("SessionStart", "three", source="startup")
    answer = {"tool_name": "Bash", "tool_use_id": "c2", "tool_input": {"command": "make"}}
    write(harness, begun + 3, "PostToolUse", "two", tool_response="made", **answer)
    harness.until(lambda: "Reject old tokens" in texts(harness))
    harness.until(lambda: {"Reject new tokens", "made"} <= set(texts(harness, "two")))
    harness.until(lambda: "Reject old tokens" in state(harness))
    harness.until(lambda: "Reject new tokens" in state(harness, "two"))
    kill(harness)  # nothing waits for the end of a daemon

    assert [texts(harness).count(one) for one in ("Reject old tokens", "partial")] == [1, 1]
    assert [texts(harness, "two").count(one) for one in ("made", "partial")] == [1, 1]
    assert state(harness).startswith("Asked for: Reject old tokens. Changed: `src/tokens.py`.")
    assert state(harness, "two").startswith("Asked for: Reject new tokens. Changed:")
    with harness.memory() as memory:
        run = memory.agents.review("one").session
        assert (run.task, run.ended_at) == ("Reject old tokens", ended)


def test_daemon_killed_before_a_late_event_is_written_keeps_all_of_the_session(
    harness: Harness, tmp_path: Path
) -> None:
    late = LateWriter(harness, tmp_path)
    late.hook("UserPromptSubmit", prompt="Reject old tokens")
    harness.hook("SessionStart", "zero", source="startup")
    work(harness)
    kill(harness)
    late.let_go()
    harness.hook("SessionStart", "two", source="startup")

    harness.until(lambda: "partial" in texts(harness))
    harness.until(lambda: "Reject old tokens" in state(harness))
    kill(harness)

    assert texts(harness)[0] == "Reject old tokens"
    assert state(harness).startswith("Asked for: Reject old tokens. Changed:")


def test_status_tells_of_an_event_without_waiting_for_the_end_of_a_turn(harness: Harness) -> None:
    def told() -> tuple[int, int]:
        figures = json.loads((harness.home / "status.json").read_text())
        return figures["events"], figures["answered"]

    with harness.memory() as memory:
        memory.remember("Tests need Redis.", type="gotcha", confidence=0.95)
    assert "Tests need Redis." in harness.hook("SessionStart", source="startup")

    harness.until(lambda: told() == (1, 1))


def test_session_whose_end_was_taken_in_is_finished_by_the_next_daemon(
    harness: Harness, tmp_path: Path
) -> None:
    late = LateWriter(harness, tmp_path)
    late.hook("UserPromptSubmit", prompt="Reject old tokens")
    harness.hook("SessionStart", "zero", source="startup")
    harness.tool("Edit", "c1", file_path=harness.path("src/tokens.py"))
    harness.hook("SessionEnd", reason="other")  # held back, as an event is on its way
    harness.hook("Stop", last_assistant_message="Done.")
    harness.until(lambda: "Done." in texts(harness))  # its checkpoint is past the end
    harness.until(lambda: any((harness.home / "sessions").glob("*one*.json")))
    kill(harness)
    late.let_go()
    harness.hook("SessionStart", "two", source="startup")

    harness.until(lambda: "partial" in texts(harness))
    harness.until(lambda: "Reject old tokens" in state(harness))
    kill(harness)

    assert state(harness).startswith("Asked for: Reject old tokens. Changed:")
