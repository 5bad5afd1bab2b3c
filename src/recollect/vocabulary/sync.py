"""What a sync tells: what was exchanged, what would be, what stays, and what it asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What may leave the machine."""

    #: Also memories that only their owner sees, and streams that are private.
    personal: bool = False
    #: Tags, modules and streams whose things stay.
    left_out: tuple[str, ...] = ()
    #: Send meanings and numbers, and no text at all.
    vectors_only: bool = False
    #: Whether a token may be sent to another machine without encryption.
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did."""

    pushed: int
    pulled: int
    requests: int
    bytes_sent: int
    bytes_received: int
    #: How many things stayed on this machine, by reason.
    stayed: Mapping[str, int] = field(default_factory=dict)
    #: What the server would not take: the id of each thing and why.
    refused: Mapping[str, str] = field(default_factory=dict)
    #: Memories whose content was changed on both sides.
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeavingThing:
    """One thing that would leave the machine, or would not."""

    kind: str
    id: str
    #: What would be sent of it, as JSON.
    sent: str
    #: Why it stays; nothing for what would leave.
    stays: str = ""


@dataclass(frozen=True, slots=True)
class SyncPreview:
    """What the next sync would send."""

    leaving: tuple[LeavingThing, ...]
    staying: tuple[LeavingThing, ...]


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """With whom a space is exchanged, and what waits."""

    address: str | None
    device: str | None
    synced_at: datetime | None
    waiting: int
    conflicts: int
    refused: Mapping[str, str] = field(default_factory=dict)
    #: The devices that come to this store as to a server.
    devices: int = 0


@dataclass(frozen=True, slots=True)
class ContentVersion:
    """One of several contents of a memory, and who wrote it."""

    version: str
    content: str
    by: str
    at: datetime
    shown: bool


@dataclass(frozen=True, slots=True)
class ContentConflict:
    """A memory whose content was changed in two places, of which neither knew the other."""

    memory_id: str
    versions: tuple[ContentVersion, ...]
