"""The parts of a store for moving and comparing: read in key order, written in stored form.

A part is a table, or the tokens of a collection in the full text. Its rows are the same tuples
whatever database they come from, and its keys sort the same everywhere, so two stores can be read
side by side.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, Protocol

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Table,
    Text,
    and_,
    bindparam,
    func,
    select,
    true,
    tuple_,
)

from recollect.storage.columns import HalfVectors
from recollect.storage.dialects.protocol import MAX_COUNTED
from recollect.storage.move.progress import NOTES
from recollect.storage.prepared import Prepared, dialect_of, insert_rows
from recollect.storage.schema import COLLECTIONS, metadata, places, spaces, store_facts, sync_spaces
from recollect.storage.store_facts import ERASING

Row = tuple[Any, ...]
Key = list[Any]

PAGE: Final = 2_000
_FIRST_PAGE: Final = 64
_MAX_PAGE_CHARACTERS: Final = 8_000_000  # characters and bytes; a page of long texts has fewer rows


class StorePart(Protocol):
    """One table, or the full text of one collection."""

    name: str

    def size(self, connection: Connection) -> int:
        """Approximate number of rows."""
        ...

    def page(self, connection: Connection, after: Key | None, limit: int) -> list[Row]:
        """Rows after a key."""
        ...

    def key(self, row: Row) -> Key:
        """The key of a row."""
        ...

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert new rows."""
        ...

    def canonical(self, row: Row) -> Row:
        """The row in a form that is the same for every database."""
        ...


def pages(part: StorePart, connection: Connection, after: Key | None = None) -> Iterator[list[Row]]:
    """All rows after a key, in pages of bounded size."""
    limit = _FIRST_PAGE
    while rows := part.page(connection, after, limit):
        yield rows
        after = part.key(rows[-1])
        weight = sum(len(value) for row in rows for value in row if isinstance(value, str | bytes))
        limit = max(1, min(PAGE, len(rows) * _MAX_PAGE_CHARACTERS // max(weight, 1)))


class TablePart:
    """The rows of a table."""

    def __init__(self, table: Table, among: ColumnElement[bool] | None = None) -> None:
        self.name = table.name
        self._table = table
        self._columns = tuple(table.c.keys())
        self._places = [self._columns.index(column.name) for column in table.primary_key]
        self._converts = _places_of(table, _ALIKE)
        self._vectors = [
            place for place, column in enumerate(table.c) if isinstance(column.type, HalfVectors)
        ]
        keys = list(table.primary_key)
        rows = (
            select(*table.c)
            .where(true() if among is None else among)
            .order_by(*keys)
            .limit(bindparam("limit", type_=Integer))
        )
        past = [bindparam(f"key_{place}", type_=key.type) for place, key in enumerate(keys)]
        self._first = Prepared(lambda: rows)
        self._next = Prepared(lambda: rows.where(tuple_(*keys) > tuple_(*past)))
        self._size = Prepared(lambda: select(func.count()).select_from(table))

    def size(self, connection: Connection) -> int:
        """The number of rows."""
        return int(self._size.value(connection))

    def page(self, connection: Connection, after: Key | None, limit: int) -> list[Row]:
        """In primary key order."""
        if after is None:
            rows = self._first.raw(connection, limit=limit)
        else:
            given = {f"key_{place}": value for place, value in enumerate(after)}
            rows = self._next.raw(connection, limit=limit, **given)
        return [self._changed(row, self._converts) for row in rows] if self._converts else rows

    def key(self, row: Row) -> Key:
        """The values of the primary key."""
        return [row[place] for place in self._places]

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Unchanged, except vectors, which each database stores differently."""
        if self._vectors:
            value = dialect_of(connection).vector_value
            converts = [(place, value) for place in self._vectors]
            rows = [self._changed(row, converts) for row in rows]
        insert_rows(connection, self._table, self._columns, rows)

    def canonical(self, row: Row) -> Row:
        """The row itself."""
        return row

    @staticmethod
    def _changed(row: Row, converts: "_Converts") -> Row:
        values = list(row)
        for place, convert in converts:
            if values[place] is not None:
                values[place] = convert(values[place])
        return tuple(values)


class WordsPart:
    """The tokens of a collection: space, its number, slot, tokens."""

    def __init__(self, collection: str) -> None:
        self.name = f"{collection}_keywords"
        self._collection = collection

    def size(self, connection: Connection) -> int:
        """The number of index places."""
        return int(_PLACED.value(connection, collection=self._collection))

    def page(self, connection: Connection, after: Key | None, limit: int) -> list[Row]:
        """In order of space and slot, across spaces."""
        documents_of = dialect_of(connection).keyword_documents
        here, slot = after or ("", -1)
        found: list[Row] = []
        for space_id, number in _SPACES_FROM.raw(connection, space=here):
            documents = documents_of(
                connection,
                self._collection,
                (space_id, number),
                slot if space_id == here else -1,
                limit - len(found),
            )
            found += [(space_id, number, *document) for document in documents]
            if len(found) >= limit:
                break
        return found

    def key(self, row: Row) -> Key:
        """Space and slot."""
        return [row[0], row[2]]

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Through the dialect, space by space."""
        put_keywords = dialect_of(connection).put_keywords
        for space, group in groupby(rows, key=lambda row: (row[0], row[1])):
            put_keywords(connection, self._collection, space, [(row[2], row[3]) for row in group])

    def canonical(self, row: Row) -> Row:
        """Which tokens and how often, in sorted order and with capped counts: databases differ in
        both.
        """
        counts = Counter(row[3].split())
        postings = sorted((token, min(count, MAX_COUNTED)) for token, count in counts.items())
        return (*row[:3], postings)


_Converts = Sequence[tuple[int, Callable[[Any], Any]]]

#: Databases differ in booleans (1 or True) and in the sign of zero.
_ALIKE: Final[dict[type, Callable[[Any], Any]]] = {
    Boolean: bool,
    Float: lambda number: number + 0.0,
}

_SPACES_FROM: Final = Prepared(
    lambda: (
        select(spaces.c.space_id, spaces.c.number)
        .where(spaces.c.space_id >= bindparam("space", type_=Text))
        .order_by(spaces.c.space_id)
    )
)
_PLACED: Final = Prepared(
    lambda: (
        select(func.count())
        .select_from(places)
        .where(places.c.collection == bindparam("collection", type_=Text))
    )
)


def _places_of(table: Table, converts: dict[type, Callable[[Any], Any]]) -> _Converts:
    return [
        (place, converts[type(column.type)])
        for place, column in enumerate(table.c)
        if type(column.type) in converts
    ]


def _all_parts() -> tuple[StorePart, ...]:
    others = and_(*(store_facts.c.name != name for name in (*NOTES, ERASING)))
    among = {store_facts.name: others}
    # Synced spaces come last: until then nothing that is written is noted for sync.
    ordered = sorted(metadata.sorted_tables, key=lambda table: table is sync_spaces)
    tables = [TablePart(table, among.get(table.name)) for table in ordered]
    return (*tables, *map(WordsPart, COLLECTIONS))


#: Every part, each after those that it refers to.
PARTS: Final = _all_parts()
