"""Tombstones: digests of what was forgotten, by which anything near it is known for a day."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, Text, bindparam, delete, insert, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import tombstones
from recollect.vocabulary.audiences import Sight
from recollect.vocabulary.clock import to_microseconds

_STANDING = Prepared(
    select(tombstones).where(
        tombstones.c.space_id == bindparam("space", type_=Text),
        tombstones.c.user_id == bindparam("user", type_=Text),
        tombstones.c.expires_at > bindparam("now", type_=BigInteger),
    )
)


class Tombstone(NamedTuple):
    """What is left of something forgotten: no words, only what tells whether others are near."""

    id: str
    simhash: int
    digest: str
    expires_at: datetime


def put_tombstone(connection: Connection, sight: Sight, stone: Tombstone) -> None:
    """Lay one down."""
    connection.execute(
        insert(tombstones).values(
            space_id=sight.space_id,
            user_id=sight.viewer.user,
            tombstone_id=stone.id,
            simhash=stone.simhash,
            digest=stone.digest,
            expires_at=stone.expires_at,
        )
    )


def standing_tombstones(connection: Connection, sight: Sight, now: datetime) -> list[Tombstone]:
    """Those of the viewer that still count."""
    rows = _STANDING.rows(
        connection, space=sight.space_id, user=sight.viewer.user, now=to_microseconds(now)
    )
    return [Tombstone(row.tombstone_id, row.simhash, row.digest, row.expires_at) for row in rows]


def drop_tombstones(connection: Connection, sight: Sight, ids: list[str]) -> int:
    """Take up some of the viewer's, because what they stand for is wanted again."""
    done = connection.execute(
        delete(tombstones).where(
            tombstones.c.space_id == sight.space_id,
            tombstones.c.user_id == sight.viewer.user,
            tombstones.c.tombstone_id.in_(ids),
        )
    )
    return done.rowcount


def clear_tombstones(connection: Connection, space_id: str, now: datetime) -> int:
    """Take away those whose day is over, for the keepers of the house."""
    done = connection.execute(
        delete(tombstones).where(tombstones.c.space_id == space_id, tombstones.c.expires_at <= now)
    )
    return done.rowcount
