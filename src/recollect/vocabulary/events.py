"""Events: what happened on a stream, stored whole and in order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

#: What a payload calls the name that the author of an imported message logs in with elsewhere.
HANDLE: Final = "handle"


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
    """One stored event. A deleted one keeps its place and loses its text."""

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
