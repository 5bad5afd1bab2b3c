"""Bring a database to today's schema, or refuse politely.

Alembic is imported only when there is something to do. The whole of it happens in one transaction:
a migration that fails leaves the old schema as it was.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect

from recollect.storage.dialects.protocol import StoreDialect
from recollect.vocabulary.errors import StoreDamaged, StoreTooNew

HEAD: Final = "0009"
KNOWN: Final = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0009")
_SCRIPTS: Final = Path(__file__).parent / "migrations"


def ensure_schema(reader: Engine, writer: Engine, dialect: StoreDialect) -> None:
    """Look first; take the write lock only when something must change."""
    with reader.begin() as connection:
        if schema_version(connection) == HEAD:
            return
    with writer.begin() as connection:
        dialect.lock_schema(connection)
        if schema_version(connection) != HEAD:
            _upgrade(connection, dialect)
    writer.dispose()  # connections made before know nothing of what was built


def schema_version(connection: Connection) -> str | None:
    """The schema's number; None for a new database; an error for one that is not ours to touch."""
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return None
    if not {"alembic_version", "store_facts"} <= tables:
        raise StoreDamaged(
            "The file is a database of another program. Nothing was changed.",
            hint="Name another file with --db.",
        )
    version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if version not in KNOWN:
        raise StoreTooNew(
            f"The database has schema {version}; this program knows up to {HEAD}. "
            "Nothing was changed.",
            hint="Install a newer version of recollect.",
        )
    return str(version)


def _upgrade(connection: Connection, dialect: StoreDialect) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["dialect"] = dialect
    command.upgrade(config, "head")
