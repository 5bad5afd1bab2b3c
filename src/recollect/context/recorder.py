"""Records a running session: each action becomes an act for the observer and an event for the page.

Both are made immediately and cheaply; nothing is written here. The event's id is known before it is
written, so that the observer's findings can refer to it. An event that arrives twice has the same
id and is kept once.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from recollect.observer.observer import Observer
from recollect.observer.page_replay import SESSION
from recollect.pages.formats.transcripts import payload_of
from recollect.pages.formats.transcripts.parts import (
    TranscriptAct,
    TranscriptSession,
    call_text,
    found_paths,
    named_paths,
)
from recollect.pages.prepared import named_id
from recollect.pages.transcript_duplicates import LIVE
from recollect.vocabulary.acts import Act, ActKind, Origin, clipped
from recollect.vocabulary.events import EventKind, NewEvent
from recollect.vocabulary.paths import Roots
from recollect.vocabulary.streams import Stream

_KINDS: Final = {
    ActKind.CALL: EventKind.TOOL_CALL,
    ActKind.RESULT: EventKind.TOOL_RESULT,
    ActKind.FAILURE: EventKind.TOOL_RESULT,
    ActKind.REFUSAL: EventKind.TOOL_RESULT,
    ActKind.REASONING: EventKind.REASONING,
    ActKind.SUBTASK: EventKind.STEP,
    ActKind.PROMPT: EventKind.MESSAGE,
    ActKind.ANSWER: EventKind.MESSAGE,
    ActKind.CORRECTION: EventKind.MESSAGE,
}
_BY_USER: Final = frozenset({ActKind.PROMPT, ActKind.REFUSAL, ActKind.CORRECTION})
_ANSWERS: Final = frozenset({ActKind.RESULT, ActKind.FAILURE, ActKind.REFUSAL})
#: Longest result in characters kept on the page; the full text stays at its origin.
LONGEST: Final = 100_000
#: Items of a plan that are kept, and how much of each.
_ITEMS: Final = 100
_ITEM: Final = 200
EDITS: Final = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "str_replace_editor", "create"}
)
READS: Final = frozenset({"Read", "NotebookRead", "read_file", "view"})
SEARCHES: Final = frozenset({"Grep", "Glob", "grep", "search"})
SHELLS: Final = frozenset({"Bash", "exec_command", "shell", "local_shell", "terminal"})


class Recorder:
    """Records one session."""

    def __init__(
        self,
        session: str,
        stream: Stream,
        people: tuple[str, str],
        roots: Roots,
        observer: Observer,
    ) -> None:
        self.stream = stream
        self.observer = observer
        self._session = TranscriptSession(session, roots)
        self._user, self._agent = people
        self._events: list[NewEvent] = []
        self.numbers: dict[str, int] = {}
        #: What the session is, kept with its end: fields of ``SessionEnd``.
        self.about: dict[str, str] = {}

    @property
    def session(self) -> str:
        """The session's id."""
        return self._session.name

    @property
    def step(self) -> int:
        """Number of tool calls so far."""
        return self._session.step

    @property
    def waiting(self) -> int:
        """Number of events not yet written to the page."""
        return len(self._events)

    def enter(self, folder: str) -> None:
        """Set the folder in which the session works from now on."""
        self._session.enter(folder)

    @property
    def branch(self) -> str:
        """Branch checked out, as far as it is known."""
        return self._session.branch

    def check_out(self, branch: str) -> None:
        """Set the branch on which the session works from now on."""
        self._session.check_out(branch)

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
    ) -> Act:
        """Record one action. The result of an unrecorded call also records the call."""
        self._session.at = at
        given = small(arguments or {})
        named = call or f"call {self.step + (kind is ActKind.CALL)}"
        if kind is ActKind.CALL:
            name = self._name(kind, named)
            return self._taken(
                self._session.call(tool or "unknown", given, named, name, agent=agent)
            )
        if kind in _ANSWERS:
            if named not in self._session.calls and tool:
                self.note(ActKind.CALL, "", at, tool=tool, call=named, arguments=given, agent=agent)
            name = self._name(kind, named)
            asked = self._session.calls.get(named)
            searched = asked is not None and asked[0].tool in SEARCHES
            found = found_paths(text) if searched and kind is ActKind.RESULT else ()
            return self._taken(
                self._session.answer(kind, text, named, name, agent=agent, paths=found)
            )
        name = self._name(kind, f"{self.step}")
        origin = Origin.USER if kind in _BY_USER else Origin.AGENT
        return self._taken(self._session.act(kind, text, name, agent=agent, origin=origin))

    def paths(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Files that a call names, relative to the root of the repository."""
        return self._session.relative(named_paths(tool, arguments))

    def answered(self, call: str) -> bool:
        """Whether the result of a call was recorded."""
        return any(f"{call}/{kind.value}" in self.numbers for kind in _ANSWERS)

    def brings_outside(self, call: str) -> bool:
        """Whether strangers may write what a call answers; of an unknown call they may."""
        return self._session.brings_outside(call)

    def pending(self) -> dict[str, list[Any]]:
        """Calls that wait for their results, as JSON values."""
        return {
            call: [act.tool, dict(act.arguments), list(act.paths), act.step, name]
            for call, (act, name) in self._session.calls.items()
        }

    def resume(self, step: int, numbers: Mapping[str, int], pending: Mapping[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        self._session.step = step
        self.numbers.update(numbers)
        for call, (tool, arguments, paths, at_step, name) in pending.items():
            act = Act(
                self.session,
                int(at_step),
                ActKind.CALL,
                self._session.at,
                tool=tool,
                call=call,
                arguments=arguments,
                paths=tuple(paths),
            )
            self._session.calls[call] = (act, name)

    def take(self) -> list[NewEvent]:
        """Remove and return the events to be written; the caller owns them from then on."""
        events, self._events = self._events, []
        return events

    def forget(self) -> None:
        """Discard the unwritten events and all observations, as if nothing had been recorded."""
        self._events = []
        self.observer = Observer(self.session, session_type=self.observer.session_type)

    def take_last(self, act: Act) -> NewEvent | None:
        """Remove and return the newest event if it is this act's; None if that is written."""
        if not self._events:
            return None
        last = self._events[-1]
        if last.external_id is None or act.event is None or last.occurred_at is None:
            return None
        same = named_id(self.stream.id, last.external_id, last.occurred_at) == act.event
        return self._events.pop() if same else None

    def wait_again(self, event: NewEvent) -> None:
        """Queue an event again that could not be written, behind the older ones."""
        self._events.append(event)

    def put_back(self, events: list[NewEvent]) -> None:
        """Queue events again that could not be written, before the newer ones."""
        self._events = [*events, *self._events]

    def _taken(self, told: TranscriptAct) -> Act:
        event = named_id(self.stream.id, told.name, told.act.at)
        act = replace(told.act, event=event)
        whole = told.whole or call_text(act.tool or act.kind.value, act.arguments)
        self._events.append(
            NewEvent(
                whole if len(whole) <= LONGEST else clipped(whole),
                kind=_KINDS.get(act.kind, EventKind.SYSTEM),
                author=self._user if act.kind in _BY_USER else self._agent,
                occurred_at=act.at,
                payload={**payload_of(act), **self._about(act), LIVE: True},
                external_id=told.name,
            )
        )
        self.observer.observe(act)
        return act

    def _about(self, act: Act) -> dict[str, Any]:
        return {SESSION: dict(self.about)} if act.kind is ActKind.END and self.about else {}

    def _name(self, kind: ActKind, base: str) -> str:
        """A name that stays the same when the same action is reported again."""
        name = f"{base}/{kind.value}"
        number = self.numbers.get(name, 0)
        self.numbers[name] = number + 1
        return f"{name}/{number}" if number else name


def _item(todo: object) -> object:
    return todo.get("content", "") if isinstance(todo, Mapping) else todo


def main_argument(arguments: Mapping[str, Any]) -> str:
    """Main argument of a call, in a few words."""
    return call_text("", arguments).removeprefix(": ")


def small(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with long texts clipped; nested values become clipped text."""
    kept: dict[str, Any] = {}
    for name, value in list(arguments.items())[:40]:
        if isinstance(value, str):
            kept[str(name)] = clipped(value)
        elif isinstance(value, int | float | bool) or value is None:
            kept[str(name)] = value
        elif name == "todos" and isinstance(value, list):  # a plan is counted by its items
            kept[name] = [clipped(str(_item(one)))[:_ITEM] for one in value[:_ITEMS]]
        else:
            kept[str(name)] = clipped(str(value))
    return kept
