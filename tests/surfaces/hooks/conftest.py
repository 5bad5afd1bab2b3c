"""A harness that leaves no daemon behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.hooks.harness import Harness


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(tmp_path)
    yield made
    made.stop()
