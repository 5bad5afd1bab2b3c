"""Prepared statements, compiled once and run at driver speed; and bulk inserts of many rows.

Building and compiling a statement costs more than most of ours take to run. A prepared statement is
written in SQLAlchemy Core with named parameters, and given as a function: the first run on a
database builds and compiles it, later runs only bind values, and a process that never runs it pays
nothing. An *expanding* parameter takes a list: one array where the database has arrays, otherwise
as many parameters as the list is long, rounded up so that few different texts are prepared.

A bulk insert takes values in their stored form: times as microseconds, documents as text. Rows are
inserted with multi-row statements of a few fixed sizes, so that the database processes them without
returning to Python for each. SQLite pads a statement that is nearly full with rows of nulls, which
the statement skips: hence the first column must never be null. PostgreSQL is given ever smaller
statements instead.

Inserts that belong together (one item's rows in several tables) are sent as one request: a server
then answers once instead of once per table, which saves more than the inserts themselves cost. How
they are combined is up to the dialect.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Select, Table, bindparam, insert
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase

from recollect.storage.dialects.protocol import DIALECT, Parameters, Part, StoreDialect

Convert = Callable[[Any], Any] | None
Values = Mapping[str, Any]
Rows = Sequence[tuple[Any, ...]]
Insert = tuple[str, tuple[str, ...]]

_LONGEST_LIST: Final = 16_384
_DOUBLE: Final = 701  # PostgreSQL's type number of the only float type in our tables

_inserts: Final[dict[tuple[str, tuple[str, ...], str], Insert]] = {}

_QUEUED_INSERTS: Final = "recollect_gathered"
_FEW_ROWS: Final = 16
_SIZES: Final = (64, 256, 2_048)
#: A row of nulls costs nearly as much as a row, and a new size is compiled once in a connection, so
#: a statement is padded only when no more than this share of it is missing.
_PADDING: Final = 0.25
_PARAMETERS: Final = 32_000  # SQLite takes 32,766 in one statement, PostgreSQL 65,535
_LARGEST: Final = 1_024
_NAMED: Final = re.compile(r"%\((\w+)\)s")


class Prepared:
    """One statement, ready to run."""

    def __init__(self, statement: "Callable[[], Select[Any] | UpdateBase | Any]") -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Any]:
        """Every row, as a named tuple."""
        compiled = self._for(connection)
        cursor = cursor_of(connection)
        try:
            cursor.execute(*compiled.bound(values))
            return [compiled.row(found) for found in cursor.fetchall()]
        finally:
            cursor.close()

    def raw(self, connection: Connection, **values: Any) -> list[tuple[Any, ...]]:
        """Every row as the driver returns it, for reads of thousands of numbers."""
        cursor = cursor_of(connection)
        try:
            cursor.execute(*self._for(connection).bound(values))
            return list(cursor.fetchall())
        finally:
            cursor.close()

    def first(self, connection: Connection, **values: Any) -> Any | None:
        """The first row, or None."""
        found = self.rows(connection, **values)
        return found[0] if found else None

    def column(self, connection: Connection, **values: Any) -> list[Any]:
        """The first value of every row."""
        return [row[0] for row in self.rows(connection, **values)]

    def value(self, connection: Connection, **values: Any) -> Any:
        """The first value of the first row, or None."""
        found = self.first(connection, **values)
        return None if found is None else found[0]

    def add(self, connection: Connection, **values: Any) -> None:
        """Run an insert, combined with others inside ``batched_inserts``."""
        text, parameters = self._for(connection).bound(values)
        if queued_insert(connection, text, [parameters]):
            return
        cursor = cursor_of(connection)
        try:
            cursor.execute(text, parameters)
        finally:
            cursor.close()

    def run(self, connection: Connection, **values: Any) -> int:
        """Run a write; how many rows it affected."""
        cursor = cursor_of(connection)
        try:
            cursor.execute(*self._for(connection).bound(values))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def run_many(self, connection: Connection, many: Iterable[Values]) -> None:
        """Run a write once for each set of values."""
        compiled = self._for(connection)
        bound = [compiled.bound(values) for values in many]
        if not bound:
            return
        cursor = cursor_of(connection)
        try:
            cursor.executemany(bound[0][0], [parameters for _, parameters in bound])
        finally:
            cursor.close()

    def _for(self, connection: Connection) -> "_Compiled":
        dialect = connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._statement(), dialect)
        return compiled


class _Compiled:
    """A statement compiled for one database, with the conversion of its values and rows."""

    def __init__(self, statement: Any, dialect: Dialect) -> None:
        compiled: SQLCompiler = statement.compile(dialect=dialect)
        self._positional = bool(compiled.positional)
        self._text = compiled.string if self._positional else _with_arrays(compiled, dialect)
        self._texts: dict[tuple[int, ...], str] = {}
        order: Sequence[str] = compiled.positiontup or list(compiled.binds)
        self._fixed = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }
        self._lists = [name for name, bind in compiled.binds.items() if bind.expanding]
        self._incoming: list[tuple[str, Convert]] = [
            (name, _to_stored(compiled.binds[name].type, dialect)) for name in order
        ]
        self.row = _row_maker(statement, dialect)

    def bound(self, values: Values) -> tuple[str, Any]:
        """The SQL text to run and its parameters."""
        given = {**self._fixed, **values} if self._fixed else values
        if not self._positional:
            return self._text, self._by_name(given)
        if not self._lists:
            return self._text, self._in_order(given, {})
        lists = {name: _padded(list(values[name])) for name in self._lists}
        return self._text_for(lists), self._in_order(given, lists)

    def _text_for(self, lists: Mapping[str, list[Any]]) -> str:
        """The SQL text with as many placeholders as the lists are long, cached per length."""
        lengths = tuple(map(len, lists.values()))
        text = self._texts.get(lengths)
        if text is None:
            text = self._text
            for name, length in zip(lists, lengths, strict=True):
                text = text.replace(f"__[POSTCOMPILE_{name}]", ", ".join("?" * length))
            if max(lengths) <= _LONGEST_LIST:
                self._texts[lengths] = text
        return text

    def _in_order(self, values: Values, lists: Mapping[str, list[Any]]) -> list[Any]:
        if not lists:
            return [
                value if (value := values[name]) is None or convert is None else convert(value)
                for name, convert in self._incoming
            ]
        parameters: list[Any] = []
        for name, convert in self._incoming:
            if name in lists:
                parameters += lists[name]
            else:
                value = values[name]
                parameters.append(value if value is None or convert is None else convert(value))
        return parameters

    def _by_name(self, values: Values) -> dict[str, Any]:
        parameters = {
            name: value
            if (value := values[name]) is None or convert is None or name in self._lists
            else convert(value)
            for name, convert in self._incoming
        }
        for name in self._lists:
            parameters[name] = list(parameters[name])
        return parameters


def _to_stored(kind: Any, dialect: Dialect) -> Convert:
    """What converts a value of a column; null is stored as it is."""
    convert: Convert = getattr(kind, "to_stored", None)
    return convert or kind.dialect_impl(dialect).bind_processor(dialect)


def _from_stored(kind: Any, dialect: Dialect) -> Convert:
    """What converts a stored value of a column that is not null."""
    convert: Convert = getattr(kind, "from_stored", None)
    return convert or kind.dialect_impl(dialect).result_processor(dialect, _DOUBLE)


def _with_arrays(compiled: SQLCompiler, dialect: Dialect) -> str:
    """The SQL text with each list parameter as one array, so that it never changes."""
    text = compiled.string
    for name, bind in compiled.binds.items():
        if bind.expanding:
            kind = bind.type.dialect_impl(dialect).compile(dialect)
            array = f"= ANY({compiled.bindtemplate % {'name': name}}::{kind}[])"
            text = text.replace(f"IN (__[POSTCOMPILE_{name}])", array)
    return text


def cursor_of(connection: Connection) -> Any:
    """A driver cursor; in binary format where the driver offers it."""
    driver: Any = connection.connection.dbapi_connection
    return (
        driver.cursor(binary=True) if connection.dialect.name == "postgresql" else driver.cursor()
    )


def dialect_of(connection: Connection) -> StoreDialect:
    """The dialect of the database that a connection belongs to."""
    dialect: StoreDialect = connection.get_execution_options()[DIALECT]
    return dialect


def _row_maker(statement: Any, dialect: Dialect) -> Callable[[Sequence[Any]], Any]:
    """Function that converts a raw row to a named tuple of Python values."""
    columns = _columns(statement)
    if not columns:
        return tuple
    made = namedtuple("Row", [name for name, _ in columns], rename=True)  # type: ignore[misc]
    converts: list[tuple[int, Callable[[Any], Any], Callable[[], Any] | None]] = [
        (place, convert, getattr(kind, "empty", None))
        for place, (_, kind) in enumerate(columns)
        if (convert := _from_stored(kind, dialect))
    ]

    def row(found: Sequence[Any]) -> Any:
        values = list(found)
        for place, convert, empty in converts:
            value = values[place]
            if value is not None:
                values[place] = convert(value)
            elif empty is not None:
                values[place] = empty()
        return made._make(values)

    return row if converts else made._make


def _columns(statement: Any) -> list[tuple[str, Any]]:
    if isinstance(statement, UpdateBase):
        return [(column.name, column.type) for column in getattr(statement, "_returning", ())]
    return [
        (column.name or f"column_{place}", column.type)
        for place, column in enumerate(statement.selected_columns)
    ]


def _padded(items: list[Any]) -> list[Any]:
    """The list padded with its last item to a power of two; an empty list matches nothing."""
    if not items:
        return [None]
    if len(items) > _LONGEST_LIST:
        return items
    room = 1 << (len(items) - 1).bit_length()
    return items + [items[-1]] * (room - len(items))


def insert_rows(connection: Connection, table: Table, columns: tuple[str, ...], rows: Rows) -> None:
    """Insert rows whose values are in the order of the columns."""
    if not rows:
        return
    statement, order = _prepared_insert(table, columns, connection.dialect)
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
    """Statements of a few sizes, the largest first; null rows that the statement skips fill what is
    missing of one.
    """
    start = 0
    while left := len(rows) - start:
        size = statement_size(left, width)
        part = rows[start : start + size]
        values = chain(chain.from_iterable(part), (None,) * ((size - len(part)) * width))
        run_many(connection, _many(statement, size), [tuple(values)])
        start += len(part)


def statement_size(left: int, width: int) -> int:
    """The largest statement that the rows that are left fill, or nearly; else the smallest."""
    for size in reversed(_SIZES):
        if size * width <= _PARAMETERS and left >= (1 - _PADDING) * size:
            return size
    return _SIZES[0]


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


def _prepared_insert(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
    """The insert for one kind of database, compiled once per process."""
    key = table.name, columns, dialect.name
    known = _inserts.get(key)
    if known is None:
        known = _inserts[key] = _insert_text(table, columns, dialect)
    return known


def _insert_text(table: Table, columns: tuple[str, ...], dialect: Dialect) -> Insert:
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
