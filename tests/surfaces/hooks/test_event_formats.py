"""Whatever JSON a harness sends, it becomes an event or nothing, and answers keep its shape."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.surfaces.hooks.event_formats import (
    EVENTS,
    HARNESSES,
    answer_of,
    event_of,
    result_text,
)

JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
FIELDS = (
    *("session_id", "hook_event_name", "cwd", "tool_name", "tool_input", "tool_use_id"),
    *("tool_response", "prompt", "error", "conversation_id", "workspace_roots", "agent_id"),
)


@given(st.binary(max_size=200), st.sampled_from(HARNESSES), st.sampled_from(EVENTS))
def test_bytes_are_never_trouble(payload: bytes, harness: str, event: str) -> None:
    event_of(harness, event, payload)


@given(
    st.dictionaries(st.sampled_from(FIELDS), JSON),
    st.sampled_from(HARNESSES),
    st.sampled_from(EVENTS),
)
def test_objects_are_never_trouble(data: dict[str, Any], harness: str, named: str) -> None:
    event = event_of(harness, named, json.dumps(data).encode())
    if event is None:
        return
    assert event.session
    assert event.event in EVENTS
    result_text(event.data.get("tool_response"))
    answer = answer_of(event, f"{event.tool}{event.arguments}{event.call}{event.text('prompt')}")
    assert json.loads(answer) if answer else True


def test_claude_code_and_codex_get_context_in_their_shape() -> None:
    data = {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/x"}
    claude = event_of("claude-code", "PreToolUse", json.dumps(data).encode())
    codex = event_of("codex", "PreToolUse", json.dumps(data).encode())
    assert claude is not None
    assert codex is not None

    assert json.loads(answer_of(claude, "known")) == {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "known"}
    }
    assert answer_of(codex, "known") == b""
    assert answer_of(claude, "") == b""
    long = json.loads(answer_of(claude, "x" * 20_000))["hookSpecificOutput"]
    assert len(long["additionalContext"]) == 10_000


def test_cursor_s_events_become_ours() -> None:
    data = {
        "conversation_id": "c",
        "workspace_roots": ["/work/app"],
        "hook_event_name": "afterShellExecution",
        "command": "make test",
        "output": "ok",
    }
    event = event_of("cursor", "afterShellExecution", json.dumps(data).encode())
    assert event is not None

    assert (event.event, event.tool, event.arguments) == (
        "PostToolUse",
        "Bash",
        {"command": "make test"},
    )
    assert event.folder == "/work/app"
    assert json.loads(answer_of(event, "")) == {"continue": True}


def test_arguments_may_come_as_text_and_in_other_spellings() -> None:
    data = {"sessionId": "s", "toolName": "Bash", "toolInput": '{"command": "ls"}'}
    event = event_of("codex", "PostToolUse", json.dumps(data).encode())

    assert event is not None
    assert (event.tool, event.arguments) == ("Bash", {"command": "ls"})
