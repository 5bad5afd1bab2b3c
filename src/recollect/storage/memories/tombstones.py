"""Tombstones: digests of forgotten memories, to recognise anything similar for a day.

Beside them, in a sealed (encrypted) row, is what may still be restored. It has an expiry of its
own, so that the seal is gone long before the digest is.
"""

import json
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Text, bindparam, delete, func, insert, select, update

from recollect.storage.prepared import Prepared
from recollect.storage.schema import tombstones
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds

#: Prefix of the digest of a sealed row; no JSON begins with it.
_SEALED: Final = "sealed:"
_IS_SEALED = tombstones.c.digest.startswith(_SEALED)
_HAS_INNER = tombstones.c.digest.contains('"sealed"') & ~_IS_SEALED

_UNEXPIRED = Prepared(
    lambda: select(tombstones).where(
        ~_IS_SEALED,
        tombstones.c.space_id == bindparam("space", type_=Text),
        tombstones.c.user_id == bindparam("user", type_=Text),
        tombstones.c.expires_at > bindparam("now", type_=BigInteger),
    )
)

_FIRST_SEAL_ENDS = Prepared(
    lambda: select(
        func.min(tombstones.c.expires_at, type_=tombstones.c.expires_at.type).label("ends")
    ).where(_IS_SEALED)
)
_INNER_SEAL = Prepared(lambda: select(tombstones.c.tombstone_id).where(_HAS_INNER).limit(1))


class Tombstone(NamedTuple):
    """Remains of a forgotten memory: no text, only what tells whether others are similar."""

    id: str
    simhash: int
    digest: str
    expires_at: datetime


def put_tombstone(connection: Connection, access: Access, tombstone: Tombstone) -> None:
    """Insert a tombstone."""
    connection.execute(
        insert(tombstones).values(
            space_id=access.space_id,
            user_id=access.viewer.user,
            tombstone_id=tombstone.id,
            simhash=tombstone.simhash,
            digest=tombstone.digest,
            expires_at=tombstone.expires_at,
        )
    )


def unexpired_tombstones(connection: Connection, access: Access, now: datetime) -> list[Tombstone]:
    """The viewer's unexpired tombstones."""
    rows = _UNEXPIRED.rows(
        connection, space=access.space_id, user=access.viewer.user, now=to_microseconds(now)
    )
    return [Tombstone(row.tombstone_id, row.simhash, row.digest, row.expires_at) for row in rows]


def drop_tombstones(connection: Connection, access: Access, ids: list[str]) -> int:
    """Delete some of the viewer's tombstones, because their content is wanted again."""
    done = connection.execute(
        delete(tombstones).where(
            tombstones.c.space_id == access.space_id,
            tombstones.c.user_id == access.viewer.user,
            tombstones.c.tombstone_id.in_(ids),
        )
    )
    return done.rowcount


def clear_tombstones(connection: Connection, space_id: str, now: datetime) -> int:
    """Delete expired tombstones; for maintenance jobs."""
    done = connection.execute(
        delete(tombstones).where(tombstones.c.space_id == space_id, tombstones.c.expires_at <= now)
    )
    return done.rowcount


def put_seal(
    connection: Connection, access: Access, seal_id: str, sealed: str, expires_at: datetime
) -> None:
    """Store sealed data that can be restored until a time."""
    put_tombstone(connection, access, Tombstone(seal_id, 0, f"{_SEALED}{sealed}", expires_at))


def get_seal(connection: Connection, access: Access, seal_id: str, now: datetime) -> str | None:
    """The viewer's sealed data; None if expired."""
    digest: str | None = connection.execute(
        select(tombstones.c.digest).where(
            tombstones.c.space_id == access.space_id,
            tombstones.c.user_id == access.viewer.user,
            tombstones.c.tombstone_id == seal_id,
            tombstones.c.expires_at > now,
            _IS_SEALED,
        )
    ).scalar()
    return None if digest is None else digest.removeprefix(_SEALED)


def first_seal_expiry(connection: Connection) -> datetime | None:
    """When the time of the first sealed row is over, for the system tasks."""
    ends: datetime | None = _FIRST_SEAL_ENDS.value(connection)
    return ends


def drop_seals(connection: Connection, now: datetime) -> list[str]:
    """Delete expired seals in every space; returns their sealed contents."""
    over = _IS_SEALED & (tombstones.c.expires_at <= now)
    gone = list(connection.execute(select(tombstones.c.digest).where(over)).scalars())
    if gone:
        connection.execute(delete(tombstones).where(over))
    return gone


def has_inner_seals(connection: Connection) -> bool:
    """Whether a digest of an earlier version holds a seal."""
    return _INNER_SEAL.first(connection) is not None


def drop_inner_seals(connection: Connection) -> list[str]:
    """Remove the seals that earlier versions stored inside the digest; returns their contents."""
    rows = connection.execute(select(tombstones).where(_HAS_INNER)).all()
    gone: list[str] = []
    for row in rows:
        digest = json.loads(row.digest)
        gone.append(str(digest.pop("sealed", "")))
        connection.execute(
            update(tombstones)
            .where(
                tombstones.c.space_id == row.space_id,
                tombstones.c.user_id == row.user_id,
                tombstones.c.tombstone_id == row.tombstone_id,
            )
            .values(digest=json.dumps(digest))
        )
    return gone
