"""A new SQLite store gets the tables that migrations made once in this process.

To run every migration takes many times as long as to repeat what they left: hundreds of tests make
a file of their own. ``contracts/test_migrations.py`` runs the migrations themselves each time, and
checks that both ways leave the same schema.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import Connection

from recollect.storage import migrate
from recollect.storage.database import Database
from recollect.storage.dialects.protocol import StoreDialect

really_create = migrate._create
_HEAD = migrate.HEAD


def repeat_the_schema(patched: pytest.MonkeyPatch) -> None:
    """From now on a new file is made so."""
    patched.setattr(migrate, "_create", _create)


def _create(connection: Connection, dialect: StoreDialect) -> None:
    if dialect.name != "sqlite" or migrate.HEAD != _HEAD:
        really_create(connection, dialect)
        return
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    for statement, values in _recorded():
        driver.execute(statement, values)


@cache
def _recorded() -> tuple[tuple[str, tuple[object, ...]], ...]:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(migrate, "_create", really_create)
        path = Path(folder) / "migrated.db"
        Database(str(path)).close()
        with closing(sqlite3.connect(path)) as connection:
            return tuple(_statements(connection))


def _statements(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What makes the tables, indexes and triggers, and the rows that a new store has.

    The tables behind a table of words come with it, and hold its settings.
    """
    kinds = {row[1]: row[2] for row in connection.execute("PRAGMA main.table_list")}
    of_words = {name for name, kind in kinds.items() if kind == "shadow"}
    for name, table, statement in connection.execute(
        "SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    ):
        if table not in of_words and not name.startswith("sqlite_"):
            yield statement, ()
    for name, kind in kinds.items():
        plain = kind == "table" and not name.startswith("sqlite_")
        if plain or (kind == "shadow" and name.endswith("_config")):
            for row in connection.execute(f"SELECT * FROM {name}"):
                places = ", ".join("?" * len(row))
                yield f"INSERT OR REPLACE INTO {name} VALUES ({places})", tuple(row)
