"""Rows of sync state: the known state of items, noted changes, and peers.

They need system access: who may see an item is checked on the item itself.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Row,
    Text,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from recollect.storage.columns import dump
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    events,
    memories,
    streams,
    sync_changes,
    sync_items,
    sync_peers,
    sync_spaces,
    sync_texts,
)

_SPACE = bindparam("space", type_=Text)
_KIND = bindparam("kind", type_=Text)
_IDS = bindparam("ids", type_=Text, expanding=True)
_THINGS: Final = (
    ("stream", streams.c.stream_id),
    ("event", events.c.event_id),
    ("memory", memories.c.memory_id),
)
#: Items that others refer to come first.
_RANK = case({"stream": 0, "event": 1}, value=sync_changes.c.kind, else_=2)

_DEVICE = Prepared(lambda: select(sync_spaces.c.device_id).where(sync_spaces.c.space_id == _SPACE))
_PENDING = Prepared(
    lambda: (
        select(sync_changes.c.kind, sync_changes.c.item_id)
        .where(sync_changes.c.space_id == _SPACE)
        .order_by(_RANK, sync_changes.c.item_id)
        .limit(bindparam("most", type_=Integer))
    )
)
_PENDING_AMONG = Prepared(
    lambda: select(sync_changes.c.item_id).where(
        sync_changes.c.space_id == _SPACE,
        sync_changes.c.kind == _KIND,
        sync_changes.c.item_id.in_(_IDS),
    )
)
_CLEAR_PENDING = Prepared(
    lambda: delete(sync_changes).where(
        sync_changes.c.space_id == _SPACE,
        sync_changes.c.kind == _KIND,
        sync_changes.c.item_id.in_(_IDS),
    )
)
_ITEMS = Prepared(
    lambda: select(sync_items).where(
        sync_items.c.space_id == _SPACE,
        sync_items.c.kind == _KIND,
        sync_items.c.item_id.in_(_IDS),
    )
)
_DROP_ITEMS = Prepared(
    lambda: delete(sync_items).where(
        sync_items.c.space_id == _SPACE,
        sync_items.c.kind == _KIND,
        sync_items.c.item_id.in_(_IDS),
    )
)
_SINCE = Prepared(
    lambda: (
        select(sync_items)
        .where(
            sync_items.c.space_id == _SPACE,
            sync_items.c.version > bindparam("after", type_=BigInteger),
            or_(
                sync_items.c.origin.is_(None),
                sync_items.c.origin != bindparam("peer", type_=Text),
            ),
        )
        .order_by(sync_items.c.version)
        .limit(bindparam("most", type_=Integer))
    )
)
_LAST = Prepared(
    lambda: select(func.max(sync_items.c.version)).where(sync_items.c.space_id == _SPACE)
)
_COLUMNS: Final = tuple(column.name for column in sync_items.c)


class ItemRow(NamedTuple):
    """A row of ``sync_items`` to write; the state is JSON already."""

    kind: str
    item_id: str
    version: int
    origin: str | None
    shared_with: str | None
    state: str
    refusal: str | None = None


class Peer(NamedTuple):
    """A server that this store syncs with, or a device that syncs with this server."""

    id: str
    role: str
    user: str
    address: str | None = None
    pushed: int = 0
    pulled: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    synced_at: datetime | None = None


def device_of(connection: Connection, space_id: str) -> str | None:
    """This store's device name in a space; None for a space that is not synced."""
    found: str | None = _DEVICE.value(connection, space=space_id)
    return found


def begin_sync(connection: Connection, space_id: str, device: str, now: datetime) -> None:
    """Start sync of a space: note every existing item, and from now on every change."""
    for kind, column in _THINGS:
        connection.execute(
            insert(sync_changes).from_select(
                ["space_id", "kind", "item_id", "noted"],
                select(
                    column.table.c.space_id, literal(kind), column, literal(0, BigInteger)
                ).where(column.table.c.space_id == space_id),
            )
        )
    connection.execute(insert(sync_spaces).values(space_id=space_id, device_id=device, since=now))


def pending_changes(connection: Connection, space_id: str, most: int) -> list[tuple[str, str]]:
    """Changed items that were not captured yet."""
    rows = _PENDING.raw(connection, space=space_id, most=most)
    return [(kind, item_id) for kind, item_id in rows]


def pending_among(connection: Connection, space_id: str, kind: str, ids: Sequence[str]) -> set[str]:
    """Those of the items that changed and were not captured yet."""
    return set(_PENDING_AMONG.column(connection, space=space_id, kind=kind, ids=ids))


def count_pending(connection: Connection, space_id: str) -> int:
    """Number of items waiting to be captured."""
    query = select(func.count()).where(sync_changes.c.space_id == space_id)
    return int(connection.execute(query).scalar_one())


def clear_pending(connection: Connection, space_id: str, kind: str, ids: Sequence[str]) -> None:
    """Delete the notes of captured items."""
    if ids:
        _CLEAR_PENDING.run(connection, space=space_id, kind=kind, ids=ids)


def items_of(
    connection: Connection, space_id: str, kind: str, ids: Sequence[str]
) -> dict[str, Row[Any]]:
    """Known state of items, by id."""
    if not ids:
        return {}
    rows = _ITEMS.rows(connection, space=space_id, kind=kind, ids=ids)
    return {row.item_id: row for row in rows}


def put_items(connection: Connection, space_id: str, rows: Sequence[ItemRow]) -> None:
    """Store the known state of items, replacing the earlier one."""
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        by_kind.setdefault(row.kind, []).append(row.item_id)
    for kind, ids in by_kind.items():
        _DROP_ITEMS.run(connection, space=space_id, kind=kind, ids=ids)
    insert_rows(connection, sync_items, _COLUMNS, [(space_id, *row) for row in rows])


def items_since(
    connection: Connection, space_id: str, after: int, peer: str, most: int
) -> list[Row[Any]]:
    """Items changed after a version, except those that come from the peer itself, in order."""
    return _SINCE.rows(connection, space=space_id, after=after, peer=peer, most=most)


def count_since(connection: Connection, space_id: str, after: int, peer: str) -> int:
    """Number of items changed after a version, except those that come from the peer itself."""
    query = select(func.count()).where(
        sync_items.c.space_id == space_id,
        sync_items.c.version > after,
        or_(sync_items.c.origin.is_(None), sync_items.c.origin != peer),
    )
    return int(connection.execute(query).scalar_one())


def last_version(connection: Connection, space_id: str) -> int:
    """The version of the last known change."""
    return int(_LAST.value(connection, space=space_id) or 0)


def mark_shared(
    connection: Connection, space_id: str, kind: str, ids: Sequence[str], peer: str
) -> None:
    """Record that items are about to be sent to a peer."""
    if ids:
        connection.execute(
            update(sync_items)
            .where(
                sync_items.c.space_id == space_id,
                sync_items.c.kind == kind,
                sync_items.c.item_id.in_(ids),
            )
            .values(shared_with=peer)
        )


def put_refusal(
    connection: Connection, space_id: str, kind: str, item_id: str, why: str | None
) -> None:
    """Record why a peer refused a change."""
    connection.execute(
        update(sync_items)
        .where(
            sync_items.c.space_id == space_id,
            sync_items.c.kind == kind,
            sync_items.c.item_id == item_id,
        )
        .values(refusal=why)
    )


def refusals(connection: Connection, space_id: str) -> list[tuple[str, str, str]]:
    """Kind, id and reason of refused changes."""
    rows = connection.execute(
        select(sync_items.c.kind, sync_items.c.item_id, sync_items.c.refusal)
        .where(sync_items.c.space_id == space_id, sync_items.c.refusal.is_not(None))
        .order_by(sync_items.c.version)
    )
    return [(kind, item_id, why) for kind, item_id, why in rows]


def peers_of(connection: Connection, space_id: str) -> dict[str, Peer]:
    """The peers of a space."""
    rows = connection.execute(
        select(sync_peers).where(sync_peers.c.space_id == space_id).order_by(sync_peers.c.peer_id)
    )
    return {
        row.peer_id: Peer(
            row.peer_id,
            row.role,
            row.user_id,
            row.address,
            row.pushed,
            row.pulled,
            row.options,
            row.synced_at,
        )
        for row in rows
    }


def put_peer(connection: Connection, space_id: str, peer: Peer) -> None:
    """Store a peer, replacing its earlier state."""
    connection.execute(
        delete(sync_peers).where(sync_peers.c.space_id == space_id, sync_peers.c.peer_id == peer.id)
    )
    connection.execute(
        insert(sync_peers).values(
            space_id=space_id,
            peer_id=peer.id,
            role=peer.role,
            user_id=peer.user,
            address=peer.address,
            pushed=peer.pushed,
            pulled=peer.pulled,
            options=dict(peer.options),
            synced_at=peer.synced_at,
        )
    )


def texts_of(
    connection: Connection, space_id: str, ids: Collection[str]
) -> dict[str, dict[str, str]]:
    """Contents in conflict with those that memories show, by memory and stamp."""
    found: dict[str, dict[str, str]] = {}
    for row in connection.execute(
        select(sync_texts).where(
            sync_texts.c.space_id == space_id, sync_texts.c.memory_id.in_(list(ids))
        )
    ):
        found.setdefault(row.memory_id, {})[row.stamp] = row.content
    return found


def memories_in_conflict(connection: Connection, space_id: str) -> list[str]:
    """The memories that have more than one content."""
    query = select(sync_texts.c.memory_id).where(sync_texts.c.space_id == space_id).distinct()
    return sorted(connection.execute(query).scalars())


def put_texts(
    connection: Connection, space_id: str, memory_id: str, texts: Iterable[tuple[str, str]]
) -> None:
    """Store the contents beside the one that a memory shows, replacing earlier ones."""
    connection.execute(
        delete(sync_texts).where(
            sync_texts.c.space_id == space_id, sync_texts.c.memory_id == memory_id
        )
    )
    insert_rows(
        connection,
        sync_texts,
        ("space_id", "memory_id", "stamp", "content"),
        [(space_id, memory_id, stamp, content) for stamp, content in texts],
    )


def as_state(document: dict[str, Any]) -> str:
    """A state in stored form."""
    return dump(document)
