"""What notes of running sessions came from: the events that led to them, the commit and the phase.

A note that a session keeps by itself cites the user's last prompt and the last thing that was said
or done, as soon as both are stored. What tools told is no origin of it: words of strangers would be
taken for the agent's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.pages.prepared import named_id
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.arguments import is_commit
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.streams import Stream

_SESSIONS: Final = 600
_OF_TOOLS: Final = frozenset({ActKind.RESULT.value, ActKind.FAILURE.value})


@dataclass(slots=True)
class _Origin:
    prompt: str = ""
    last: str = ""
    commit: str = ""
    phase: Phase | None = None


@dataclass(slots=True)
class SessionOrigins:
    """Origins of what is kept now, for each running session."""

    _known: dict[str, _Origin] = field(default_factory=dict)

    def wrote(self, session: str, stream: Stream, events: Sequence[NewEvent]) -> None:
        """Note that these events of a session are stored."""
        origin = self._of(session)
        for event in events:
            if event.external_id is None or event.occurred_at is None:
                continue
            if event.payload.get("act") in _OF_TOOLS:  # a note is not what a tool told
                continue
            origin.last = named_id(stream.id, event.external_id, event.occurred_at)
            if event.payload.get("act") == ActKind.PROMPT.value:
                origin.prompt = origin.last

    def at_commit(self, session: str, commit: str) -> None:
        """Note the commit that is checked out."""
        if is_commit(commit):
            self._of(session).commit = commit.lower()

    def in_phase(self, session: str, phase: Phase | None) -> None:
        """Note the phase that a session works in, where it is known."""
        if phase is not None:
            self._of(session).phase = phase

    def of(self, session: str) -> dict[str, Any]:
        """Fields of a draft that say where a note of this session comes from."""
        origin = self._known.get(session)
        if origin is None:
            return {}
        events = tuple(dict.fromkeys(filter(None, (origin.prompt, origin.last))))
        known = {"commit": origin.commit, "phase": origin.phase}
        return {"events": events, **{name: value for name, value in known.items() if value}}

    def _of(self, session: str) -> _Origin:
        while len(self._known) >= _SESSIONS and session not in self._known:
            self._known.pop(next(iter(self._known)))
        return self._known.setdefault(session, _Origin())
