"""Streams: ordered histories inside a space: channel, thread, chat, or agent session."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class StreamKind(StrEnum):
    """The kind of a stream."""

    CHANNEL = "channel"
    THREAD = "thread"
    CHAT = "chat"
    SESSION = "session"


class StreamAccess(StrEnum):
    """Who may read a stream: every member of the space, or only those on its list."""

    OPEN = "open"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Stream:
    """One history. A thread can be read by everyone who may read its parent."""

    id: str
    space_id: str
    kind: StreamKind
    name: str
    access: StreamAccess
    owner: str
    parent_id: str | None
    created_at: datetime
    #: Its purpose, in a sentence; headers of its messages mention it.
    purpose: str | None = None
