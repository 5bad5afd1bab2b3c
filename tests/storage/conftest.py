"""A server of our own that may be killed, and databases on it."""

from collections.abc import Callable, Iterator
from itertools import count

import psycopg
import pytest

from recollect.storage.database import Database
from tests.postgres_server import PostgresServer

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A commit outlives the server, and nothing is written out of its own accord before it.

    The disk itself is not waited for: nobody pulls its plug here.
    """
    started = PostgresServer(safe=True, settings={"wal_writer_delay": "10s", "fsync": "off"})
    yield started
    started.stop()


@pytest.fixture(scope="session")
def migrated(server: PostgresServer) -> str:
    """The name of a database with today's schema."""
    name = "migrated"
    run(server, f"CREATE DATABASE {name}")
    Database(server.address(name)).close()
    return name


@pytest.fixture
def ready(server: PostgresServer, migrated: str) -> str:
    """The address of a new store with its schema."""
    name = f"ready_{next(_numbers)}"
    run(server, f"CREATE DATABASE {name} TEMPLATE {migrated}")
    return server.address(name)


@pytest.fixture
def empty(server: PostgresServer) -> str:
    """The address of a database where nothing is yet."""
    name = f"empty_{next(_numbers)}"
    run(server, f"CREATE DATABASE {name}")
    return server.address(name)


@pytest.fixture
def administrator(server: PostgresServer) -> Callable[[str], None]:
    """Runs a statement as the one who owns the server."""
    return lambda statement: run(server, statement)


def run(server: PostgresServer, statement: str) -> None:
    with psycopg.connect(server.address(), autocommit=True) as connection:
        connection.execute(statement)
