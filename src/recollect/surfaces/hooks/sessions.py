"""The sessions of a daemon: each hook event becomes one call of an agent's session with memory.

An event is taken in first, in order; then, for whoever waits, an answer is worked out. What is slow
(writing, learning) is left to the daemon's own thread.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, Final

from recollect.context.facts import MARK, joined
from recollect.context.projects import project_of
from recollect.context.recording import EDITS, READS, SHELLS
from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.pages.formats.transcripts.parts import outcome
from recollect.surfaces.hooks.refusals import refusals
from recollect.surfaces.hooks.shapes import (
    HookEvent,
    answer_of,
    event_of,
    result_text,
    word_of_path,
)
from recollect.surfaces.hooks.spool import Frame, Place
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.errors import RecollectError

#: How a prompt begins that asks to remember: typed, or as the command's own words.
REMEMBER: Final = ("/remember ", "The user asked to remember: ")
_SUBAGENT: Final = 2_000
_log: Final = logging.getLogger(__name__)
#: Events after which there is something to do while nobody waits: warm up, or write and learn.
BEHIND: Final = frozenset({"SessionStart", "Stop", "PreCompact", "SubagentStop", "SessionEnd"})


@dataclass(slots=True)
class Live:
    """A session that the daemon knows, and how far the spool has been taken into it."""

    session: AgentSession
    memory: Recollect
    root: Path
    harness: str
    applied: Place
    grounded: bool = False
    opened: bool = False
    ended: bool = False
    transcript: str = ""
    read: int = 0
    notes: dict[str, str] = field(default_factory=dict)
    turn: RLock = field(default_factory=RLock)


@dataclass(slots=True)
class Counts:
    """What arrived, for whoever asks how it goes."""

    events: int = 0
    unreadable: int = 0
    answered: int = 0
    faults: int = 0
    last_at: datetime | None = None
    by_event: dict[str, int] = field(default_factory=dict)


class Sessions:
    """All sessions of one user."""

    def __init__(self, memory: Recollect, folder: Path, space: str | None) -> None:
        self.counts = Counts()
        self._memory = memory
        self._folder = folder / "sessions"
        self._space = space
        self._live: dict[str, Live] = {}
        self._taken: dict[str, HookEvent] = {}
        self._lock = RLock()
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def take(self, frame: Frame) -> tuple[str, HookEvent] | None:
        """Take an event in; the session's key and the event when it is a known one."""
        self.counts.events += 1
        self.counts.last_at = datetime.now(UTC)
        event = event_of(frame.harness, frame.event, frame.payload)
        if event is None:
            self.counts.unreadable += 1
            return None
        self.counts.by_event[event.event] = self.counts.by_event.get(event.event, 0) + 1
        try:
            live = self._of(event, frame)
            if live is None:
                return None
            with live.turn:
                self._hear(live, event, frame)
                live.applied = frame.end
        except Exception:  # noqa: BLE001 one event must not stop the next
            self.counts.faults += 1
            _log.exception("An event of %s was not understood", event.event)
            return None
        key = _key(event)
        self._taken[frame.name] = event
        if len(self._taken) > 2_000:
            self._taken.pop(next(iter(self._taken)))
        return key, event

    def answer(self, name: str) -> bytes:
        """What to say to the hook process that wrote a frame."""
        event = self._taken.get(name)
        live = self._live.get(_key(event)) if event else None
        if event is None or live is None:
            return b""
        try:
            text = _context(live, event)
        except RecollectError:
            self.counts.faults += 1
            return b""
        note = live.notes.pop(name, "")
        self.counts.answered += bool(text)
        return answer_of(event, joined([note, text]))

    def keep(self, key: str, *, end: bool = False) -> None:
        """Bring what a session has onto the disk, learn from it, and write its checkpoint."""
        live = self._live.get(key)
        if live is None:
            return
        with live.turn:
            self._look_for_refusals(live)
            if end and live.ended:
                live.session.finish("partial")
                with self._lock:
                    self._live.pop(key, None)
            else:
                live.session.learn()
                live.session.checkpoint()
            self._write(key, live)

    def _look_for_refusals(self, live: Live) -> None:
        """Take in refusals that came by no hook."""
        if live.harness != "claude-code" or not live.transcript:
            return
        live.read, found = refusals(live.transcript, live.read)
        for one in found:
            if not live.session.recorder.answered(one.call):
                live.session.on_tool_failure(
                    "", {}, one.words, call=one.call, kind=ActKind.REFUSAL, at=one.at
                )

    def warm(self, key: str) -> None:
        """Load what the first question would have to wait for."""
        live = self._live.get(key)
        if live is not None:
            live.session.warm()

    def keep_all(self) -> None:
        """Before the daemon goes: every session as far as it is."""
        for key in list(self._live):
            self.keep(key)

    @property
    def keys(self) -> tuple[str, ...]:
        """The sessions that are under way."""
        return tuple(self._live)

    def oldest(self) -> Place | None:
        """The place before which every session has been kept; None when one has not been yet."""
        known = self._checkpoints()
        if any(_file(key) not in known for key in self._live):
            return None
        places = [_place(one["applied"]) for one in known.values() if not one["ended"]]
        return min(places, default=None)

    def drop_ended(self) -> None:
        """Forget sessions that ended: the spool holds nothing of them any more."""
        for name, known in self._checkpoints().items():
            if known["ended"]:
                (self._folder / name).unlink(missing_ok=True)

    def retire(self, older_than: float, now: float) -> None:
        """Finish sessions that never ended and of which nothing was heard for long."""
        for name, known in self._checkpoints().items():
            path = self._folder / name
            if known["ended"] or now - path.stat().st_mtime < older_than:
                continue
            event = HookEvent(known["harness"], "SessionEnd", known["id"], known["root"], {})
            live = self._live.setdefault(_key(event), self._begin(event, known))
            live.ended = True
            self.keep(_key(event), end=True)

    def _of(self, event: HookEvent, frame: Frame) -> Live | None:
        """The event's session; None when the event was taken in before."""
        with self._lock:
            key = _key(event)
            live = self._live.get(key)
            if live is None:
                known = self._checkpoint(key)
                if known and frame.end <= _place(known["applied"]):
                    return None
                live = self._live[key] = self._begin(event, known)
            return live if frame.end > live.applied else None

    def _begin(self, event: HookEvent, known: Mapping[str, Any] | None) -> Live:
        """A session from its checkpoint, or a new one."""
        project = project_of(Path(known["root"]) if known else Path(event.folder or "."))
        memory = self._memory.within(space=self._space or project.space)
        session = memory.session(
            id=event.session,
            agent=event.harness,
            root=project.root,
            checkpoint=known["observer"] if known else None,
        )
        if known:
            session.resume(known["session"])
        return Live(
            session,
            memory,
            project.root,
            event.harness,
            _place(known["applied"]) if known else Place(-1, 0),
            grounded=bool(known and known["grounded"]),
            opened=bool(known and known["opened"]),
            transcript=known["transcript"] if known else "",
            read=int(known["read"]) if known else 0,
        )

    def _hear(self, live: Live, event: HookEvent, frame: Frame) -> None:
        if event.folder:
            live.session.recorder.enter(event.folder)
        live.transcript = word_of_path(event.data.get("transcript_path")) or live.transcript
        hear = _HEARING.get(event.event)
        if hear is not None:
            hear(live, event, _time(frame.name))
        if event.event == "UserPromptSubmit":
            self._asked_to_remember(live, event, frame.name)

    def _asked_to_remember(self, live: Live, event: HookEvent, name: str) -> None:
        """``/remember`` and what follows becomes a memory at once, in the user's own words."""
        prompt = event.text("prompt").strip()
        said = next((prompt[len(sign) :] for sign in REMEMBER if prompt.startswith(sign)), "")
        said = said.partition("\n\nRecollect keeps this")[0]
        if not said.strip() or event.agent:
            return
        tag = f"hook:{name}"
        if live.memory.list(tags=[tag], limit=1).items:
            return
        kept = live.memory.remember(
            said.strip(),
            type="preference",
            source="user_taught",
            confidence=0.95,
            importance=0.8,
            manually_saved=True,
            session=event.session,
            tags=[tag],
        )
        live.session.knows(kept)
        live.session.learned.append(kept)
        live.notes[name] = f"{MARK} kept the user's note as [{kept.type.value} {kept.id[-8:]}]."

    def _checkpoint(self, key: str) -> Mapping[str, Any] | None:
        try:
            return dict(json.loads((self._folder / _file(key)).read_text("utf-8")))
        except (OSError, ValueError):
            return None

    def _checkpoints(self) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        for path in self._folder.glob("*.json"):
            try:
                found[path.name] = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                path.unlink(missing_ok=True)
        return found

    def _write(self, key: str, live: Live) -> None:
        state = {
            "id": live.session.id,
            "root": str(live.root),
            "harness": live.harness,
            "ended": key not in self._live,
            "applied": list(live.applied),
            "grounded": live.grounded,
            "opened": live.opened,
            "transcript": live.transcript,
            "read": live.read,
            "session": live.session.state(),
            "observer": live.session.recorder.observer.checkpoint(),
        }
        place = self._folder / _file(key)
        new = place.with_suffix(".new")
        new.write_text(json.dumps(state, ensure_ascii=False), "utf-8")
        new.replace(place)


def _context(live: Live, event: HookEvent) -> str:
    """What an event's answer tells the agent."""
    session = live.session
    match event.event:
        case "SessionStart":
            live.grounded = True
            return session.system_prompt()
        case "SubagentStart":
            return session.system_prompt()[:_SUBAGENT].rsplit("\n", 1)[0]
        case "UserPromptSubmit":
            ground = "" if live.grounded else session.system_prompt()
            first, live.grounded, live.opened = not live.opened, True, True
            prompt = event.text("prompt")
            if prompt.lstrip().startswith(REMEMBER):
                live.opened = not first
                return ground
            more = session.opening(prompt) if first else session.bearing_on(prompt)
            return joined([ground, more])
        case "PreToolUse" if event.tool in EDITS:
            return session.tool_context(event.tool, event.arguments)
        case "PreToolUse" if event.tool in SHELLS:
            return session.command_context(event.arguments)
        case "PostToolUse" if event.tool in READS:
            return session.tool_context(event.tool, event.arguments)
        case "PostToolUseFailure":
            return session.tool_context(
                event.tool, event.arguments, event.text("error"), failed=True
            )
        case "PostToolBatch":
            return session.prepare_step() or ""
    return ""


def _prompt(live: Live, event: HookEvent, at: datetime) -> None:
    words = event.text("prompt")
    live.session.on_prompt(words, task=not words.lstrip().startswith(REMEMBER), at=at)


def _begins(live: Live, event: HookEvent, _: datetime) -> None:
    live.ended = False
    if event.data.get("source") in {"compact", "clear"}:
        live.session.forget_told()
        live.opened = False
        live.grounded = False


def _calls(live: Live, event: HookEvent, at: datetime) -> None:
    live.session.on_tool_call(
        event.tool, event.arguments, call=event.call, at=at, agent=event.agent
    )


def _answers(live: Live, event: HookEvent, at: datetime) -> None:
    live.session.on_tool_result(
        event.tool,
        event.arguments,
        result_text(event.data.get("tool_response")),
        call=event.call,
        at=at,
        agent=event.agent,
    )


def _fails(live: Live, event: HookEvent, at: datetime) -> None:
    kind, words = outcome(event.text("error"), failed=True)
    live.session.on_tool_failure(
        event.tool,
        event.arguments,
        words,
        call=event.call,
        kind=ActKind.REFUSAL if event.data.get("is_interrupt") is True else kind,
        at=at,
        agent=event.agent,
    )


def _stops(live: Live, event: HookEvent, at: datetime) -> None:
    words = event.text("last_assistant_message")
    if words:
        inner = event.event == "SubagentStop"
        live.session.on_message(words, final=not inner, at=at, agent=event.agent)


def _ends(live: Live, _: HookEvent, __: datetime) -> None:
    live.ended = True


_HEARING: Final[Mapping[str, Callable[[Live, HookEvent, datetime], None]]] = {
    "SessionStart": _begins,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _calls,
    "PostToolUse": _answers,
    "PostToolUseFailure": _fails,
    "Stop": _stops,
    "SubagentStop": _stops,
    "SessionEnd": _ends,
}


def _key(event: HookEvent) -> str:
    return f"{event.harness} {event.session}"


def _file(key: str) -> str:
    """A session's key as a name of a file, whatever characters it has."""
    plain = "".join(c if c.isalnum() or c in "-_" else f"%{ord(c):x}" for c in key)
    return f"{plain[:200]}.json"


def _place(pair: Any) -> Place:
    return Place(int(pair[0]), int(pair[1]))


def _time(name: str) -> datetime:
    """When a frame was written: its name begins with it."""
    nanoseconds = int(name.partition("-")[0])
    return datetime.fromtimestamp(nanoseconds // 1_000 / 1_000_000, UTC)
