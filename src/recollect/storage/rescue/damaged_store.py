"""A damaged store: where its tables are in the file, and which of their rows can be read.

What a table should contain is known from its indexes, which are on other pages: a key that an index
has and no readable row has is a lost row.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from recollect.storage.rescue.page_file import PageFile
from recollect.storage.rescue.records import Record
from recollect.storage.rescue.table_layouts import TableShape
from recollect.storage.rescue.trees import (
    Tree,
    adopt,
    free_pages,
    rows_of,
    settle_claims,
    walk,
)

_LIST_COLUMNS: Final = 5
_OURS: Final = frozenset({"alembic_version", "store_facts", "spaces", "memories", "events"})


@dataclass(slots=True)
class DamagedTable:
    """One table of the file: its own b-tree, and those of its indexes."""

    shape: TableShape
    tree: Tree
    indexes: dict[str, Tree] = field(default_factory=dict)


class DamagedStore:
    """A damaged file whose pages are read one by one."""

    def __init__(self, path: Path) -> None:
        self._file = PageFile(path)
        self._roots: dict[str, int] = {}
        self._listed = Tree(1, True, _listed)
        self.tables: dict[str, DamagedTable] = {}
        self.unmatched_pages = 0
        walk(self._file, self._listed)
        for _, (_, name, _, root, _) in rows_of(self._file, self._listed):
            self._roots[name] = root

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def journal_pages(self) -> int:
        """Number of pages of which the journal has a newer version than the file."""
        return self._file.journal_pages

    @property
    def of_another_program(self) -> bool:
        """Whether the table list can be read and names none of our tables."""
        return bool(self._roots) and self._listed.whole and not _OURS & set(self._roots)

    def schema_number(self) -> str | None:
        """The number of the schema, from its table or that table's index."""
        for name in ("alembic_version", "sqlite_autoindex_alembic_version_1"):
            if root := self._roots.get(name):
                tree = Tree(root, not name.startswith("sqlite_"), _text_first)
                walk(self._file, tree)
                for _, row in rows_of(self._file, tree):
                    return str(row[0])
        return None

    def read_tables(self, shapes: dict[str, TableShape]) -> None:
        """Find the pages of every table and every index."""
        for shape in shapes.values():
            found = DamagedTable(
                shape, Tree(self._root_of(shape.name, shape.root), shape.has_rowid, shape.completed)
            )
            for index in shape.indexes:
                root = self._root_of(index.name, index.root)
                found.indexes[index.name] = Tree(root, False, partial(shape.entry, index))
            self.tables[shape.name] = found
        trees = [tree for one in self.tables.values() for tree in (one.tree, *one.indexes.values())]
        for tree in trees:
            walk(self._file, tree)
        settle_claims(self._file, [self._listed, *trees])
        taken = free_pages(self._file) | set(self._listed.pages) | self._pages_of_others()
        self.unmatched_pages = adopt(self._file, trees, taken)

    def _root_of(self, name: str, usual: int) -> int:
        """Root page of a b-tree: from the table list, or as in a new store."""
        if name in self._roots:
            return self._roots[name]
        return 0 if self._listed.whole or usual in self._roots.values() else usual

    def _pages_of_others(self) -> set[int]:
        """Pages of b-trees without rows of ours: full text, which is rebuilt."""
        ours = {one.tree.root for one in self.tables.values()}
        ours |= {tree.root for one in self.tables.values() for tree in one.indexes.values()}
        found: set[int] = set()
        for root in set(self._roots.values()) - ours - {0}:
            for has_rowid in (True, False):
                tree = Tree(root, has_rowid, lambda record: record)
                walk(self._file, tree)
                found.update(tree.pages)
        return found

    def rows(self, name: str) -> Iterator[Record]:
        """Every readable row of a table."""
        seen: set[Record] = set()
        table = self.tables[name]
        for _, row in rows_of(self._file, table.tree):
            key = table.shape.key_of(row)
            if key not in seen:
                seen.add(key)
                yield row

    def expected(self, name: str) -> tuple[set[Record], bool]:
        """The keys in the indexes of a table, and whether one of the indexes is complete."""
        table = self.tables[name]
        best: set[Record] = set()
        for index in table.shape.indexes:
            tree = table.indexes[index.name]
            if not index.whole or not set(table.shape.key) <= set(index.columns):
                continue
            places = [index.columns.index(column) for column in table.shape.key]
            best |= {tuple(row[place] for place in places) for _, row in self._entries(tree)}
            if tree.whole:
                return best, True
        return best, False

    def pieces(self, name: str) -> list[dict[str, Any]]:
        """The columns of each row of a table that its indexes together contain."""
        table = self.tables[name]
        found: dict[int, dict[str, Any]] = {}
        for index in table.shape.indexes if table.shape.has_rowid else ():
            for _, row in self._entries(table.indexes[index.name]):
                values = dict(zip(index.columns, row[:-1], strict=True))
                found.setdefault(row[-1], {}).update(values)
        return list(found.values())

    def _entries(self, tree: Tree) -> Iterator[tuple[int | None, Record]]:
        return rows_of(self._file, tree)


def _listed(record: Record | None) -> Record | None:
    """A row of SQLite's table list."""
    if record is None or len(record) != _LIST_COLUMNS:
        return None
    kind, name, table, root, _ = record
    named = isinstance(kind, str) and isinstance(name, str) and isinstance(table, str)
    return record if named and (root is None or isinstance(root, int)) else None


def _text_first(record: Record | None) -> Record | None:
    return record if record and isinstance(record[0], str) else None
