"""Hash partitions by space, so that a store can grow over many disks or machines.

``postgresql://.../memory?partitions=16`` asks for them when the store is created, and is not needed
again. ``spaces`` is not partitioned: it is the small table that everything refers to.
"""

from typing import Any, Final

from sqlalchemy import URL, Connection

from recollect.vocabulary.errors import InvalidSetting

NAME: Final = "partitions"
MAX_PARTITIONS: Final = 1_024
_BY: Final = "HASH (space_id)"

_PARENTS: Final = (
    "SELECT c.relname FROM pg_class c WHERE c.relkind = 'p'"
    " AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid)"
    " AND c.relnamespace = current_schema()::regnamespace ORDER BY c.oid"
)


def requested_count(url: URL) -> int:
    """How many partitions an address asks for; usually none."""
    text = str(url.query.get(NAME, "0"))
    if not text.isdigit() or int(text) > MAX_PARTITIONS:
        raise InvalidSetting(f"{NAME} is a whole number up to {MAX_PARTITIONS:,}, not {text!r}.")
    return int(text)


def partition_count(connection: Connection) -> int:
    """How many partitions the store was created with."""
    return int(
        connection.exec_driver_sql(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('memories')"
        ).scalar_one()
    )


def options(count: int) -> dict[str, Any]:
    """Table options for this number of partitions."""
    return {"postgresql_partition_by": _BY} if count else {}


def clause(count: int) -> str:
    """PARTITION BY clause for a hand-written statement."""
    return f" PARTITION BY {_BY}" if count else ""


def create(connection: Connection, count: int) -> None:
    """Create the missing partitions of every partitioned table."""
    if not count:
        return
    for table in connection.exec_driver_sql(_PARENTS).scalars().all():
        for number in range(count):
            connection.exec_driver_sql(
                f"CREATE TABLE {table}_{number:04} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS {count}, REMAINDER {number})"
            )


def of(driver: Any, table: str) -> list[str]:
    """The tables that store a table's rows: its partitions, or itself."""
    rows = driver.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass"
        " ORDER BY 1",
        (table,),
    ).fetchall()
    return [name for (name,) in rows] or [table]
