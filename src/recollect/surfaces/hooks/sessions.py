"""All live sessions of the daemon: takes in events, answers them, and stores the sessions.

Events are taken in first, in order; an answer is then computed if a hook process waits. Slow work
(writing, learning) is left to the daemon's background thread.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, Final

from recollect.engine import Recollect
from recollect.engine.agent_session import MARK, joined
from recollect.engine.for_surfaces import project_of
from recollect.surfaces.hooks.checkpoints import SessionFiles, applied, ended_at, processed_until
from recollect.surfaces.hooks.event_formats import HookEvent, answer_of, event_of
from recollect.surfaces.hooks.live import REMEMBER, LiveSession, catch_up, notes_for, process_event
from recollect.surfaces.hooks.privacy_check import admitted
from recollect.surfaces.hooks.spool import Frame, SpoolPosition
from recollect.vocabulary.audiences import client_name
from recollect.vocabulary.errors import RecollectError, StoreError
from recollect.vocabulary.ids import short_id

_log: Final = logging.getLogger(__name__)
#: Events that are followed by background work: warming up, or writing and learning.
BEHIND: Final = frozenset({"SessionStart", "Stop", "PreCompact", "SubagentStop", "SessionEnd"})
#: Events that are answered with what a session begins with.
BEGINNINGS: Final = frozenset({"SessionStart", "UserPromptSubmit"})


@dataclass(slots=True)
class ArrivalCounts:
    """Counts of the events that arrived, for the status report."""

    events: int = 0
    unreadable: int = 0
    answered: int = 0
    faults: int = 0
    last_at: datetime | None = None
    by_event: dict[str, int] = field(default_factory=dict)


class Sessions:
    """All sessions of one user."""

    def __init__(self, memory: Recollect, folder: Path, space: str | None) -> None:
        self.counts = ArrivalCounts()
        self._memory = memory
        self._files = SessionFiles(folder / "sessions")
        self._space = space
        self._live: dict[str, LiveSession] = {}
        self._taken: dict[str, HookEvent] = {}
        self._lock = RLock()

    def take(self, frame: Frame) -> tuple[str, HookEvent] | None:
        """Take in an event; return the session's key, and the event when it is of a known kind.

        A store that does not answer raises: the event is to be taken in again later.
        """
        self.counts.events += 1
        self.counts.last_at = datetime.now(UTC)
        event = event_of(frame.harness, frame.event, frame.payload)
        if event is None:
            self.counts.unreadable += 1
            return None
        self.counts.by_event[event.event] = self.counts.by_event.get(event.event, 0) + 1
        try:
            taken = None
            while taken is None:
                taken = self._taken_in(event, frame)
            if not taken:
                return None
        except StoreError:
            self.counts.events -= 1
            self.counts.by_event[event.event] -= 1
            raise
        except Exception:  # noqa: BLE001 one event must not stop the next
            self.counts.faults += 1
            _log.exception("An event of %s was not understood", event.event)
            return None
        key = event.key
        self._taken[frame.name] = event
        if len(self._taken) > 2_000:
            self._taken.pop(next(iter(self._taken)))
        return key, event

    def _taken_in(self, event: HookEvent, frame: Frame) -> bool | None:
        """Apply an event to its session, and return whether it is new; None when the session was
        finished in between, so that it has to be restored first."""
        live = self._of(event, frame)
        if live is None:
            return False
        with live.turn:
            if self._live.get(event.key) is not live:
                return None
            if live.begun != frame.name:
                process_event(live, event, _time(frame.name))
                live.begun = frame.name
            try:
                if event.event == "UserPromptSubmit":
                    self._asked_to_remember(live, event, frame.name)
            except StoreError:
                raise  # it is tried again, and its prompt is not recorded a second time
            except RecollectError:
                self.counts.faults += 1
                _log.exception("What the user asked to remember was not kept")
            live.begun, live.applied = "", frame.end
        return True

    def is_finished(self, key: str) -> bool:
        """Whether a session was finished before, and now holds events that arrived late."""
        live = self._live.get(key)
        return live is not None and live.finished

    def admit(self, data: bytes) -> tuple[bytes, str | None]:
        """Return the frame that may be written (empty if none), and the key of an ending session.

        The key is given only for a session whose end is not written, because nothing of it may be.
        """
        kept, event = admitted(data, self._silent, self._files)
        if kept or event is None or event.event != "SessionEnd":
            return kept, None
        live = self._live.get(event.key)
        if live is None:
            return kept, None
        live.ended = True
        return kept, event.key

    def _silent(self, event: HookEvent) -> bool | None:
        """Whether nothing of a session may be stored; None when the store does not answer."""
        try:
            with self._lock:
                live = self._live.get(event.key)
                memory = live.memory if live else self._home_of(event)
            return memory.agents.keeps_nothing(event.session, event.harness)
        except RecollectError:
            return None

    def _home_of(self, event: HookEvent) -> Recollect:
        """Space that an event's session works in."""
        known = self._files.get(event.key)
        folder = known["root"] if known else event.folder
        return self._memory.within(space=self._space or project_of(Path(folder or ".")).space)

    @property
    def clean(self) -> bool:
        """Whether everything that was taken in is stored."""
        return all(live.kept == live.applied for live in list(self._live.values()))

    def answer(self, name: str) -> bytes:
        """Answer for the hook process that sent a frame."""
        event = self._taken.get(name)
        live = self._live.get(event.key) if event else None
        if event is None or live is None:
            return b""
        live.session.hand_over()
        if event.event in BEGINNINGS:
            live.before = (name, live.grounded, live.opened)
        try:
            text = notes_for(live, event)
        except RecollectError:
            self.counts.faults += 1
            live.session.take_back()
            return b""
        note = live.notes.pop(name, "")
        answer = answer_of(event, joined([note, text]))
        if text and not answer:  # the agent takes no context at this event
            live.session.take_back()
        self.counts.answered += bool(text and answer)
        return answer

    def undelivered(self, name: str) -> None:
        """Record that the answer of this thread came too late for its hook process."""
        event = self._taken.get(name)
        live = self._live.get(event.key) if event else None
        if live is not None:
            live.session.take_back()
            if live.before[0] == name:  # what the session begins with is given at the next prompt
                _, live.grounded, live.opened = live.before
            self.counts.answered -= 1

    def keep(self, key: str, *, end: bool = False, patient: bool = True) -> bool:
        """Store a session, learn from it, and write its checkpoint; return whether that is done.

        Learning may wait for a model; meanwhile the session can take in and answer events. While
        the store takes no events, the checkpoint stays where it was: the spool holds the events.
        """
        live = self._live.get(key)
        if live is None:
            return True
        with live.turn:
            catch_up(live)
            late = live.finished
            over = not late and end and live.ended
            live.ended_at = live.ended_at or (datetime.now(UTC) if over else None)
            if late:
                live.session.keep_late()
        if over:
            live.session.finish("partial", patient=patient)
        else:
            live.session.learn(patient=patient)
        with live.turn:
            if live.finished:
                live.session.keep_late()
            else:
                live.session.checkpoint()
            if live.session.recorder.waiting or live.begun:
                return False
            over = over or (late and live.finished)  # it may have begun again meanwhile
            self._files.write(key, live, ended=over)
            live.kept = live.applied
            if over:
                with self._lock:
                    self._live.pop(key, None)
        return True

    def store_quiet(self) -> None:
        """Write to the store what sessions hold in memory, also of those that are not at an end."""
        for key, live in list(self._live.items()):
            with live.turn:
                if self._live.get(key) is not live or live.finished or live.ended or live.begun:
                    continue
                if live.session.recorder.waiting:
                    live.session.checkpoint()
                    if not live.session.recorder.waiting:
                        self._files.write(key, live, ended=False)
                        live.kept = live.applied

    def warm(self, key: str) -> None:
        """Load what the first question would otherwise wait for."""
        live = self._live.get(key)
        if live is not None:
            live.session.warm()

    def keep_all(self) -> None:
        """Store every session as far as it is, before the daemon ends."""
        for key in list(self._live):
            self.keep(key, patient=False)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the sessions in progress."""
        return tuple(self._live)

    def oldest(self) -> SpoolPosition | None:
        """Spool position before which every session is stored; None while one has none yet."""
        return self._files.oldest(self.keys)

    def drop_ended(self) -> None:
        """Delete ended sessions: the spool holds none of their events any more."""
        self._files.drop_ended()

    def unfinished(self) -> list[str]:
        """Keys of sessions whose end was taken in before a daemon died that had to finish them."""
        keys = []
        for known in self._files.all().values():
            if known.get("ending"):
                event = HookEvent(known["harness"], "SessionEnd", known["id"], known["root"], {})
                with self._lock:
                    if event.key not in self._live:
                        self._live[event.key] = self._begin(event, known)
                keys.append(event.key)
        return keys

    def retire(self, older_than: float, now: float) -> None:
        """Finish sessions that did not end and had no events for long."""
        for path, known in self._files.all().items():
            if known["ended"] or now - path.stat().st_mtime < older_than:
                continue
            event = HookEvent(known["harness"], "SessionEnd", known["id"], known["root"], {})
            live = self._live.setdefault(event.key, self._begin(event, known))
            live.ended = True
            self.keep(event.key, end=True, patient=False)

    def _of(self, event: HookEvent, frame: Frame) -> LiveSession | None:
        """The live session of an event, which is restored or begun if necessary; None when the
        session has applied this event before.
        """
        with self._lock:
            key = event.key
            live = self._live.get(key)
            if live is None:
                known = self._files.get(key)
                if known and frame.end <= applied(known):
                    return None
                live = self._live[key] = self._begin(event, known)
            return live if frame.end > live.applied else None

    def _begin(self, event: HookEvent, known: Mapping[str, Any] | None) -> LiveSession:
        """Restore a session from its checkpoint, or start a new one."""
        project = project_of(Path(known["root"]) if known else Path(event.folder or "."))
        client = client_name("agent", event.harness)
        memory = self._memory.within(space=self._space or project.space, client=client)
        session = memory.session(
            id=event.session,
            agent=event.harness,
            root=project.root,
            checkpoint=known["observer"] if known else None,
        )
        if known:
            session.resume(known["session"])
        return LiveSession(
            session,
            memory,
            project.root,
            event.harness,
            applied(known) if known else SpoolPosition(-1, 0),
            ended=bool(known and (known["ended"] or known.get("ending"))),
            ended_at=ended_at(known) if known else None,
            finished=bool(known and known["ended"]),
            grounded=bool(known and known["grounded"]),
            opened=bool(known and known["opened"]),
            transcript=known["transcript"] if known else "",
            read=int(known["read"]) if known else 0,
            processed_until=processed_until(known) if known else None,
            last_words=str(known.get("last_words", "")) if known else "",
        )

    def _asked_to_remember(self, live: LiveSession, event: HookEvent, name: str) -> None:
        """Store the text after ``/remember`` as a memory at once, in the user's own words."""
        prompt = event.text("prompt").strip()
        said = next((prompt[len(sign) :] for sign in REMEMBER if prompt.startswith(sign)), "")
        said = said.partition("\n\nRecollect keeps this")[0]
        if not said.strip() or event.agent or live.prompt is None:
            return
        kept = live.session.remember_prompt(
            said.strip(),
            live.prompt,
            type="preference",
            source="user_taught",
            confidence=0.95,
            importance=0.8,
            manually_saved=True,
        )
        if kept is None:
            return  # the same event, read again after a crash
        live.notes[name] = (
            f"{MARK} kept the user's note as [{kept.type.value} {short_id(kept.id)}]."
        )


def _time(name: str) -> datetime:
    """Time at which a frame was written: the frame's name begins with it."""
    nanoseconds = int(name.partition("-")[0])
    return datetime.fromtimestamp(nanoseconds // 1_000 / 1_000_000, UTC)
