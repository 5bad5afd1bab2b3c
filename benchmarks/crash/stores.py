"""The stores that the campaigns are run on: where they are, and how their rows are read raw.

The inspection reads through a connection of its own that knows nothing of the engine, so it can
find what the engine would not.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import psycopg

from benchmarks.crash.expected_state import Thing
from tests.postgres_server import PostgresServer

#: The table of each kind of thing, and the column of its ids.
TABLES = {"memory": ("memories", "memory_id"), "event": ("events", "event_id")}


class Indexed(NamedTuple):
    """What the index keeps of a thing."""

    tokens: Sequence[str]
    vector: bytes | None


class Store(Protocol):
    """One kind of store."""

    #: What the questions of ``wholeness`` must say in this database's own words.
    words: Mapping[str, str]

    def address(self, name: str) -> str:
        """Where the store of that name is; it is made at the first asking."""
        ...

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        """What the database answers."""
        ...

    def indexed(self, address: str, thing: Thing) -> Indexed:
        """What the index keeps of a thing."""
        ...

    def as_kept(self, tokens: Sequence[str]) -> Sequence[str]:
        """Tokens in the order in which the index gives them back."""
        ...


class SqliteStore:
    """Files in a folder."""

    words: Mapping[str, str] = {
        "words_of_place": "k.rowid = (s.number << 40) | p.slot",
        "promised": "json_extract(payload, '$.memory')",
    }

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def address(self, name: str) -> str:
        """A file."""
        return str(self._folder / f"{name}.db")

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        """Through Python's own driver."""
        with closing(sqlite3.connect(address)) as connection:
            return connection.execute(query).fetchall()

    def indexed(self, address: str, thing: Thing) -> Indexed:
        """From FTS5 and from the bytes of the vector."""
        table, key = TABLES[thing.kind]
        found = self.rows(
            address,
            f"SELECT k.tokens, v.data FROM {table} AS t JOIN spaces AS s USING (space_id) "
            f"LEFT JOIN {table}_keywords AS k ON k.rowid = (s.number << 40) | t.slot "
            "LEFT JOIN vectors AS v ON v.space_id = t.space_id AND v.slot = t.slot "
            f"WHERE t.{key} = '{thing.id}'",
        )
        tokens, vector = found[0] if found else ("", None)
        return Indexed((tokens or "").split(), vector)

    def as_kept(self, tokens: Sequence[str]) -> Sequence[str]:
        """The text is kept as it is."""
        return tokens


class PostgresStore:
    """Databases of a server whose commits reach the disk."""

    words: Mapping[str, str] = {
        "words_of_place": "k.space_id = p.space_id AND k.slot = p.slot",
        "promised": "payload::json ->> 'memory'",
    }

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._made: set[str] = set()

    def address(self, name: str) -> str:
        """A database."""
        if name not in self._made:
            self.rows(self.server.address(), f"CREATE DATABASE {name}")
            self._made.add(name)
        return self.server.address(name)

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        """As the server's owner, who stands before every wall."""
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(query)
            return cursor.fetchall() if cursor.description else []

    def indexed(self, address: str, thing: Thing) -> Indexed:
        """From the tsvector, whose lexemes begin with their space, and from pgvector's text."""
        table, key = TABLES[thing.kind]
        lexemes = self.rows(
            address,
            f"SELECT lexeme, cardinality(positions) FROM {table} AS t "
            f"JOIN {table}_keywords AS k USING (space_id, slot), unnest(k.tokens) "
            f"WHERE t.{key} = '{thing.id}'",
        )
        vectors = self.rows(
            address,
            f"SELECT v.data::text FROM {table} AS t JOIN vectors AS v USING (space_id, slot) "
            f"WHERE t.{key} = '{thing.id}'",
        )
        tokens = [lexeme.partition("|")[2] for lexeme, count in lexemes for _ in range(count)]
        return Indexed(sorted(tokens), _halves(vectors[0][0]) if vectors else None)

    def as_kept(self, tokens: Sequence[str]) -> Sequence[str]:
        """A tsvector does not keep the order of words."""
        return sorted(tokens)


@contextmanager
def store_of(kind: str, folder: Path) -> Iterator[Store]:
    """A store of the kind; a server is stopped at the end."""
    if kind == "sqlite":
        yield SqliteStore(folder)
        return
    server = PostgresServer(safe=True)
    try:
        yield PostgresStore(server)
    finally:
        server.stop()


def _halves(text: str) -> bytes:
    return np.fromstring(text.strip("[]"), "<f2", sep=",").tobytes()
