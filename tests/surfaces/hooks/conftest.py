"""A harness that leaves no daemon behind.

Its daemon is a copy of a process that has loaded the libraries. Those of the campaign, of an
installation, of a crowd that starts one, and one that cannot start, load them as an agent's do:
``Harness`` itself.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores import SharedStores
from tests.surfaces.hooks.harness import Harness, QuickHarness


@pytest.fixture
def harness(tmp_path: Path, shared_stores: SharedStores) -> Iterator[Harness]:
    """With a store that has its tables: a daemon is there sooner than where it makes them."""
    made = QuickHarness(tmp_path)
    shutil.copy(shared_stores.migrated_file, made.db)
    yield made
    made.stop()
