"""Many rows at once, as the driver takes them, for the paths where a statement's overhead shows.

Values are given as the database keeps them: times as microseconds, documents as text.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, Table, bindparam, insert


def insert_rows(
    connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows whose values stand in the order of the columns."""
    if not rows:
        return
    statement, order = _statement(table, columns, connection.dialect)
    if order is None:
        connection.exec_driver_sql(
            statement, [dict(zip(columns, row, strict=True)) for row in rows]
        )
    elif order == columns:
        connection.exec_driver_sql(statement, list(rows))
    else:
        places = [columns.index(name) for name in order]
        connection.exec_driver_sql(
            statement, [tuple(row[place] for place in places) for row in rows]
        )


@cache
def _statement(
    table: Table, columns: tuple[str, ...], dialect: Dialect
) -> tuple[str, tuple[str, ...] | None]:
    """The insert as text, and the order of its parameters where they have one."""
    compiled = (
        insert(table)
        .values({name: bindparam(name, type_=None) for name in columns})
        .compile(dialect=dialect)
    )
    order = tuple(compiled.positiontup) if compiled.positiontup else None
    return str(compiled), order
