"""Reading past rows that cannot be read: by their ids, which stand in an index, and ever fewer at a
time until the bad ones are alone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from sqlalchemy import Connection, select

from recollect.storage.schema import events, memories
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import StoreDamaged, StoreError

T = TypeVar("T")

#: What reading a row raises when its page is damaged or its values are none that we write.
BAD_ROW: Final = (StoreError, ValueError, LookupError, TypeError, RecursionError)


def is_bad_row(error: BaseException) -> bool:
    """Whether an error speaks of what is stored, and not of a store that is busy or away."""
    if isinstance(error, StoreError):
        return isinstance(error, StoreDamaged) or type(error) is StoreError
    return isinstance(error, BAD_ROW)


def memory_ids(connection: Connection, access: Access) -> list[str]:
    """The ids of all memories of a space, newest first, from the index of their table: whose they
    are is found out as each is read."""
    query = select(memories.c.memory_id).where(memories.c.space_id == access.space_id)
    return list(connection.execute(query.order_by(memories.c.memory_id.desc())).scalars())


def event_ids(connection: Connection, access: Access) -> list[str]:
    """The ids of all events of a space, oldest first, from the index of their table."""
    query = select(events.c.event_id).where(events.c.space_id == access.space_id)
    return list(connection.execute(query.order_by(events.c.event_id)).scalars())


def readable(
    read: Callable[[Sequence[str]], Mapping[str, T]], ids: Sequence[str]
) -> tuple[dict[str, T], list[str]]:
    """What can be read of so many ids, and the ids of what cannot."""
    try:
        return dict(read(ids)), []
    except BAD_ROW as error:
        if not is_bad_row(error):
            raise
        if len(ids) == 1:
            return {}, list(ids)
    half = len(ids) // 2
    found, bad = readable(read, ids[:half])
    more, worse = readable(read, ids[half:])
    return found | more, bad + worse
