"""Event formats of Claude Code, Codex and Cursor: parsed into one type, answered in their own.

Parsing never fails on any JSON: input without a session or a known event is not an event.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from recollect.engine.transcripts import mapping, parsed, text_of, word
from recollect.surfaces.hooks.truncate import trimmed
from recollect.vocabulary.json_depth import is_too_deep

HARNESSES: Final = ("claude-code", "codex", "cursor")
EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Stop",
    "SessionEnd",
)
#: Maximum length of one string in an answer.
LONGEST: Final = 10_000
_RESULT_TEXT: Final = 200_000
_CURSOR: Final = {
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "afterFileEdit": "PostToolUse",
    "afterShellExecution": "PostToolUse",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "sessionEnd": "SessionEnd",
}
_CURSOR_TOOLS: Final = {"afterFileEdit": "Edit", "afterShellExecution": "Bash"}


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of any supported agent."""

    harness: str
    event: str
    session: str
    folder: str
    data: Mapping[str, Any]
    agent: str | None = None

    @property
    def key(self) -> str:
        """Key of the session, unique across agents."""
        return f"{self.harness} {self.session}"

    @property
    def tool(self) -> str:
        """Tool that the event is about."""
        return word(self.data.get("tool_name"))

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Arguments of the tool call."""
        return parsed(self.data.get("tool_input"))

    @property
    def call(self) -> str | None:
        """Id of the tool call."""
        return word(self.data.get("tool_use_id")) or None

    def text(self, name: str) -> str:
        """Return a field as text."""
        return text_of(self.data.get(name))


def event_of(harness: str, named: str, payload: bytes) -> HookEvent | None:
    """Parse the event that an agent sent; None for input that is not an event."""
    try:
        data = mapping(json.loads(payload))
    except (ValueError, RecursionError):
        return None
    if not data:
        return None
    if is_too_deep(data):
        data = mapping(trimmed(data))
    if harness == "cursor":
        return _cursor(named, data)
    event = word(data.get("hook_event_name")) or named
    session = word(data.get("session_id")) or word(data.get("sessionId"))
    if not session or event not in EVENTS:
        return None
    return HookEvent(
        harness,
        event,
        session,
        word_of_path(data.get("cwd")),
        {
            **data,
            "tool_name": data.get("tool_name") or data.get("toolName"),
            "tool_input": data.get("tool_input") or data.get("toolInput"),
        },
        word(data.get("agent_id")) or None,
    )


def _cursor(named: str, data: Mapping[str, Any]) -> HookEvent | None:
    said = word(data.get("hook_event_name")) or named
    event = _CURSOR.get(said)
    session = word(data.get("conversation_id")) or word(data.get("session_id"))
    if event is None or not session:
        return None
    roots = data.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else data.get("cwd")
    tool = _CURSOR_TOOLS.get(said)
    more: dict[str, Any] = {}
    if tool == "Edit":
        more = {"tool_input": {"file_path": data.get("file_path")}, "tool_response": ""}
    elif tool == "Bash":
        more = {
            "tool_input": {"command": data.get("command")},
            "tool_response": data.get("output"),
        }
    if tool:
        more |= {"tool_name": tool, "tool_use_id": word(data.get("generation_id")) or None}
    return HookEvent("cursor", event, session, word_of_path(folder), {**data, **more})


def word_of_path(value: object) -> str:
    """A folder path, or an empty text."""
    return value if isinstance(value, str) and len(value) < 4_000 and "\x00" not in value else ""


def result_text(response: object) -> str:
    """Text of a tool's result: the text of known formats, JSON of others."""
    if isinstance(response, str):
        return response[:_RESULT_TEXT]
    if not isinstance(response, Mapping):
        return text_of(response)[:_RESULT_TEXT]
    file = mapping(response.get("file"))
    for found in (
        file.get("content"),
        _output(response),
        response.get("content"),
        response.get("result"),
        response.get("filenames"),
    ):
        text = text_of(found)
        if text:
            return text[:_RESULT_TEXT]
    if "structuredPatch" in response or "newString" in response:
        return "edited"
    return json.dumps(response, ensure_ascii=False, default=str)[:_RESULT_TEXT]


def answer_of(event: HookEvent, context: str, note: str = "") -> bytes:
    """Answer in the agent's format: empty, or with context."""
    text = context if len(context) <= LONGEST else context[: LONGEST - 6] + " [...]"
    if event.harness == "cursor":
        document: dict[str, Any] = {"continue": True}
        if text:
            document |= {"permission": "allow", "agent_message": text}
        return json.dumps(document, ensure_ascii=False).encode()
    answer: dict[str, Any] = {"systemMessage": note[:LONGEST]} if note else {}
    if text and not (event.harness == "codex" and event.event == "PreToolUse"):
        answer["hookSpecificOutput"] = {"hookEventName": event.event, "additionalContext": text}
    return json.dumps(answer, ensure_ascii=False).encode() if answer else b""


def _output(response: Mapping[str, Any]) -> str:
    parts = [response.get("stdout"), response.get("stderr")]
    return "\n".join(part for part in parts if isinstance(part, str) and part)
