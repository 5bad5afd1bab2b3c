"""The clock of a space, a counter that every change moves, and the space's number.

Every package that keeps rows in a space uses it, so it belongs to none of them.
"""

from typing import Final

from sqlalchemy import BigInteger, Connection, Text, bindparam, select, update

from recollect.storage.prepared import Prepared, dialect_of
from recollect.storage.schema import spaces
from recollect.vocabulary.errors import SpaceNotFound

_SPACE = bindparam("space", type_=Text)
_CLOCK = Prepared(
    lambda: select(spaces.c.number, spaces.c.clock).where(spaces.c.space_id == _SPACE)
)
_TICKING = (
    update(spaces)
    .where(spaces.c.space_id == _SPACE)
    .values(clock=spaces.c.clock + bindparam("count", type_=BigInteger))
    .returning(spaces.c.number, spaces.c.clock)
)
_TICK = Prepared(lambda: _TICKING)
_TICK_AND_LOCK: Final[dict[str, Prepared]] = {}


def tick(connection: Connection, space_id: str, count: int = 1) -> tuple[int, int]:
    """Advance a space's clock; its number, and the first of the ticks reserved for the caller."""
    return _ticked(_TICK, connection, space_id, count)


def tick_and_lock(connection: Connection, space_id: str, count: int) -> tuple[int, int]:
    """Advance a space's clock and lock the space, for a transaction that had not locked it."""
    dialect = dialect_of(connection)
    prepared = _TICK_AND_LOCK.get(dialect.name)
    if prepared is None:
        prepared = _TICK_AND_LOCK[dialect.name] = Prepared(
            lambda: _TICKING.where(dialect.lock_condition(_SPACE))
        )
    return _ticked(prepared, connection, space_id, count)


def _ticked(
    ticking: Prepared, connection: Connection, space_id: str, count: int
) -> tuple[int, int]:
    row = ticking.first(connection, space=space_id, count=count)
    if row is None:
        raise SpaceNotFound("The space no longer exists.")
    return int(row.number), int(row.clock) - count + 1


def number_and_clock(connection: Connection, space_id: str) -> tuple[int, int]:
    """A space's number and the current value of its clock."""
    row = _CLOCK.first(connection, space=space_id)
    if row is None:
        raise SpaceNotFound("The space no longer exists.")
    return int(row.number), int(row.clock)
