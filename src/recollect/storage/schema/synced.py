"""Tables of sync: synced spaces and their peers, and the known state of each item.

Triggers note every changed item of a synced space, whoever changes it, so that no write path has to
know of sync.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, PrimaryKeyConstraint, Table

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

#: A synced space, and this store's device name in it.
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

#: The server that this store syncs with, or the devices that sync with this server.
sync_peers = Table(
    "sync_peers",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("peer_id", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("address", PlainText),
    #: Version up to which changes were sent to the peer, and the cursor of the peer's last answer.
    Column("pushed", BigInteger, nullable=False),
    Column("pulled", PlainText),
    Column("options", Document),
    Column("synced_at", Instant),
    PrimaryKeyConstraint("space_id", "peer_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

#: Known state of an item: stamps and digests, no text. An erased item stays for good.
sync_items = Table(
    "sync_items",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("item_id", PlainText, nullable=False),
    Column("version", BigInteger, nullable=False),
    #: The peer that has exactly this state, if any.
    Column("origin", PlainText),
    #: The peer that has any state of the item: what it once had is not withheld from it.
    Column("shared_with", PlainText),
    Column("state", Document),
    #: Why a peer refused the last change of it.
    Column("refusal", PlainText),
    PrimaryKeyConstraint("space_id", "kind", "item_id"),
    within("spaces"),
    Index("sync_items_by_version", "space_id", "version"),
    sqlite_with_rowid=False,
)

#: Items that changed and were not captured yet.
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

#: Contents of a memory in conflict with the one that is shown.
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

#: Tables whose changes are noted: the kind of item, the column with its id, the operations.
TRACKED_TABLES: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "memories": ("memory", "memory_id", ("INSERT", "UPDATE", "DELETE")),
    "memory_relations": ("memory", "source_id", ("INSERT", "UPDATE", "DELETE")),
    "events": ("event", "event_id", ("INSERT", "UPDATE")),
    "event_reactions": ("event", "event_id", ("INSERT", "DELETE")),
    "streams": ("stream", "stream_id", ("INSERT", "UPDATE")),
    "stream_members": ("stream", "stream_id", ("INSERT", "DELETE")),
}
