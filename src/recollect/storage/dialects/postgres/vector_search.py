"""Vector search with pgvector's HNSW index: one per model, for spaces too large to scan.

The index is partial (one model) and on an expression (that model's dimensions), because the column
holds vectors of every model. It is built without blocking writes. A scan continues past rows that
the filter excludes.
"""

import hashlib
from typing import TYPE_CHECKING, Any, Final

from psycopg.sql import SQL, Identifier, Literal
from sqlalchemy import Connection, Engine

from recollect.storage.dialects.postgres import partitions, roles
from recollect.storage.prepared import cursor_of

if TYPE_CHECKING:
    from recollect.vocabulary.vectors import VectorModel

MAX_DIMENSIONS: Final = 4_000
_BREADTH: Final = (200, 1_000)

_VALID: Final = "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(%(name)s)"
_READY: Final = """
    SELECT bool_and(coalesce(i.indisvalid, false))
    FROM pg_class c
    LEFT JOIN pg_index i
        ON i.indrelid = c.oid AND i.indexrelid = to_regclass(c.relname || %(end)s)
    WHERE c.relkind = 'r' AND (
        c.oid = to_regclass('vectors')
        OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('vectors')))
"""
_CREATE: Final = SQL(
    "CREATE INDEX CONCURRENTLY {name} ON {table}"
    " USING hnsw ((data::halfvec({dims})) halfvec_cosine_ops) WHERE model_id = {model}"
)
_NEAREST: Final = SQL(
    "SELECT slot FROM vectors WHERE space_id = %s AND collection = %s AND model_id = {model}"
    " ORDER BY data::halfvec({dims}) <=> %s::halfvec({dims}) LIMIT %s"
)
_TUNED: Final = (
    "SELECT set_config('hnsw.ef_search', %s, true),"
    " set_config('hnsw.iterative_scan', 'relaxed_order', true),"
    " set_config('enable_sort', 'off', true)"
)


def index_name(model_id: str, table: str = "vectors") -> str:
    """The name of a model's index on a table."""
    digest = hashlib.blake2b(model_id.encode(), digest_size=6).hexdigest()
    return f"{table}_near_{digest}"


def is_ready(connection: Connection, model_id: str) -> bool:
    """Whether every table of vectors has a completely built index."""
    end = index_name(model_id, "")
    return bool(connection.exec_driver_sql(_READY, {"end": end}).scalar())


def slots(
    connection: Connection,
    collection: tuple[str, str],
    model: "VectorModel",
    query: Any,
    limit: int,
) -> list[int]:
    """The nearest slots, approximately in order."""
    least, most = _BREADTH
    statement = _NEAREST.format(model=Literal(model.id), dims=Literal(model.dims))
    cursor = cursor_of(connection)
    try:
        cursor.execute(_TUNED, (str(min(max(least, limit), most)),))
        cursor.execute(statement, (*collection, query, limit))
        found = [int(slot) for (slot,) in cursor.fetchall()]
        cursor.execute("SELECT set_config('enable_sort', 'on', true)")
    finally:
        cursor.close()
    return found


def build(engine: Engine, model_id: str, dims: int) -> bool:
    """Build missing indexes, one table of vectors after the other; whether anything was built."""
    if dims > MAX_DIMENSIONS:
        return False
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute("SET ROLE NONE")
        driver.execute("SET lock_timeout = 0")
        try:
            tables = partitions.of(driver, "vectors")
            return any([_ensure(driver, table, model_id, dims) for table in tables])
        finally:
            driver.execute("RESET lock_timeout")
            roles.take(driver)


def _ensure(driver: Any, table: str, model_id: str, dims: int) -> bool:
    """Build the index of one table, after dropping the remains of an unfinished attempt."""
    name = index_name(model_id, table)
    found = driver.execute(_VALID, {"name": name}).fetchone()
    if found is not None and found[0]:
        return False
    if found is not None:
        driver.execute(SQL("DROP INDEX CONCURRENTLY {}").format(Identifier(name)))
    driver.execute(
        _CREATE.format(
            name=Identifier(name),
            table=Identifier(table),
            dims=Literal(dims),
            model=Literal(model_id),
        )
    )
    return True
