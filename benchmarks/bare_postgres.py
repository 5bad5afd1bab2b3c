"""What one would write by hand on PostgreSQL: the very rows of a memory, inserted by psycopg.

The rows are read from the store that the engine wrote, and put into a second database with the same
tables, keys and indexes, each memory in one transaction.
"""

from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier, Placeholder

from recollect.storage.database import Database

#: What a memory leaves behind, and the column that finds it.
TABLES = {
    "memories": "memory_id",
    "memory_history": "memory_id",
    "places": "item_id",
    "vectors": "slot",
    "memories_keywords": "slot",
    "jobs": "payload",
}
SHARED = ("spaces", "space_members", "audiences")

Rows = dict[str, tuple[Any, ...]]


class BarePostgres:
    """A second database that is given the same rows."""

    def __init__(self, ours: str, bare: str) -> None:
        self._from = psycopg.connect(ours, autocommit=True)
        self._to = psycopg.connect(bare, autocommit=True)
        self._inserts: dict[str, Any] = {}

    @classmethod
    def made(cls, ours: str, bare: str) -> "BarePostgres":
        """A new one, with the tables and with what all memories share."""
        Database(bare).close()
        new = cls(ours, bare)
        for table in SHARED:
            new._put(table, new._from.execute(f"SELECT * FROM {table}").fetchall())
        return new

    def memories(self) -> list[str]:
        """The ids of everything that the engine wrote."""
        return [row[0] for row in self._from.execute("SELECT memory_id FROM memories").fetchall()]

    def rows_of(self, memory_id: str) -> Rows:
        """What the engine wrote for one memory."""
        slot = self._one("SELECT slot FROM memories WHERE memory_id = %s", memory_id)[0]
        found: Rows = {}
        for table, column in TABLES.items():
            value = slot if column == "slot" else memory_id
            if column == "payload":
                found[table] = self._one(
                    "SELECT * FROM jobs WHERE payload LIKE %s", f"%{memory_id}%"
                )
            else:
                found[table] = self._one(f"SELECT * FROM {table} WHERE {column} = %s", value)
        return found

    def insert(self, rows: Rows) -> None:
        """The same rows again, by hand; on the disk when this returns."""
        with self._to.transaction():
            for table, row in rows.items():
                self._to.execute(self._insert(table, len(row)), row)

    def close(self) -> None:
        """Let both connections go."""
        self._from.close()
        self._to.close()

    def _one(self, statement: str, value: Any) -> tuple[Any, ...]:
        row = self._from.execute(statement, (value,)).fetchone()
        assert row is not None, statement
        return tuple(row)

    def _put(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        for row in rows:
            self._to.execute(self._insert(table, len(row)), row)

    def _insert(self, table: str, width: int) -> Any:
        if table not in self._inserts:
            self._inserts[table] = SQL("INSERT INTO {} VALUES ({})").format(
                Identifier(table), SQL(", ").join([Placeholder()] * width)
            )
        return self._inserts[table]
