"""A harness that leaves no daemon behind."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores import SharedStores
from tests.surfaces.hooks.harness import Harness


@pytest.fixture
def harness(tmp_path: Path, shared_stores: SharedStores) -> Iterator[Harness]:
    """With a store that has its tables: a daemon is there sooner than where it makes them.

    Its daemons are forked; a test about how they start says so: ``forks_daemons = False``.
    """
    made = Harness(tmp_path)
    made.forks_daemons = True
    shutil.copy(shared_stores.migrated_file, made.db)
    yield made
    made.stop()
