"""Reads past damaged rows: by id, in ever smaller batches until only the bad ones are left.

The ids come from an index, which is usually readable when a table page is not.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from sqlalchemy import Connection, select

from recollect.storage.schema import events, memories
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import StoreDamaged, StoreError

T = TypeVar("T")

#: Errors when the page of a row is damaged or its values are invalid.
BAD_ROW_ERRORS: Final = (StoreError, ValueError, LookupError, TypeError, RecursionError)


def is_bad_row(error: BaseException) -> bool:
    """Whether an error is about stored data, and not about a busy or unreachable store."""
    if isinstance(error, StoreError):
        return isinstance(error, StoreDamaged) or type(error) is StoreError
    return isinstance(error, BAD_ROW_ERRORS)


def memory_ids(connection: Connection, access: Access) -> list[str]:
    """The ids of all memories of a space, newest first, from the table's index. Visibility is
    checked as each is read.
    """
    query = select(memories.c.memory_id).where(memories.c.space_id == access.space_id)
    return list(connection.execute(query.order_by(memories.c.memory_id.desc())).scalars())


def event_ids(connection: Connection, access: Access) -> list[str]:
    """The ids of all events of a space, oldest first, from the table's index."""
    query = select(events.c.event_id).where(events.c.space_id == access.space_id)
    return list(connection.execute(query.order_by(events.c.event_id)).scalars())


def readable(
    read: Callable[[Sequence[str]], Mapping[str, T]], ids: Sequence[str]
) -> tuple[dict[str, T], list[str]]:
    """The rows that can be read, by id, and the ids of those that cannot."""
    try:
        return dict(read(ids)), []
    except BAD_ROW_ERRORS as error:
        if not is_bad_row(error):
            raise
        if len(ids) == 1:
            return {}, list(ids)
    half = len(ids) // 2
    found, bad = readable(read, ids[:half])
    more, worse = readable(read, ids[half:])
    return found | more, bad + worse
