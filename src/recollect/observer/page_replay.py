"""Replays a session from its page, where another process learns from it than the one that heard it.

An act's event holds the act without its text, and the text; what is replayed is what was heard.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from recollect.observer.observer import Observer
from recollect.vocabulary.acts import Act, ActKind, Origin, clipped
from recollect.vocabulary.events import Event
from recollect.vocabulary.work_verdicts import WorkVerdict

#: Field of the payload of a session's last event: what the session was.
SESSION: Final = "session"
#: Field of the payload of a verdict on a session, which is on its page.
VERDICT: Final = "verdict"
_KINDS: Final = frozenset(kind.value for kind in ActKind)
_ORIGINS: Final = frozenset(origin.value for origin in Origin)


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How a session ended, and what it was: its type, its methodology and its stage."""

    outcome: str = "success"
    session_type: str = "build"
    methodology: str = "native"
    stage: str = "coding"


def acts_of_page(events: Iterable[Event], session: str, branch: str = "") -> Iterator[Act]:
    """The acts that a session's page holds, in order."""
    for event in events:
        payload = dict(event.payload or {})
        if payload.get("act") not in _KINDS or event.deleted_at is not None:
            continue
        kind, origin = ActKind(payload["act"]), str(payload.get("origin", Origin.AGENT.value))
        yield Act(
            session,
            int(payload.get("step", 0)),
            kind,
            event.occurred_at,
            "" if kind is ActKind.CALL else clipped(event.text),
            tool=payload.get("tool"),
            call=payload.get("call"),
            arguments=dict(payload.get("arguments") or {}),
            paths=tuple(payload.get("paths") or ()),
            origin=Origin(origin) if origin in _ORIGINS else Origin.OUTSIDE,
            origin_mark="" if origin in _ORIGINS else origin,
            agent=payload.get("agent"),
            event=event.id,
            branch=branch,
        )


def end_of(events: Iterable[Event]) -> SessionEnd:
    """The end of a session by its page; the usual one where the page does not tell."""
    for event in reversed(list(events)):
        payload: dict[str, Any] = dict(event.payload or {})
        if payload.get("act") == ActKind.END.value:
            return SessionEnd(event.text or "success", **dict(payload.get(SESSION) or {}))
    return SessionEnd()


def verdict_of(event: Event) -> WorkVerdict | None:
    """The verdict that an event is; None for another event."""
    said = (event.payload or {}).get(VERDICT)
    return WorkVerdict(said) if said in set(WorkVerdict) and event.deleted_at is None else None


def pronounce(verdict: WorkVerdict, observer: Observer) -> None:
    """Tell an observer of a verdict on its session."""
    if verdict is WorkVerdict.ACCEPTED:
        observer.accept()
    else:
        observer.validated(passed=verdict is WorkVerdict.QA_PASSED)
