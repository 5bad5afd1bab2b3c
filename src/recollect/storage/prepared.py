"""Prepared statements: compiled once, then run at driver speed.

Building and compiling a statement costs more than most of ours take to run. A prepared statement is
written in SQLAlchemy Core with named parameters, and given as a function: the first run on a
database builds and compiles it, later runs only bind values, and a process that never runs it pays
nothing. An *expanding* parameter takes a list: one array where the database has arrays, otherwise
as many parameters as the list is long, rounded up so that few different texts are prepared.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Select
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase

from recollect.storage.bulk_inserts import queued_insert

Convert = Callable[[Any], Any] | None
Values = Mapping[str, Any]

_LONGEST_LIST: Final = 16_384
_DOUBLE: Final = 701  # PostgreSQL's type number of the only float type in our tables


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
        """Run an insert, combined with others inside ``bulk_inserts.batched_inserts``."""
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
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in order
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
                values[name] if convert is None else convert(values[name])
                for name, convert in self._incoming
            ]
        parameters: list[Any] = []
        for name, convert in self._incoming:
            if name in lists:
                parameters += lists[name]
            else:
                parameters.append(values[name] if convert is None else convert(values[name]))
        return parameters

    def _by_name(self, values: Values) -> dict[str, Any]:
        parameters = {
            name: values[name] if convert is None or name in self._lists else convert(values[name])
            for name, convert in self._incoming
        }
        for name in self._lists:
            parameters[name] = list(parameters[name])
        return parameters


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


def _row_maker(statement: Any, dialect: Dialect) -> Callable[[Sequence[Any]], Any]:
    """Function that converts a raw row to a named tuple of Python values."""
    columns = _columns(statement)
    if not columns:
        return tuple
    made = namedtuple("Row", [name for name, _ in columns], rename=True)  # type: ignore[misc]
    converts: list[tuple[int, Callable[[Any], Any]]] = [
        (place, convert)
        for place, (_, kind) in enumerate(columns)
        if (convert := kind.dialect_impl(dialect).result_processor(dialect, _DOUBLE))
    ]

    def row(found: Sequence[Any]) -> Any:
        values = list(found)
        for place, convert in converts:
            values[place] = convert(values[place])
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
