"""A store of each backend, and a clock that stands still."""

from collections.abc import Iterator

import pytest

from recollect.storage.database import Database
from tests.jobs.helpers import FakeClock, close_store, open_store, space_of
from tests.stores import Backend


@pytest.fixture
def path(backend: Backend) -> str:
    return backend.ready()


@pytest.fixture
def database(path: str) -> Iterator[Database]:
    opened = open_store(path)
    yield opened
    close_store(opened)


@pytest.fixture
def space_id(database: Database) -> str:
    return space_of(database)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
