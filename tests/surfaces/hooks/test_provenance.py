"""What hooked sessions keep cites its events: what a user asks to remember, and commits."""

import json
import os
import signal
from collections.abc import Sequence
from time import time_ns
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.memories.write_path import WritePath
from recollect.surfaces.hooks.sessions import Sessions
from recollect.surfaces.hooks.spool import Frame, SpoolPosition
from recollect.vocabulary.errors import StoreError
from recollect.vocabulary.memory import Memory
from tests.surfaces.hooks.harness import Harness

WISH = "Lines of the log are in UTC."


def prompts(memory: Recollect, session: str = "one") -> list[str]:
    events = memory.read(f"claude-code {session}").items
    return [event.text for event in events if event.payload.get("act") == "prompt"]


def cited(memory: Recollect, kept: Memory) -> list[str]:
    return [memory.window(event).event.text for event in kept.provenance.events]


def kept_once(memory: Recollect) -> Memory:
    (kept,) = (one for one in memory.list().items if one.content == WISH)
    return kept


def test_what_a_user_asks_to_remember_cites_its_prompt(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Look at the log")

    told = harness.hook("UserPromptSubmit", prompt=f"/remember {WISH}")

    assert told == "Recollect kept the user's note as [preference ID]."
    with harness.memory() as memory:  # before anything else of the session is written
        kept = kept_once(memory)
        assert cited(memory, kept) == [f"/remember {WISH}"]
        assert (kept.provenance.source, kept.provenance.session_id) == ("user_taught", "one")
        assert not kept.needs_review
    harness.hook("SessionEnd", reason="other")
    harness.stop()
    with harness.memory() as memory:
        assert prompts(memory) == ["Look at the log", f"/remember {WISH}"]
        assert kept_once(memory).times_told == 1


def test_a_daemon_that_dies_behind_it_keeps_it_once(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt=f"/remember {WISH}")
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()

    harness.hook("UserPromptSubmit", prompt="Now the code")  # a new daemon reads all again
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    with harness.memory() as memory:
        kept = kept_once(memory)
        assert kept.times_told == 1
        assert cited(memory, kept) == [f"/remember {WISH}"]
        assert prompts(memory) == [f"/remember {WISH}", "Now the code"]


def test_while_the_store_does_not_answer_it_waits_with_its_prompt(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.home.mkdir(exist_ok=True)
    with harness.memory() as memory:
        memory.remember("The space is there.")
        sessions = Sessions(memory, harness.home, memory.space.name)

        def frame(number: int, event: str, **data: str) -> Frame:
            given = {"session_id": "one", "cwd": str(harness.project), "hook_event_name": event}
            place = SpoolPosition(0, number)
            payload = json.dumps({**given, **data}).encode()
            return Frame(f"{time_ns()}-{place}", "claude-code", event, payload, place)

        def busy(*_: Any, **__: Any) -> Memory:
            raise StoreError("The store does not answer.")

        sessions.take(frame(1, "SessionStart", source="startup"))
        wish = frame(2, "UserPromptSubmit", prompt=f"/remember {WISH}")
        for _ in range(2):
            with monkeypatch.context() as patched:
                patched.setattr(WritePath, "create", busy)
                with pytest.raises(StoreError):
                    sessions.take(wish)
        assert not sessions.keep("claude-code one")  # no checkpoint goes past the prompt
        assert not sessions.clean

        assert sessions.take(wish) is not None
        assert sessions.keep("claude-code one")
        kept = kept_once(memory)
        assert cited(memory, kept) == [f"/remember {WISH}"]
        assert prompts(memory) == [f"/remember {WISH}"]


def test_the_same_wish_in_two_sessions_is_one_memory_that_cites_both(harness: Harness) -> None:
    for session in ("one", "two"):
        harness.hook("SessionStart", session, source="startup")
        harness.hook("UserPromptSubmit", session, prompt=f"/remember {WISH}")
    harness.stop()

    with harness.memory() as memory:
        kept = kept_once(memory)
        assert (kept.times_told, len(cited(memory, kept))) == (2, 2)
        assert kept.provenance.sessions == ("one", "two")


def commit(harness: Harness, subject: str, *more: str, printed: Sequence[str] = ()) -> None:
    said = "\n\n".join((subject, *more))
    harness.tool(
        "Bash",
        f"commit {subject}",
        command=f"git add src && git commit -m \"$(cat <<'EOF'\n{said}\nEOF\n)\"",
        response={"stdout": "\n".join(printed), "stderr": ""},
    )


def test_a_commit_of_a_hooked_session_teaches_what_its_message_states(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Write the log in UTC")
    edited = harness.path("src/log.py")
    harness.tool("Edit", "c1", file_path=edited, old_string="now()", new_string="utcnow()")
    commit(
        harness,
        "Write the log in UTC",
        "Decision: times of the log are in UTC, so that machines agree",
        printed=["[main 1a2b3c4] Write the log in UTC", " 1 file changed"],
    )
    commit(harness, "Not made", "Decision: this was never committed", printed=["nothing to commit"])
    harness.tool(
        "Bash",
        "log",
        command="git log -1",
        response={"stdout": "Mend it\n\nDecision: somebody else wrote this message", "stderr": ""},
    )
    harness.hook("Stop", last_assistant_message="Done.")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    with harness.memory() as memory:
        (kept,) = (one for one in memory.list().items if one.type == "decision")
        origin = kept.provenance
        assert kept.content == (
            "Decision: times of the log are in UTC, so that machines agree\n"
            "Commit: “Write the log in UTC”"
        )
        assert (origin.source, origin.commit, kept.files) == (
            *("commit_auto", "1a2b3c4"),
            ("src/log.py",),
        )
        call, printed = cited(memory, kept)
        assert "Decision: times of the log are in UTC, so that machines agree" in call
        assert "[main 1a2b3c4]" in printed
        assert not kept.needs_review
