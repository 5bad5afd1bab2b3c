"""What happens in a session, as it comes: an act for the observer, an event for the page.

Both are made at once and cheaply; nothing is written here. The event's id is known before it is
written, so what the observer notices can point at it. An event that comes twice has the same id and
is kept once.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from recollect.observer.observer import Observer
from recollect.observer.origins import origin_of
from recollect.pages.prepared import named_id
from recollect.vocabulary.acts import Act, ActKind, Origin, clipped
from recollect.vocabulary.events import EventKind, NewEvent
from recollect.vocabulary.paths import Roots

_KINDS: Final = {
    ActKind.CALL: EventKind.TOOL_CALL,
    ActKind.RESULT: EventKind.TOOL_RESULT,
    ActKind.FAILURE: EventKind.TOOL_RESULT,
    ActKind.REASONING: EventKind.REASONING,
    ActKind.SYSTEM: EventKind.SYSTEM,
    ActKind.COMPACTION: EventKind.SYSTEM,
    ActKind.END: EventKind.SYSTEM,
    ActKind.SUBTASK: EventKind.STEP,
}
_BY_USER: Final = frozenset({ActKind.PROMPT, ActKind.REFUSAL, ActKind.CORRECTION})
_PATHS: Final = ("file_path", "path", "notebook_path", "filePath", "file")
_NAMED: Final = ("command", "file_path", "pattern", "path", "url", "query", "description", "prompt")
#: Longer results than this are cut in the page too: the whole is where it came from.
LONGEST: Final = 100_000
EDITS: Final = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "str_replace_editor", "create"}
)
READS: Final = frozenset({"Read", "NotebookRead", "read_file", "view"})
SEARCHES: Final = frozenset({"Grep", "Glob", "grep", "search"})
SHELLS: Final = frozenset({"Bash", "exec_command", "shell", "local_shell", "terminal"})


class Recorder:
    """Takes down one session."""

    def __init__(
        self, session: str, stream_id: str, people: tuple[str, str], roots: Roots, observer: Observer
    ) -> None:
        self.session = session
        self.roots = roots
        self.observer = observer
        self.step = 0
        self._stream = stream_id
        self._user, self._agent = people
        self._events: list[NewEvent] = []
        self._numbers: dict[str, int] = {}

    @property
    def waiting(self) -> int:
        """How many events are not on the page yet."""
        return len(self._events)

    def note(
        self,
        kind: ActKind,
        text: str,
        at: datetime,
        *,
        tool: str | None = None,
        call: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        agent: str | None = None,
        folder: str | None = None,
        name: str | None = None,
    ) -> Act:
        """Take down one thing that was done."""
        given = arguments or {}
        if kind is ActKind.CALL:
            self.step += 1
        external = name or self._name(kind, call)
        act = Act(
            session=self.session,
            step=self.step,
            kind=kind,
            at=at,
            text=clipped(text),
            tool=tool,
            call=call,
            arguments=small(given),
            paths=self.paths(given, folder),
            origin=Origin.USER if kind in _BY_USER else origin_of(tool, given),
            agent=agent,
            event=named_id(self._stream, external, at),
            tokens=len(text) // 4,
        )
        self._events.append(self._event(act, text, external))
        self.observer.observe(act)
        return act

    def paths(self, arguments: Mapping[str, Any], folder: str | None = None) -> tuple[str, ...]:
        """The files that a call names, from the root of the repository."""
        named = [value for key in _PATHS if isinstance(value := arguments.get(key), str)]
        found = [self.roots.relative(path, folder) for path in named]
        return tuple(dict.fromkeys(path for path in found if path))

    def take(self) -> list[NewEvent]:
        """The events that are to be written; they are the caller's now."""
        events, self._events = self._events, []
        return events

    def put_back(self, events: list[NewEvent]) -> None:
        """They could not be written: they wait on, before those that came since."""
        self._events = [*events, *self._events]

    def _name(self, kind: ActKind, call: str | None) -> str:
        """A name that is the same when the same thing is told again."""
        base = f"{call}:{kind.value}" if call else f"{self.step}:{kind.value}"
        number = self._numbers.get(base, 0)
        self._numbers[base] = number + 1
        return f"{base}:{number}" if number else base

    def _event(self, act: Act, text: str, external: str) -> NewEvent:
        told = text or self._line(act)
        payload = {
            "act": act.kind.value,
            "step": act.step,
            **({"tool": act.tool} if act.tool else {}),
            **({"call": act.call} if act.call else {}),
            **({"arguments": dict(act.arguments)} if act.kind is ActKind.CALL else {}),
            **({"agent": act.agent} if act.agent else {}),
        }
        return NewEvent(
            told if len(told) <= LONGEST else clipped(told),
            kind=_KINDS.get(act.kind, EventKind.MESSAGE),
            author=self._user if act.kind in _BY_USER else self._agent,
            occurred_at=act.at,
            payload=payload,
            external_id=external,
        )

    def _line(self, act: Act) -> str:
        what = main_argument(act.arguments)
        return f"{act.tool or act.kind.value}{f': {what}' if what else ''}"


def main_argument(arguments: Mapping[str, Any]) -> str:
    """What a call is about, in a few words."""
    for name in _NAMED:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return clipped(value)
    return ""


def small(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with every long text clipped, and nothing nested deeply."""
    kept: dict[str, Any] = {}
    for name, value in list(arguments.items())[:40]:
        if isinstance(value, str):
            kept[str(name)] = clipped(value)
        elif isinstance(value, int | float | bool) or value is None:
            kept[str(name)] = value
        else:
            kept[str(name)] = clipped(str(value))
    return kept
