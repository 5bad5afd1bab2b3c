"""Rows of the semantic layer: inferred relations between the parts of a folder.

A folder's rows are replaced together; only members of the space see them.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, or_, select

from recollect.storage.prepared import insert_rows
from recollect.storage.schema import code_meanings
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds

#: For more ends than this, all edges are read.
_ENDS: Final = 200


class MeaningRow(NamedTuple):
    """One semantic edge, by the labels of its ends, with its confidence and its author."""

    module: str
    source: str
    kind: str
    target: str
    confidence: float
    made_by: str


def replace_meanings(
    connection: Connection, space_id: str, module: str, rows: Iterable[MeaningRow], at: datetime
) -> None:
    """Replace the edges of a folder."""
    connection.execute(
        delete(code_meanings).where(
            code_meanings.c.space_id == space_id, code_meanings.c.module == module
        )
    )
    columns = ("space_id", *MeaningRow._fields, "at")
    insert_rows(
        connection, code_meanings, columns, [(space_id, *row, to_microseconds(at)) for row in rows]
    )


def meanings(
    connection: Connection,
    access: Access,
    *,
    ends: Collection[str] | None = None,
    kind: str | None = None,
) -> list[MeaningRow]:
    """Semantic edges of a space, by folder and ends: all, or those with one of these ends."""
    if not access.member:
        return []
    columns = [code_meanings.c[name] for name in MeaningRow._fields]
    query = select(*columns).where(code_meanings.c.space_id == access.space_id)
    if ends is not None and len(ends) <= _ENDS:
        wanted = sorted(ends)
        query = query.where(
            or_(code_meanings.c.source.in_(wanted), code_meanings.c.target.in_(wanted))
        )
    if kind is not None:
        query = query.where(code_meanings.c.kind == kind)
    return [MeaningRow(*row) for row in connection.execute(query.order_by(*columns[:4]))]
