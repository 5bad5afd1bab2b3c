"""Tables of sync: which spaces are exchanged and with whom, and what is known of each thing there.

Triggers note every thing of such a space that changes, whoever changes it, so that no write path
has to know of sync.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, PrimaryKeyConstraint, Table

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

#: A space that is exchanged, and the name that this store has there as a device.
sync_spaces = Table(
    "sync_spaces",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("device_id", PlainText, nullable=False),
    Column("since", Instant, nullable=False),
    PrimaryKeyConstraint("space_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

#: The server that this store exchanges with, or the devices that come to this server.
sync_peers = Table(
    "sync_peers",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("peer_id", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("address", PlainText),
    #: Up to where this store has told the peer, and where the peer's answers ended.
    Column("pushed", BigInteger, nullable=False),
    Column("pulled", PlainText),
    Column("options", Document),
    Column("synced_at", Instant),
    PrimaryKeyConstraint("space_id", "peer_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

#: What is known of a thing: stamps and digests, no words. One that was erased stays for good.
sync_items = Table(
    "sync_items",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("item_id", PlainText, nullable=False),
    Column("version", BigInteger, nullable=False),
    #: The peer that knows it just so, if one does.
    Column("origin", PlainText),
    #: The peer that knows it at all: what it once had is not kept from it.
    Column("shared_with", PlainText),
    Column("state", Document),
    #: Why a peer would not take the last change of it.
    Column("refusal", PlainText),
    PrimaryKeyConstraint("space_id", "kind", "item_id"),
    within("spaces"),
    Index("sync_items_by_version", "space_id", "version"),
    sqlite_with_rowid=False,
)

#: Things that were changed and not yet looked at.
sync_changes = Table(
    "sync_changes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("item_id", PlainText, nullable=False),
    Column("noted", BigInteger, nullable=False),
    PrimaryKeyConstraint("space_id", "kind", "item_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

#: The contents of a memory that are in conflict with the one that it shows.
sync_texts = Table(
    "sync_texts",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("stamp", PlainText, nullable=False),
    Column("content", PlainText, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id", "stamp"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)

#: Tables whose changes are noted: the kind of thing, the column with its id, what may happen.
NOTED: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "memories": ("memory", "memory_id", ("INSERT", "UPDATE", "DELETE")),
    "memory_relations": ("memory", "source_id", ("INSERT", "UPDATE", "DELETE")),
    "events": ("event", "event_id", ("INSERT", "UPDATE")),
    "event_reactions": ("event", "event_id", ("INSERT", "DELETE")),
    "streams": ("stream", "stream_id", ("INSERT", "UPDATE")),
    "stream_members": ("stream", "stream_id", ("INSERT", "DELETE")),
}
