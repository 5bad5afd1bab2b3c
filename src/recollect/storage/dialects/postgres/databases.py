"""Lists, creates and drops whole databases of a server, connected to its ``postgres`` database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import URL

from recollect.storage.dialects.postgres import addresses, errors
from recollect.vocabulary.errors import InvalidSetting


def name_of(address: str) -> str:
    """The database that an address names."""
    url, _ = addresses.read(address)
    if not url.database:
        raise InvalidSetting("The address names no database.")
    return url.database


def names(address: str) -> list[str]:
    """The databases of the server."""
    with _maintenance(address) as connection:
        rows = connection.execute("SELECT datname FROM pg_database WHERE NOT datistemplate")
        return [row[0] for row in rows]


def create(address: str) -> None:
    """Create the database that an address names."""
    with _maintenance(address) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(
                sql.Identifier(name_of(address))
            )
        )


def drop(address: str) -> None:
    """Drop the database that an address names; open connections are cut."""
    with _maintenance(address) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name_of(address)))
        )


@contextmanager
def _maintenance(address: str) -> Iterator[psycopg.Connection[Any]]:
    url, _ = addresses.read(address)
    there: URL = url.set(drivername="postgresql", database="postgres")
    try:
        with psycopg.connect(
            there.render_as_string(hide_password=False), autocommit=True
        ) as connection:
            yield connection
    except psycopg.Error as error:
        raise errors.translate(error, addresses.shown(address)) from error
