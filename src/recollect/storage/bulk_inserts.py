"""Bulk inserts: many rows per statement, straight on the driver, where per-statement cost matters.

Values are given in their stored form: times as microseconds, documents as text. Rows are inserted
with multi-row statements of a few fixed sizes, so that the database processes them without
returning to Python for each. SQLite pads the last statement with rows of nulls, which the statement
skips: hence the first column must never be null. PostgreSQL is given ever smaller statements
instead.

Inserts that belong together (one item's rows in several tables) are sent as one request: a server
then answers once instead of once per table, which saves more than the inserts themselves cost. How
they are combined is up to the dialect.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Table, bindparam, insert

from recollect.storage.access.row_security import dialect_of
from recollect.storage.dialects.protocol import Parameters, Part

Rows = Sequence[tuple[Any, ...]]
Insert = tuple[str, tuple[str, ...]]

_inserts: Final[dict[tuple[str, tuple[str, ...], str], Insert]] = {}

_QUEUED_INSERTS: Final = "recollect_gathered"
_FEW_ROWS: Final = 16
_SIZES: Final = (64, 512, 2_048)
_PARAMETERS: Final = 32_000  # SQLite takes 32,766 in one statement, PostgreSQL 65,535
_LARGEST: Final = 1_024
_NAMED: Final = re.compile(r"%\((\w+)\)s")


def insert_rows(connection: Connection, table: Table, columns: tuple[str, ...], rows: Rows) -> None:
    """Insert rows whose values are in the order of the columns."""
    if not rows:
        return
    statement, order = _prepared(table, columns, connection.dialect)
    if order == columns:
        insert_in_order(connection, statement, len(columns), rows)
    else:
        places = [columns.index(name) for name in order]
        ordered = [tuple(row[place] for place in places) for row in rows]
        insert_in_order(connection, statement, len(columns), ordered)


def insert_in_order(connection: Connection, statement: str, width: int, rows: Rows) -> None:
    """Run a one-row insert for many rows, with few statements; its parameters are positional."""
    if len(rows) <= _FEW_ROWS:
        run_many(connection, statement, rows)
    elif "%s" in statement:
        _insert_in_shrinking_batches(connection, statement, width, rows)
    else:
        _insert_padded(connection, statement, width, rows)


def _insert_in_shrinking_batches(
    connection: Connection, statement: str, width: int, rows: Rows
) -> None:
    """Statements of 1,024 rows, then of 512, and so on; the last few rows one by one."""
    size, start = _LARGEST, 0
    while size * width > _PARAMETERS:
        size //= 2
    head, row = statement.split(" VALUES ")
    while size >= _FEW_ROWS:
        if len(rows) - start < size:
            size //= 2
            continue
        part = rows[start : start + size]
        text = f"{head} VALUES {_repeated(row, size)}"
        run_many(connection, text, [tuple(chain.from_iterable(part))])
        start += size
    run_many(connection, statement, rows[start:])


def _insert_padded(connection: Connection, statement: str, width: int, rows: Rows) -> None:
    """Statements of a few sizes, padded with null rows that the statement skips."""
    sizes = [size for size in _SIZES if size * width <= _PARAMETERS]
    for start in range(0, len(rows), sizes[-1]):
        part = rows[start : start + sizes[-1]]
        size = next(size for size in sizes if size >= len(part))
        values = chain(chain.from_iterable(part), (None,) * ((size - len(part)) * width))
        run_many(connection, _many(statement, size), [tuple(values)])


def update_memories(connection: Connection, table: Table, sets: str, rows: Rows) -> None:
    """Update many rows keyed by space and memory, which come first in each row.

    ``sets`` is the SET clause; the further values of a row are ``given.column3`` and on.
    """
    if not rows:
        return
    marks = ", ".join(["?" if connection.dialect.paramstyle == "qmark" else "%s"] * len(rows[0]))
    statement = (
        f"UPDATE {table.name} SET {sets} FROM (VALUES ({marks})) AS given"  # noqa: S608
        f" WHERE {table.name}.space_id = given.column1"
        f" AND {table.name}.memory_id = given.column2"
    )
    if "%s" in statement:
        run_many(connection, statement, rows)
        return
    for start in range(0, len(rows), _SIZES[0]):
        part = rows[start : start + _SIZES[0]]
        nothing = (None,) * ((_SIZES[0] - len(part)) * len(rows[0]))
        text = statement.replace(f"({marks})", _repeated(f"({marks})", _SIZES[0]))
        run_many(connection, text, [(*chain.from_iterable(part), *nothing)])


def run_many(connection: Connection, statement: str, rows: Sequence[Any]) -> None:
    """Run a statement once for each row, straight on the driver."""
    if not rows or queued_insert(connection, statement, rows):
        return
    cursor = connection.connection.cursor()
    try:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)
    finally:
        cursor.close()


def _prepared(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
    """The insert for one kind of database, compiled once per process."""
    key = table.name, columns, dialect.name
    known = _inserts.get(key)
    if known is None:
        known = _inserts[key] = _statement(table, columns, dialect)
    return known


def _statement(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
    """The insert as text, and the order of its parameters if they are positional."""
    compiled = (
        insert(table)
        .values({name: bindparam(name, type_=None) for name in columns})
        .compile(dialect=dialect)
    )
    text = str(compiled)
    if compiled.positiontup:
        return text, tuple(compiled.positiontup)
    return _NAMED.sub("%s", text), tuple(_NAMED.findall(text))


@cache
def _repeated(row: str, size: int) -> str:
    return ", ".join([row] * size)


@cache
def _many(statement: str, size: int) -> str:
    """The insert of one row as one of ``size`` rows, less those whose first value is null."""
    head, row = statement.split(" VALUES ")
    rows = _repeated(row, size)
    return f"{head} SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL"  # noqa: S608


@contextmanager
def batched_inserts(connection: Connection) -> Iterator[None]:
    """Send the inserts made inside this context as one request at its end. No queries allowed
    inside.
    """
    if _QUEUED_INSERTS in connection.info:
        yield
        return
    parts: list[Part] = []
    connection.info[_QUEUED_INSERTS] = parts
    try:
        yield
    finally:
        del connection.info[_QUEUED_INSERTS]
    if parts:
        dialect_of(connection).run_parts(connection, parts)


def queued_insert(connection: Connection, statement: str, rows: Sequence[Parameters]) -> bool:
    """Queue the statement if inside ``batched_inserts``; whether it was queued."""
    parts = connection.info.get(_QUEUED_INSERTS)
    if parts is None:
        return False
    parts += [(statement, row) for row in rows]
    return True
