"""Codex's rollouts: a line is a time, a type and a payload; calls and outputs share a call id."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.pages.formats.transcripts.parts import (
    TranscriptAct,
    TranscriptSession,
    exit_code,
    mapping,
    name_of,
    parsed,
    text_of,
    word,
)
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.paths import Roots

TYPES: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)
_INJECTED: Final = re.compile(r"\s*(?:<environment_context>|<user_instructions>|# AGENTS\.md)")


class Codex:
    """Turns the lines of one rollout into acts."""

    format = "codex"

    def __init__(self, roots: Roots | None = None, name: str = "codex") -> None:
        self._session = TranscriptSession(name, roots or Roots())
        self._line = 0

    def knows(self, line: Mapping[str, Any]) -> bool:
        """Whether a line is of a known type; the first line of old rollouts has only an id."""
        return bool(word(line.get("type")) or word(line.get("id")) or "record_type" in line)

    def read_acts(self, line: Mapping[str, Any]) -> Iterator[TranscriptAct]:
        """The acts of one line."""
        self._line += 1
        payload = mapping(line.get("payload"))
        session = self._session
        session.now(line.get("timestamp"))
        name = name_of(session.name, self._line, payload.get("type"), payload.get("call_id"))
        match line.get("type"):
            case "session_meta":
                session.name = word(payload.get("id")) or session.name
                session.enter(payload.get("cwd"))
                session.check_out(mapping(payload.get("git")).get("branch"))
            case "turn_context":
                session.enter(payload.get("cwd"))
            case "compacted":
                text = text_of(payload.get("message"))
                yield session.act(ActKind.COMPACTION, text, name, origin=Origin.HARNESS)
            case "response_item":
                yield from self._item(session, payload, name)

    def _item(
        self, session: TranscriptSession, payload: Mapping[str, Any], name: str
    ) -> Iterator[TranscriptAct]:
        call = word(payload.get("call_id")) or name
        match payload.get("type"):
            case "message":
                yield from self._message(session, payload, name)
            case "reasoning":
                text = text_of(payload.get("summary")) or text_of(payload.get("content"))
                if text.strip():
                    yield session.act(ActKind.REASONING, text, name)
            case "function_call" | "local_shell_call":
                arguments = parsed(payload.get("arguments") or payload.get("action"))
                session.enter(arguments.get("workdir"))
                tool = word(payload.get("name")) or "local_shell"
                yield session.call(tool, as_bash(arguments), call, name, agent=None)
            case "custom_tool_call":
                patch = text_of(payload.get("input"))
                tool = word(payload.get("name")) or "custom"
                yield session.call(
                    tool, {"input": patch}, call, name, agent=None, paths=_PATCHED.findall(patch)
                )
            case "function_call_output" | "custom_tool_call_output":
                output = payload.get("output")
                text = text_of(parsed(output).get("output") or output)
                code = exit_code(text)
                kind = ActKind.FAILURE if code else ActKind.RESULT
                yield session.answer(kind, text, call, name, agent=None)

    def _message(
        self, session: TranscriptSession, payload: Mapping[str, Any], name: str
    ) -> Iterator[TranscriptAct]:
        text = text_of(payload.get("content"))
        if not text.strip():
            return
        if payload.get("role") == "assistant":
            yield session.act(ActKind.ANSWER, text, name)
        elif payload.get("role") == "user" and not _INJECTED.match(text):
            yield session.act(ActKind.PROMPT, text, name, origin=Origin.USER)
        else:
            yield session.act(ActKind.SYSTEM, text, name, origin=Origin.HARNESS)


def as_bash(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of a shell call with the command as one text under its usual name."""
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list):
        words = [part for part in command if isinstance(part, str)]
        shell = len(words) > 2 and words[1] in ("-c", "-lc")
        command = words[2] if shell else " ".join(words)
    return {**arguments, "command": command} if isinstance(command, str) else arguments
