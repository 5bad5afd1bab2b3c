"""Sync results: options, reports, previews, status and conflicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What may be sent to the server."""

    #: Also memories that only their owner sees, and private streams.
    personal: bool = False
    #: Tags, modules and streams whose items are held back.
    left_out: tuple[str, ...] = ()
    #: Send embedding vectors and numbers, and no text at all.
    vectors_only: bool = False
    #: Whether a token may be sent to another machine without encryption.
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Report of one sync."""

    pushed: int
    pulled: int
    requests: int
    bytes_sent: int
    bytes_received: int
    #: How many items were held back on this machine, by reason.
    stayed: Mapping[str, int] = field(default_factory=dict)
    #: Items that the server refused: the id of each and why.
    refused: Mapping[str, str] = field(default_factory=dict)
    #: Memories whose content was changed on both sides.
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreviewedItem:
    """One item that would be sent, or held back."""

    kind: str
    id: str
    #: What would be sent of it, as JSON.
    sent: str
    #: Why it is held back; empty if it would be sent.
    stays: str = ""


@dataclass(frozen=True, slots=True)
class SyncPreview:
    """Preview of the next sync."""

    leaving: tuple[PreviewedItem, ...]
    staying: tuple[PreviewedItem, ...]


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """The peers of a space, and how many changes are waiting."""

    address: str | None
    device: str | None
    synced_at: datetime | None
    waiting: int
    conflicts: int
    refused: Mapping[str, str] = field(default_factory=dict)
    #: Number of devices that sync with this store as their server.
    devices: int = 0


@dataclass(frozen=True, slots=True)
class ContentVersion:
    """One of several contents of a memory, and its author."""

    version: str
    content: str
    by: str
    at: datetime
    shown: bool


@dataclass(frozen=True, slots=True)
class ContentConflict:
    """A memory whose content was changed in two places independently."""

    memory_id: str
    versions: tuple[ContentVersion, ...]
