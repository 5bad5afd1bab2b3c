"""Co-change history of the code of a space: sums over commits, for pairs of files.

The pair of a file with itself holds in how many commits the file was at all.
"""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select

from recollect.storage.prepared import insert_rows
from recollect.storage.schema import code_cochanges
from recollect.vocabulary.audiences import Access

#: For two files, ordered by path: total weight and number of their common commits.
Sums = dict[tuple[str, str], tuple[float, int]]

_PAIR: Final = (code_cochanges.c.first, code_cochanges.c.second)
_ROW: Final = (*_PAIR, code_cochanges.c.weight, code_cochanges.c.commits)


def sums(connection: Connection, access: Access, least: int = 1) -> Sums:
    """All sums, without pairs in fewer commits than ``least``."""
    if not access.member:
        return {}
    enough = (code_cochanges.c.commits >= least) | (_PAIR[0] == _PAIR[1])
    rows = connection.execute(
        select(*_ROW).where(code_cochanges.c.space_id == access.space_id, enough)
    )
    return {(first, second): (weight, commits) for first, second, weight, commits in rows}


def replace_sums(
    connection: Connection,
    space_id: str,
    old: Mapping[tuple[str, str], tuple[float, int]],
    new: Mapping[tuple[str, str], tuple[float, int]],
) -> None:
    """Replace old sums by new ones; rows that are equal in both are not touched."""
    mine = code_cochanges.c.space_id == space_id
    less = [pair for pair, sum_ in old.items() if new.get(pair) != sum_]
    if len(less) == len(old):
        connection.execute(delete(code_cochanges).where(mine))
    elif less:
        one = delete(code_cochanges).where(
            mine, _PAIR[0] == bindparam("one"), _PAIR[1] == bindparam("other")
        )
        connection.execute(one, [{"one": first, "other": second} for first, second in less])
    insert_rows(
        connection,
        code_cochanges,
        ("space_id", "first", "second", "weight", "commits"),
        [(space_id, *pair, *sum_) for pair, sum_ in new.items() if old.get(pair) != sum_],
    )
