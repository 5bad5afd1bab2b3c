"""Many rows at once, as the driver takes them, for the paths where a statement's overhead shows.

Values are given as the database keeps them: times as microseconds, documents as text. Where the
driver counts its parameters, many rows go in as one statement of a fixed size, so that the database
works on them without coming back to Python for each. What is left of that size is filled with rows
of nulls, which the statement passes over: hence the first column must be one that is never null.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Table, bindparam, insert

Rows = Sequence[tuple[Any, ...]]
Insert = tuple[str, tuple[str, ...] | None]

_inserts: Final[dict[tuple[str, tuple[str, ...], str], Insert]] = {}

_FEW: Final = 16
_SIZES: Final = (64, 512, 2_048)
_PARAMETERS: Final = 32_000  # SQLite takes 32,766 in one statement


def insert_rows(connection: Connection, table: Table, columns: tuple[str, ...], rows: Rows) -> None:
    """Insert rows whose values stand in the order of the columns."""
    if not rows:
        return
    statement, order = _prepared(table, columns, connection.dialect)
    if order is None:
        run_many(connection, statement, [dict(zip(columns, row, strict=True)) for row in rows])
    elif order == columns:
        insert_in_order(connection, statement, len(columns), rows)
    else:
        places = [columns.index(name) for name in order]
        ordered = [tuple(row[place] for place in places) for row in rows]
        insert_in_order(connection, statement, len(columns), ordered)


def insert_in_order(connection: Connection, statement: str, width: int, rows: Rows) -> None:
    """Run an insert of one row for many, with few statements; its parameters are question marks."""
    if len(rows) <= _FEW:
        run_many(connection, statement, rows)
        return
    sizes = [size for size in _SIZES if size * width <= _PARAMETERS]
    for start in range(0, len(rows), sizes[-1]):
        part = rows[start : start + sizes[-1]]
        size = next(size for size in sizes if size >= len(part))
        values = chain(chain.from_iterable(part), (None,) * ((size - len(part)) * width))
        run_many(connection, _many(statement, size), [tuple(values)])


def run_many(connection: Connection, statement: str, rows: Sequence[Any]) -> None:
    """Run a statement once for each row, straight on the driver."""
    cursor = connection.connection.cursor()
    try:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)
    finally:
        cursor.close()


def _prepared(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
    """The insert of one kind of database, made once, however many are opened."""
    key = table.name, columns, dialect.name
    known = _inserts.get(key)
    if known is None:
        known = _inserts[key] = _statement(table, columns, dialect)
    return known


def _statement(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
    """The insert as text, and the order of its parameters where they have one."""
    compiled = (
        insert(table)
        .values({name: bindparam(name, type_=None) for name in columns})
        .compile(dialect=dialect)
    )
    order = tuple(compiled.positiontup) if compiled.positiontup else None
    return str(compiled), order


@cache
def _many(statement: str, size: int) -> str:
    """The insert of one row made into one of ``size`` rows, less those that begin with null."""
    head, row = statement.split(" VALUES ")
    rows = ", ".join([row] * size)
    return f"{head} SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL"  # noqa: S608
