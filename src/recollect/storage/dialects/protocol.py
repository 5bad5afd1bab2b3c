"""Protocol of a database dialect: opening, locking, full text, vectors, health.

Everything else is written once, in SQLAlchemy Core, for all databases.
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

#: The slots that contain each of several terms, term after term, ascending within each; how often;
#: and how many slots each term has.
Postings = tuple[NDArray[np.int64], NDArray[np.int64], list[int]]

#: The ASCII punctuation found inside tokens, for FTS5's ``tokenchars``.
TOKEN_CHARACTERS: Final = "#-./@_"

#: A space's id and number.
SpaceKey = tuple[str, int]

#: Largest term frequency of a text that is stored exactly; more counts as this.
MAX_COUNTED: Final = 255

#: Execution options of our engines: the dialect, and whether a transaction may write.
DIALECT: Final = "recollect_dialect"
WRITES: Final = "recollect_writes"


#: Values of one insert, by name or by position; and the insert with them.
Parameters = Mapping[str, Any] | Sequence[Any]
Part = tuple[str, Parameters]


class Erased(NamedTuple):
    """Report of an erasure from the files: what was done, and where traces may remain."""

    done: tuple[str, ...]
    left: tuple[str, ...]


class StoreDialect(Protocol):
    """One kind of database."""

    name: str
    #: Whether writers of one process must take turns; a server handles concurrent writers itself.
    one_writer: bool
    #: Whether the database can rank vectors with an index of its own.
    indexes_vectors: bool

    def open_engine(self, address: str, *, busy_seconds: float, reading: bool = False) -> Engine:
        """An engine with configured connections: journal, foreign keys, timeouts."""
        ...

    def read_only(self, address: str) -> bool:
        """Whether the store cannot be written and must be opened read-only."""
        ...

    def writer(self, engine: Engine) -> Engine:
        """The same engine, but its transactions may write from their first statement."""
        ...

    def begin(self, connection: Connection) -> None:
        """Begin a transaction on a new connection, or on one whose last was committed here."""
        ...

    def commit(self, connection: Connection) -> None:
        """Commit durably; the connection may begin another transaction."""
        ...

    def enter(
        self, connection: Connection, space_id: str, viewer: Viewer, *, exclusive: bool
    ) -> None:
        """Limit the transaction to what the viewer may see of a space; a write may lock it."""
        ...

    def bypass_row_security(self, connection: Connection) -> None:
        """Give the transaction system access: maintenance code works in every space."""
        ...

    def read_shared_rows(self, connection: Connection, whole: bool) -> None:
        """Allow the transaction to read what all viewers of its space share, or end that."""
        ...

    def acquire_locks(self, connection: Connection, space_ids: Iterable[str]) -> None:
        """Lock out other writers of these spaces until the transaction ends."""
        ...

    def lock_condition(self, space: BindParameter[str]) -> ColumnElement[bool]:
        """SQL condition that locks out other writers of a space; true once the lock is held."""
        ...

    def run_parts(self, connection: Connection, inserts: Sequence[Part]) -> None:
        """Run related inserts that return nothing."""
        ...

    def mark(self, connection: Connection) -> object:
        """Token to check later whether this transaction was committed; None where never needed."""
        ...

    def was_committed(self, engine: Engine, mark: object) -> bool | None:
        """Whether a transaction whose commit got no answer was committed; None if unknown."""
        ...

    def is_transient(self, error: BaseException) -> bool:
        """Whether an error is transient, so that a retry may succeed."""
        ...

    def shared_clock(self, engine: Engine, clock: Clock) -> Clock:
        """The clock shared by all processes of the store, for leases."""
        ...

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call ``wake`` when another process wrote; returns a function that stops listening."""
        ...

    def notify(self, engine: Engine) -> None:
        """Notify listening processes that something was written."""
        ...

    def has_tables(self, connection: Connection, *names: str) -> bool:
        """Whether the database has all of these tables."""
        ...

    def rights_lost(self, connection: Connection) -> bool:
        """Whether roles lost their rights to the tables, or row-level security does not bind the
        owner.
        """
        ...

    def restore_rights(self, connection: Connection) -> None:
        """Grant the rights that a restore left out; an error says who can."""
        ...

    def lock_schema(self, connection: Connection) -> None:
        """Allow one migration at a time, with the rights of the tables' owner."""
        ...

    def begin_schema(self, connection: Connection) -> None:
        """Create the prerequisites of the first table."""
        ...

    def table_options(self, connection: Connection) -> dict[str, Any]:
        """Options with which every table of a space is created."""
        ...

    def finish_schema(self, connection: Connection) -> None:
        """Create triggers, policies and functions on the tables."""
        ...

    def vector_value(self, data: bytes) -> Any:
        """Half-precision vector in the form the driver takes."""
        ...

    def has_vector_index(self, connection: Connection, model_id: str) -> bool:
        """Whether the database has a vector index for a model."""
        ...

    def nearest(
        self,
        connection: Connection,
        collection: tuple[str, str],
        model: "VectorModel",
        query: Any,
        limit: int,
    ) -> list[int]:
        """The slots of a space's collection with the nearest vectors, by that index."""
        ...

    def build_vector_index(self, engine: Engine, model_id: str, dims: int) -> bool:
        """Build that index while others write; whether there was something to do."""
        ...

    def create_keyword_tables(self, connection: Connection, collections: Iterable[str]) -> None:
        """Create the full-text tables, one per collection."""
        ...

    def protect_columns(self, connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
        """Make the database refuse changes of these columns."""
        ...

    def allow_scope_changes(self, connection: Connection, allowed: bool) -> None:
        """Allow this transaction alone to change protected columns; or protect them again."""
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
        """Delete the tokens of slots."""
        ...

    def keyword_documents(
        self,
        connection: Connection,
        collection: str,
        space: SpaceKey,
        after: int,
        limit: int | None = None,
    ) -> Iterable[tuple[int, str]]:
        """Slot and tokens of up to ``limit`` documents of a space after a slot, in order."""
        ...

    def postings(
        self, connection: Connection, collection: str, space: SpaceKey, terms: Sequence[str]
    ) -> Postings:
        """The slots of a space that contain the terms, and the frequency of a term in each."""
        ...

    def keyword_problems(self, connection: Connection, collection: str) -> list[str]:
        """Problems of the full-text table, in words; empty if sound."""
        ...

    def reset_keywords(self, connection: Connection, collection: str) -> None:
        """Recreate the full-text table empty, even if the old one is damaged."""
        ...

    def store_problems(self, connection: Connection) -> list[str]:
        """Problems of the database as a whole, in words."""
        ...

    def absent_terms(
        self,
        connection: Connection,
        collections: Iterable[str],
        space: SpaceKey,
        terms: Iterable[str],
    ) -> set[str]:
        """Those of the terms that no document of the collections contains any more."""
        ...

    def scrub(
        self,
        engine: Engine,
        collections: Iterable[str],
        words: Sequence[str] | None,
        *,
        whole: bool,
    ) -> str:
        """Erase deleted data from the files too; returns in words where traces remain for now.

        ``words`` are searched for in unused space; None if they are not known any more. Without
        ``whole``, only as much is done as a caller can wait for.
        """
        ...

    def release(self, address: str) -> None:
        """Note that one user of the store at this address closed it."""
        ...

    def erase_traces(self, engine: Engine, collections: Iterable[str]) -> Erased:
        """Rewrite the files without any deleted data, however long that takes."""
        ...

    def describe(self, connection: Connection) -> dict[str, str | int]:
        """Version and size, to show to people."""
        ...

    def translate(self, error: BaseException) -> StoreError:
        """The database's error as one of our errors."""
        ...
