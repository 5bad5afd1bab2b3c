"""Many rows at once, as the driver takes them, for the paths where a statement's overhead shows.

Values are given as the database keeps them: times as microseconds, documents as text. Many rows go
in as one statement of a fixed size, so that the database works on them without coming back to
Python for each. SQLite fills what is left of that size with rows of nulls, which the statement
passes over: hence the first column must be one that is never null. A server is given ever smaller
statements instead.

Inserts that belong together (what several tables get of one thing) are sent to the store as one: a
server is asked and answers once instead of once for each table, which costs it and us more than the
inserts themselves. How they go out is the dialect's business.
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

_GATHERED: Final = "recollect_gathered"
_FEW: Final = 16
_SIZES: Final = (64, 512, 2_048)
_PARAMETERS: Final = 32_000  # SQLite takes 32,766 in one statement, PostgreSQL 65,535
_LARGEST: Final = 1_024
_NAMED: Final = re.compile(r"%\((\w+)\)s")


def insert_rows(connection: Connection, table: Table, columns: tuple[str, ...], rows: Rows) -> None:
    """Insert rows whose values stand in the order of the columns."""
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
    """Run an insert of one row for many, with few statements; its parameters have no names."""
    if len(rows) <= _FEW:
        run_many(connection, statement, rows)
    elif "%s" in statement:
        _insert_in_powers(connection, statement, width, rows)
    else:
        _insert_filled(connection, statement, width, rows)


def _insert_in_powers(connection: Connection, statement: str, width: int, rows: Rows) -> None:
    """Statements of 1,024 rows, then of 512, and so on; the last few rows one by one."""
    size, start = _LARGEST, 0
    while size * width > _PARAMETERS:
        size //= 2
    head, row = statement.split(" VALUES ")
    while size >= _FEW:
        if len(rows) - start < size:
            size //= 2
            continue
        part = rows[start : start + size]
        text = f"{head} VALUES {_repeated(row, size)}"
        run_many(connection, text, [tuple(chain.from_iterable(part))])
        start += size
    run_many(connection, statement, rows[start:])


def _insert_filled(connection: Connection, statement: str, width: int, rows: Rows) -> None:
    """Statements of a few sizes, filled up with rows that are passed over."""
    sizes = [size for size in _SIZES if size * width <= _PARAMETERS]
    for start in range(0, len(rows), sizes[-1]):
        part = rows[start : start + sizes[-1]]
        size = next(size for size in sizes if size >= len(part))
        values = chain(chain.from_iterable(part), (None,) * ((size - len(part)) * width))
        run_many(connection, _many(statement, size), [tuple(values)])


def update_memories(connection: Connection, table: Table, sets: str, rows: Rows) -> None:
    """Change many rows of a table that are known by space and memory, which come first in each.

    ``sets`` says what becomes of the columns; what is given for a row is ``given.column3`` and on.
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
    if not rows or gathered(connection, statement, rows):
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
    text = str(compiled)
    if compiled.positiontup:
        return text, tuple(compiled.positiontup)
    return _NAMED.sub("%s", text), tuple(_NAMED.findall(text))


@cache
def _repeated(row: str, size: int) -> str:
    return ", ".join([row] * size)


@cache
def _many(statement: str, size: int) -> str:
    """The insert of one row made into one of ``size`` rows, less those that begin with null."""
    head, row = statement.split(" VALUES ")
    rows = _repeated(row, size)
    return f"{head} SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL"  # noqa: S608


@contextmanager
def together(connection: Connection) -> Iterator[None]:
    """Let the inserts inside go out as one, at the end. Nothing may be asked inside."""
    if _GATHERED in connection.info:
        yield
        return
    parts: list[Part] = []
    connection.info[_GATHERED] = parts
    try:
        yield
    finally:
        del connection.info[_GATHERED]
    if parts:
        dialect_of(connection).run_parts(connection, parts)


def gathered(connection: Connection, statement: str, rows: Sequence[Parameters]) -> bool:
    """Whether the statement goes out later, together with others, once for each of the rows."""
    parts = connection.info.get(_GATHERED)
    if parts is None:
        return False
    parts += [(statement, row) for row in rows]
    return True
