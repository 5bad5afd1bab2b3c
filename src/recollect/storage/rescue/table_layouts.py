"""Layout of the rows of each table, read from a new store of the same schema.

A damaged file may have lost its own table list. Every store of one schema number has the same
tables, created by the same migrations in the same order, so an empty one shows what belongs in
each.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from recollect.storage.columns import Document
from recollect.storage.rescue.records import Record
from recollect.storage.schema import metadata

_LIST: Final = "SELECT type, name, tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0"
_NO_DEFAULT: Final = object()


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, valid values, and its default."""

    name: str
    fits: Callable[[Any], bool]
    default: Any


@dataclass(frozen=True, slots=True)
class IndexShape:
    """One index: its columns, before the row id or the rest of the key."""

    name: str
    root: int
    columns: tuple[str, ...]
    unique: bool
    whole: bool  # whether it contains every row


@dataclass(frozen=True, slots=True)
class TableShape:
    """One table: its columns in record order, its key, and its indexes."""

    name: str
    root: int
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    has_rowid: bool
    indexes: tuple[IndexShape, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns, in record order."""
        return tuple(column.name for column in self.columns)

    def completed(self, record: Record | None) -> Record | None:
        """The record as a row of this table; None if it cannot be one."""
        if record is None or not 0 < len(record) <= len(self.columns):
            return None
        values = [*record, *(column.default for column in self.columns[len(record) :])]
        if any(value is _NO_DEFAULT for value in values):
            return None
        if not all(column.fits(value) for column, value in zip(self.columns, values, strict=True)):
            return None
        return tuple(values)

    def key_of(self, row: Record) -> Record:
        """The values of the primary key."""
        return self.values(row, self.key)

    def values(self, row: Record, wanted: Sequence[str]) -> Record:
        """The values of some columns."""
        names = self.names
        return tuple(row[names.index(name)] for name in wanted)

    def entry(self, index: IndexShape, record: Record | None) -> Record | None:
        """The record as an entry of an index; None if it cannot be one."""
        count = len(index.columns) + self.has_rowid
        if record is None or len(record) != count:
            return None
        fits = {column.name: column.fits for column in self.columns}
        fitting = all(fits[name](value) for name, value in zip(index.columns, record, strict=False))
        if self.has_rowid:
            fitting = fitting and isinstance(record[-1], int)
        return record if fitting else None


def read_shapes(path: Path) -> dict[str, TableShape]:
    """The tables of a new store that contain our rows; full text is rebuilt and left out."""
    with closing(sqlite3.connect(path)) as connection:
        roots = {name: root for _, name, _, root in connection.execute(_LIST)}
        return {name: _shape(connection, name, roots) for name in roots if name in metadata.tables}


def _shape(connection: sqlite3.Connection, name: str, roots: dict[str, int]) -> TableShape:
    index_row = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
    key = tuple(row[1] for row in sorted(index_row, key=lambda row: row[5]) if row[5])
    (options,) = connection.execute(
        "SELECT sql FROM sqlite_master WHERE name = ?", (name,)
    ).fetchone()
    has_rowid = "WITHOUT ROWID" not in options.upper()
    columns = [_column(name, *row[1:5]) for row in index_row]
    if not has_rowid:
        columns.sort(key=lambda one: key.index(one.name) if one.name in key else len(key))
    indexes = [
        _index(connection, index, roots, key if not has_rowid else ())
        for index in connection.execute(f'PRAGMA index_list("{name}")').fetchall()
        if index[1] in roots
    ]
    return TableShape(name, roots[name], tuple(columns), key, has_rowid, tuple(indexes))


def _index(
    connection: sqlite3.Connection,
    index_row: Sequence[Any],
    roots: dict[str, int],
    key: tuple[str, ...],
) -> IndexShape:
    _, name, unique, _, partial = index_row
    held = [row[2] for row in connection.execute(f'PRAGMA index_xinfo("{name}")') if row[2]]
    columns = tuple(dict.fromkeys([*held, *key]))
    return IndexShape(name, roots[name], columns, bool(unique), not partial)


def _column(table: str, name: str, kind: str, required: int, default: str | None) -> Column:
    known = metadata.tables[table].c.get(name)
    fits = _kind_of(kind.upper())
    if known is not None and isinstance(known.type, Document):
        fits = _is_document
    if required:
        return Column(name, fits, _NO_DEFAULT if default is None else _literal(default))
    return Column(
        name,
        lambda value: value is None or fits(value),
        None if default is None else _literal(default),
    )


def _literal(default: str) -> Any:
    with closing(sqlite3.connect(":memory:")) as connection:
        return connection.execute(f"SELECT {default}").fetchone()[0]


def _kind_of(kind: str) -> Callable[[Any], bool]:
    if "INT" in kind:
        return lambda value: isinstance(value, int)
    if kind.startswith("BOOL"):
        return lambda value: value in {0, 1} if isinstance(value, int) else False
    if kind in {"FLOAT", "REAL", "DOUBLE"}:
        return lambda value: isinstance(value, int | float)
    if kind == "BLOB":
        return lambda value: isinstance(value, bytes)
    return lambda value: isinstance(value, str) and "\x00" not in value


def _is_document(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        json.loads(value)
    except ValueError:
        return False
    except RecursionError:  # nested too deeply to parse, but complete
        return True
    return True
