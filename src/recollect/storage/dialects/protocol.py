"""The little that a database must say for itself: opening, locking, full text, health.

Everything else is written once, in SQLAlchemy Core, for all of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BindParameter, ColumnElement, Connection, Engine

from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import StoreError

if TYPE_CHECKING:
    from recollect.vocabulary.vectors import VectorModel

Postings = tuple[NDArray[np.int64], NDArray[np.int64]]

#: The ASCII punctuation found inside tokens, for FTS5's ``tokenchars``.
TOKEN_CHARACTERS: Final = "#-./@_"

#: A space's id and its number.
SpaceKey = tuple[str, int]

#: How often a text may hold a word and still be told from one that holds it more often.
MOST_COUNTED: Final = 255

#: Execution options of our engines: the dialect, and whether a transaction may write.
DIALECT: Final = "recollect_dialect"
WRITES: Final = "recollect_writes"


#: The values of one insert, by name or in their order; and the insert with them.
Parameters = Mapping[str, Any] | Sequence[Any]
Part = tuple[str, Parameters]


class Erased(NamedTuple):
    """What was done to take deleted words out of the files, and where they may still be."""

    done: tuple[str, ...]
    left: tuple[str, ...]


class StoreDialect(Protocol):
    """One kind of database."""

    name: str
    #: Whether writers of one process take turns; a server sorts them out by itself.
    one_writer: bool
    #: Whether the database can rank vectors by an index of its own.
    indexes_vectors: bool

    def open_engine(self, address: str, *, busy_seconds: float) -> Engine:
        """An engine whose connections are ready to use: journal, foreign keys, time-outs."""
        ...

    def read_only(self, address: str) -> bool:
        """Whether nothing can be written there, so that it is opened for reading alone."""
        ...

    def writer(self, engine: Engine) -> Engine:
        """The same engine, but its transactions may write from their first statement."""
        ...

    def begin(self, connection: Connection) -> None:
        """Begin a transaction on a new connection, or on one whose last was committed here."""
        ...

    def commit(self, connection: Connection) -> None:
        """Have the disk keep the transaction; the connection may begin another."""
        ...

    def enter(self, connection: Connection, space_id: str, viewer: Viewer, *, alone: bool) -> None:
        """Let the transaction see what the viewer may see of a space; a write may hold it alone."""
        ...

    def bypass_row_security(self, connection: Connection) -> None:
        """Let the transaction see everything: the keepers of the house work in every space."""
        ...

    def see_whole(self, connection: Connection, whole: bool) -> None:
        """Let the transaction read what all viewers of its space share, or no longer."""
        ...

    def hold(self, connection: Connection, space_ids: Iterable[str]) -> None:
        """Keep other writers out of these spaces until the transaction ends."""
        ...

    def alone(self, space: BindParameter[str]) -> ColumnElement[bool]:
        """A condition that keeps other writers out of a space, and is true once none is in it."""
        ...

    def run_parts(self, connection: Connection, inserts: Sequence[Part]) -> None:
        """Run inserts that belong together and ask for nothing."""
        ...

    def mark(self, connection: Connection) -> object:
        """What tells later whether this transaction was kept; nothing where that is never asked."""
        ...

    def was_kept(self, engine: Engine, mark: object) -> bool | None:
        """Whether a transaction was kept whose commit got no answer; None if nobody can tell."""
        ...

    def passes(self, error: BaseException) -> bool:
        """Whether the same work may succeed when it is tried again."""
        ...

    def shared_clock(self, engine: Engine, clock: Clock) -> Clock:
        """The clock by which everybody who shares the store measures leases."""
        ...

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have somebody called when another process wrote; what ends it."""
        ...

    def tell(self, engine: Engine) -> None:
        """Let those who listen know that something was written."""
        ...

    def rights_lost(self, connection: Connection) -> bool:
        """Whether the store is shut to those who should reach it, or open to those it binds."""
        ...

    def restore_rights(self, connection: Connection) -> None:
        """Give back the rights that a restore left out; an error that says who can."""
        ...

    def lock_schema(self, connection: Connection) -> None:
        """Let one migration run at a time, with the rights of the tables' owner."""
        ...

    def begin_schema(self, connection: Connection) -> None:
        """What must be there before the first table is made."""
        ...

    def table_options(self, connection: Connection) -> dict[str, Any]:
        """What every table of a space is made with."""
        ...

    def finish_schema(self, connection: Connection) -> None:
        """What stands on the tables once they are made."""
        ...

    def vector_value(self, data: bytes) -> Any:
        """Half-precision numbers as the driver takes them."""
        ...

    def has_vector_index(self, connection: Connection, model_id: str) -> bool:
        """Whether the database itself can rank the vectors of a model."""
        ...

    def nearest(
        self,
        connection: Connection,
        collection: tuple[str, str],
        model: "VectorModel",
        query: Any,
        limit: int,
    ) -> list[int]:
        """The slots of a space's collection whose vectors lie nearest, by that index."""
        ...

    def build_vector_index(self, engine: Engine, model_id: str, dims: int) -> bool:
        """Make that index while others write; whether there was something to do."""
        ...

    def create_keyword_tables(self, connection: Connection, collections: Iterable[str]) -> None:
        """The full-text tables, one a collection."""
        ...

    def protect_columns(self, connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
        """Make the database itself refuse to change these columns."""
        ...

    def allow_scope_changes(self, connection: Connection, allowed: bool) -> None:
        """Let this transaction, and it alone, change protected columns; or protect them again."""
        ...

    def put_keywords(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        documents: Sequence[tuple[int, str]],
    ) -> None:
        """Store the tokens of new slots of a space."""
        ...

    def drop_keywords(
        self, connection: Connection, collection: str, space: SpaceKey, slots: Sequence[int]
    ) -> None:
        """Forget the tokens of slots."""
        ...

    def keyword_documents(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        after: int,
        limit: int | None = None,
    ) -> Iterable[tuple[int, str]]:
        """Slot and tokens of each document of a space past a slot, in order; so many at most."""
        ...

    def postings(
        self, connection: Connection, collection: str, space: SpaceKey, term: str
    ) -> Postings:
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

    def absent_terms(
        self,
        connection: Connection,
        collections: Iterable[str],
        space: SpaceKey,
        terms: Iterable[str],
    ) -> set[str]:
        """Those of the terms that no document of the collections holds any more."""
        ...

    def scrub(
        self,
        engine: Engine,
        collections: Iterable[str],
        words: Sequence[str] | None,
        *,
        whole: bool,
    ) -> str:
        """Take what was deleted out of the files too; where a trace is left as yet, in words.

        ``words`` are looked for where no row is; None when nobody knows them any more. Without
        ``whole`` only so much is done as somebody may wait for.
        """
        ...

    def release(self, address: str) -> None:
        """The store at this address was closed once, after it was opened once."""
        ...

    def erase_traces(self, engine: Engine, collections: Iterable[str]) -> Erased:
        """Write the files anew without whatever was deleted, however long that takes."""
        ...

    def describe(self, connection: Connection) -> dict[str, str | int]:
        """Version and size, for people."""
        ...

    def translate(self, error: BaseException) -> StoreError:
        """The database's complaint as one of our errors."""
        ...
