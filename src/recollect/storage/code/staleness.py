"""Rows of staleness: how much the files of a memory changed since the memory was made.

Recall reads them with the memory; a memory without a row is fresh.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, select

from recollect.storage.prepared import insert_rows
from recollect.storage.schema import code_cochanges, memory_staleness
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds

_AT_ONCE: Final = 500


class StalenessRow(NamedTuple):
    """The share of a memory's files that changed since it was made, how often they change compared
    with the average file (1: as often), and by how many days the newest is newer.
    """

    memory_id: str
    changed: float
    volatility: float
    newer_days: int


def replace_staleness(
    connection: Connection,
    space_id: str,
    looked_at: Sequence[str],
    rows: Iterable[StalenessRow],
    at: datetime,
) -> None:
    """Replace the rows of the memories that were examined."""
    for start in range(0, len(looked_at), _AT_ONCE):
        connection.execute(
            delete(memory_staleness).where(
                memory_staleness.c.space_id == space_id,
                memory_staleness.c.memory_id.in_(looked_at[start : start + _AT_ONCE]),
            )
        )
    columns = ("space_id", *StalenessRow._fields, "checked_at")
    insert_rows(
        connection,
        memory_staleness,
        columns,
        [(space_id, *row, to_microseconds(at)) for row in rows],
    )


def commit_counts(connection: Connection, access: Access) -> dict[str, int]:
    """In how many commits each source file was."""
    if not access.member:
        return {}
    rows = connection.execute(
        select(code_cochanges.c.first, code_cochanges.c.commits).where(
            code_cochanges.c.space_id == access.space_id,
            code_cochanges.c.first == code_cochanges.c.second,
        )
    )
    return {path: commits for path, commits in rows}
