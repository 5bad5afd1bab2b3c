"""Measures of the workspace on real channels: who answers, and where a conversation ends."""

import gzip
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One message of a channel whose conversations are known."""

    conversation: str
    author: str
    at: float
    text: str


def read_channel(path: Path) -> list[ChannelMessage]:
    """The messages of a file, in the order of their times."""
    data = path.read_bytes()
    if data.startswith(_GZIP):
        data = gzip.decompress(data)
    found = []
    for one in ElementTree.fromstring(data).findall("message"):  # noqa: S314 - a file of one's own
        at = datetime.fromisoformat(one.findtext("ts") or "").replace(tzinfo=UTC)
        found.append(
            ChannelMessage(
                one.get("conversation_id") or "",
                one.findtext("user") or "",
                at.timestamp(),
                one.findtext("text") or "",
            )
        )
    return sorted(found, key=lambda one: one.at)
