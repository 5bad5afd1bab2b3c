"""SWE-agent's trajectories: one JSON document with an agent's steps, without times."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recollect.pages.formats.transcripts.parts import (
    TranscriptAct,
    TranscriptSession,
    mapping,
    parsed,
    text_of,
    word,
)
from recollect.vocabulary.acts import ActKind, Origin
from recollect.vocabulary.paths import Roots

_EDITOR: Final = {
    "view": "Read",
    "create": "Write",
    "str_replace": "Edit",
    "insert": "Edit",
    "undo_edit": "Edit",
}
_OLD: Final = {"open": "Read", "create": "Write"}
_FAILED: Final = ("Traceback (most recent call last)", "command not found", "No such file or")


class SweAgent:
    """Turns one trajectory into acts."""

    format = "swe-agent"

    def __init__(self, roots: Roots | None = None, name: str = "trajectory") -> None:
        self._session = TranscriptSession(name, roots or Roots())
        self._open: str | None = None

    def read_acts(self, document: Mapping[str, Any]) -> Iterator[TranscriptAct]:
        """The acts of a whole trajectory."""
        session = self._session
        task = self._task(document)
        if task:
            yield session.act(ActKind.PROMPT, task, f"{session.name}/task", origin=Origin.USER)
        steps = document.get("trajectory")
        for place, step in enumerate(steps if isinstance(steps, list) else ()):
            if isinstance(step, dict):
                yield from self._step(session, step, f"{session.name}/{place}")

    def _task(self, document: Mapping[str, Any]) -> str:
        history = document.get("history")
        for entry in history if isinstance(history, list) else ():
            if mapping(entry).get("role") == "user" and not mapping(entry).get("is_demo"):
                return text_of(mapping(entry).get("content"))
        return text_of(document.get("problem_statement"))

    def _step(
        self, session: TranscriptSession, step: Mapping[str, Any], name: str
    ) -> Iterator[TranscriptAct]:
        thought = text_of(step.get("thought"))
        if thought.strip():
            yield session.act(ActKind.REASONING, thought, f"{name}/thought")
        state = parsed(step.get("state"))
        session.enter(state.get("working_dir"))
        action = text_of(step.get("action")).strip()
        if not action:
            return
        tool, arguments = self._called(action, state)
        yield session.call(tool, arguments, name, f"{name}/call", agent=None)
        text = text_of(step.get("observation"))
        failed = any(sign in text[:4_000] for sign in _FAILED)
        kind = ActKind.FAILURE if failed else ActKind.RESULT
        yield session.answer(kind, text, name, f"{name}/answer", agent=None)

    def _called(self, action: str, state: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        words = _words(action)
        first = words[0] if words else ""
        if first == "str_replace_editor" and len(words) > 2:
            return _EDITOR.get(words[1], "Edit"), {"file_path": words[2], "command": action}
        if first in _OLD and len(words) > 1:
            self._open = words[1]
            return _OLD[first], {"file_path": words[1], "command": action}
        opened = word(state.get("open_file")) or self._open
        if first == "edit" and opened and opened != "n/a":
            return "Edit", {"file_path": opened, "command": action}
        return "Bash", {"command": action}


def document_of(text: str) -> Mapping[str, Any]:
    """The document of a trajectory; nothing when the file is not one."""
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _words(action: str) -> list[str]:
    first = action.split("\n", 1)[0][:2_000]
    try:
        return shlex.split(first)
    except ValueError:
        return first.split()
