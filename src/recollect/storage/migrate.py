"""Migrates a database to the current schema, or refuses with a clear error.

Alembic is imported only when there is something to do. Everything runs in one transaction: a
migration that fails leaves the old schema as it was.
"""

from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Connection, Engine, inspect

from recollect.storage.dialects.protocol import StoreDialect
from recollect.vocabulary.errors import StoreDamaged, StoreReadOnly, StoreTooNew

HEAD: Final = "0023"
KNOWN: Final = tuple(f"{number:04d}" for number in range(1, int(HEAD) + 1))
_SCRIPTS: Final = Path(__file__).parent / "migrations"


def ensure_schema(
    reader: Engine, writer: Engine, dialect: StoreDialect, *, read_only: bool = False
) -> None:
    """Check the version first; take the write lock only if something must change."""
    with reader.begin() as connection:
        rights_lost = dialect.rights_lost(connection)
        if not rights_lost and schema_version(connection, dialect) == HEAD:
            return
    if rights_lost:
        _restore_rights(writer, dialect)
        with reader.begin() as connection:
            if schema_version(connection, dialect) == HEAD:
                return
    if read_only:
        raise StoreReadOnly(
            "The database was made by an older version and is read-only, so it cannot be migrated. "
            "Nothing was changed.",
            hint="Copy it to a folder that can be written, and open the copy.",
        )
    with writer.begin() as connection:
        dialect.lock_schema(connection)
        version = schema_version(connection, dialect)
        if version is None:
            _create(connection, dialect)
        elif version != HEAD:
            _upgrade(connection, dialect)
    writer.dispose()  # older connections do not know the new schema


def _restore_rights(writer: Engine, dialect: StoreDialect) -> None:
    """Restore the access rights of a store that was restored from a dump without them."""
    with writer.begin() as connection:
        dialect.lock_schema(connection)
        dialect.restore_rights(connection)
    writer.dispose()  # older connections do not know the role


def schema_version(connection: Connection, dialect: StoreDialect) -> str | None:
    """The schema's number; None for a new database; an error for a database of another program."""
    if not dialect.has_tables(connection, "alembic_version", "store_facts"):
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return None
        if not {"alembic_version", "store_facts"} <= tables:  # made in the meantime, perhaps
            raise StoreDamaged(
                "The database belongs to another program: it has tables of its own"
                f" ({', '.join(sorted(tables)[:3])}) and none of ours. Nothing was changed.",
                hint="Name another one with --db.",
            )
    version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if version is None:
        raise StoreDamaged(
            "The database does not say which schema it has: its table alembic_version is empty. "
            "Nothing was changed.",
            hint="Restore it from a backup; or, if this version of recollect opened it last, write"
            f" {HEAD} into that table.",
        )
    if version not in KNOWN:
        raise StoreTooNew(
            f"The database has schema {version}; this program knows up to {HEAD}. "
            "Nothing was changed.",
            hint="Install a newer version of recollect.",
        )
    return str(version)


def create_schema(file: str, number: str) -> None:
    """Create the tables of one schema number in a new file, to copy rows of such a store."""
    from recollect.storage.dialects.sqlite import SqliteDialect

    dialect = SqliteDialect()
    engine = dialect.open_engine(file, busy_seconds=1.0)
    try:
        with dialect.writer(engine).begin() as connection:
            _upgrade(connection, dialect, number)
    finally:
        engine.dispose()


class _DeferredFinishDialect:
    """Dialect wrapper while a new store is created: runs the final step of migrations only once.

    On a server, each final step recreates row-level security on every table, which took most of the
    time; a new store has no rows to protect yet.
    """

    def __init__(self, dialect: StoreDialect) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dialect, name)

    def finish_schema(self, connection: Connection) -> None:
        """Do nothing: postponed to the end."""


def _create(connection: Connection, dialect: StoreDialect) -> None:
    if dialect.name == "sqlite":  # repair of damaged files expects the original table layout
        _upgrade(connection, dialect)
        return
    _upgrade(connection, cast("StoreDialect", _DeferredFinishDialect(dialect)))
    dialect.finish_schema(connection)


def _upgrade(connection: Connection, dialect: StoreDialect, number: str = "head") -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["dialect"] = dialect
    command.upgrade(config, number)
