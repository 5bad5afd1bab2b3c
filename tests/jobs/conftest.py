"""A store in a file of its own, and a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.storage.database import Database
from tests.jobs.helpers import FakeClock, open_store, space_of


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def database(path: str) -> Iterator[Database]:
    opened = open_store(path)
    yield opened
    opened.close()


@pytest.fixture
def space_id(database: Database) -> str:
    return space_of(database)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
