"""Events: what happened on a stream, stored whole and in order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

#: What a payload calls the name that the author of an imported message logs in with elsewhere.
HANDLE: Final = "handle"
#: Payload key of an event whose time could not be read; its time is then only its place in order.
TIME_UNKNOWN: Final = "time_unknown"


class EventKind(StrEnum):
    """The kind of an event."""

    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    REASONING = "reasoning"
    STEP = "step"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event as given by a caller, before it has an id and a place."""

    text: str
    kind: EventKind = EventKind.MESSAGE
    author: str | None = None
    occurred_at: datetime | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    reply_to: str | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One stored event. A deleted one keeps its place and loses its text.

    Where ``time_unknown`` is true, ``occurred_at`` was not told: it only keeps the event in order.
    """

    id: str
    space_id: str
    stream_id: str
    kind: EventKind
    author: str
    text: str
    payload: Mapping[str, Any]
    reply_to: str | None
    occurred_at: datetime
    recorded_at: datetime
    edited_at: datetime | None = None
    deleted_at: datetime | None = None
    time_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Reaction:
    """One person's reaction to an event."""

    user: str
    emoji: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """The text of an event before an edit."""

    text: str
    editor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Window:
    """An event with the events before and after it in its stream."""

    before: tuple[Event, ...]
    event: Event
    after: tuple[Event, ...]


def day_and_hour(event: Event) -> str:
    """Day and minute of an event in figures, or that its time is unknown."""
    return "time unknown" if event.time_unknown else f"{event.occurred_at:%Y-%m-%d %H:%M}"


def day_of(event: Event) -> str:
    """Day of an event in figures, or that its time is unknown."""
    return "time unknown" if event.time_unknown else f"{event.occurred_at:%Y-%m-%d}"
