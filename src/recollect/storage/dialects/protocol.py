"""The little that a database must say for itself: opening, locking, full text, health.

Everything else is written once, in SQLAlchemy Core, for all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from recollect.vocabulary.errors import StoreError

Postings = tuple[NDArray[np.int64], NDArray[np.int64]]


class StoreDialect(Protocol):
    """One kind of database."""

    name: str

    def open_engine(self, address: str, *, busy_seconds: float) -> Engine:
        """An engine whose connections are ready to use: journal, foreign keys, time-outs."""
        ...

    def writer(self, engine: Engine) -> Engine:
        """The same engine, but its transactions may write from their first statement."""
        ...

    def create_keyword_tables(self, connection: Connection, collections: Iterable[str]) -> None:
        """The full-text tables, one a collection."""
        ...

    def protect_columns(self, connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
        """Make the database itself refuse to change these columns."""
        ...

    def put_keywords(
        self,
        connection: Connection,
        collection: str,
        number: int,
        documents: Sequence[tuple[int, str]],
    ) -> None:
        """Store the tokens of new slots of a space."""
        ...

    def drop_keywords(
        self, connection: Connection, collection: str, number: int, slots: Sequence[int]
    ) -> None:
        """Forget the tokens of slots."""
        ...

    def keyword_documents(
        self, connection: Connection, collection: str, number: int, after: int
    ) -> Iterable[tuple[int, str]]:
        """Slot and tokens of each document of a space past a slot, in order."""
        ...

    def postings(self, connection: Connection, collection: str, number: int, term: str) -> Postings:
        """The slots of a space that hold a term, ascending, and how often each holds it."""
        ...

    def keyword_problems(self, connection: Connection, collection: str) -> list[str]:
        """What is wrong inside the full-text table, in words; empty when sound."""
        ...

    def reset_keywords(self, connection: Connection, collection: str) -> None:
        """Make the full-text table new and empty, even when the old one is damaged."""
        ...

    def store_problems(self, connection: Connection) -> list[str]:
        """What is wrong with the database as a whole, in words."""
        ...

    def describe(self, connection: Connection) -> dict[str, str | int]:
        """Version and size, for people."""
        ...

    def translate(self, error: BaseException) -> StoreError:
        """The database's complaint as one of our errors."""
        ...
