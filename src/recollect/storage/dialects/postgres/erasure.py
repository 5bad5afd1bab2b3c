"""Erases deleted data from the server's files, as far as a login can.

A plain VACUUM frees the space of deleted rows and leaves their bytes there, and a GIN index keeps
words in unused pages. So tables are rewritten (VACUUM FULL), which also rebuilds their indexes, and
so are the planner's statistics, which contain samples of texts. We cannot rewrite the write-ahead
log: a checkpoint and a new segment let the server recycle the old ones. What remains beyond that is
reported, not promised.
"""

from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import Engine

from recollect.storage.dialects.postgres import roles
from recollect.storage.dialects.protocol import Erased

_TABLES: Final = (
    "SELECT n.nspname, c.relname, c.relkind = 'r'"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.oid = current_schema()::regnamespace AND c.relkind IN ('r', 'p')"
    " AND (c.relrowsecurity OR c.relispartition OR c.relname = 'store_facts')"
    " ORDER BY c.relkind DESC, c.oid"
)
#: Transactions that can still see rows deleted before this began: those are copied to the new files
#: too.
_OPEN_SNAPSHOTS: Final = """
    SELECT coalesce(nullif(application_name, ''), 'a program') || ' (process ' || pid || ')'
    FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database()
        AND backend_xmin IS NOT NULL AND age(backend_xmin) >= age(%s::text::xid)
    UNION ALL SELECT 'the replication slot ' || slot_name FROM pg_replication_slots
        WHERE xmin IS NOT NULL AND age(xmin) >= age(%s::text::xid)
    UNION ALL SELECT 'the prepared transaction ' || gid FROM pg_prepared_xacts
        WHERE database = current_database()
"""
_CLEARS_SAMPLES: Final = 180_000
_EMPTY: Final = """
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.oid = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.reltuples <= 0
"""
_CLEAR: Final = (
    "SELECT pg_clear_attribute_stats(s.schemaname, s.tablename, s.attname, s.inherited)"
    " FROM pg_stats s WHERE (s.schemaname, s.tablename) IN"
    f" (SELECT n.nspname, c.relname {_EMPTY})"
)
_DELETE: Final = f"DELETE FROM pg_catalog.pg_statistic WHERE starelid IN (SELECT c.oid {_EMPTY})"
_OWNS_DATABASE: Final = (
    "SELECT pg_has_role(session_user, datdba, 'USAGE') FROM pg_database"
    " WHERE datname = current_database()"
)
_ELSEWHERE: Final = (
    "segments of the write-ahead log that the server keeps or recycles, until it overwrites them"
    " (wal_recycle = off has it delete them); blocks of the old files that the file system has not"
    " used again",
    "what is outside the database: archived segments, replicas, backups, snapshots, and the"
    " server's own log if it notes statements",
)


def erase(engine: Engine) -> Erased:
    """Rewrite every table of the store, then switch the log; as the login that owns the tables."""
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.execute("SET ROLE NONE")
        driver.execute("SET statement_timeout = 0")
        try:
            roles.require_owner(connection)
            connection.commit()
            return _erased(driver)
        finally:
            driver.execute("RESET statement_timeout")
            roles.take(driver)


def _erased(driver: Any) -> Erased:
    (begun,) = driver.execute("SELECT pg_current_xact_id()::xid::text").fetchone()
    tables = driver.execute(_TABLES).fetchall()
    for schema, table, holds_rows in tables:
        how = "VACUUM (FULL, ANALYZE)" if holds_rows else "ANALYZE"
        driver.execute(SQL(how + " {}.{}").format(Identifier(schema), Identifier(table)))
    written = sum(holds_rows for *_, holds_rows in tables)
    done = [f"Wrote {written} tables and their indexes anew (VACUUM FULL)."]
    left = _samples_of_empty_tables(driver)
    for statement, did, instead in _STEPS:
        if _allowed(driver, statement):
            done.append(did)
        else:
            left.append(instead)
    looking = [who for (who,) in driver.execute(_OPEN_SNAPSHOTS, (begun, begun)).fetchall()]
    if looking:
        left.append(f"rows that {', '.join(looking)} may still see: end that and run this again")
    return Erased(tuple(done), (*left, *_ELSEWHERE))


def _samples_of_empty_tables(driver: Any) -> list[str]:
    """Clear the statistics of empty tables: ANALYZE leaves the old samples there."""
    newer = driver.info.server_version >= _CLEARS_SAMPLES
    if _allowed(driver, _CLEAR if newer else _DELETE):
        return []
    return ["samples of texts in the statistics of empty tables: have a superuser run this command"]


#: After the tables: the statement, what it did, and what remains if the login may not run it.
_STEPS: Final = (
    (
        "VACUUM (FULL) pg_catalog.pg_statistic",
        "Wrote the planner's statistics anew.",
        "samples of texts in the planner's statistics: have the database's owner run"
        " VACUUM FULL pg_statistic",
    ),
    (
        "CHECKPOINT",
        "Had the server write its pages to the disk (CHECKPOINT).",
        "old pages: have a superuser run CHECKPOINT",
    ),
    (
        "SELECT pg_switch_wal()",
        "Began a new segment of the write-ahead log.",
        "the write-ahead log's current segment: have a superuser run SELECT pg_switch_wal()",
    ),
    (
        "CHECKPOINT",
        "Let the server recycle the older segments.",
        "older segments of the write-ahead log: have a superuser run CHECKPOINT again",
    ),
)


def _allowed(driver: Any, statement: str) -> bool:
    """Run a statement; whether the login was allowed to. VACUUM only warns, so that is checked."""
    if statement.startswith("VACUUM") and driver.execute(_OWNS_DATABASE).fetchone() == (False,):
        return False
    try:
        driver.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True
