"""What every test shares: a home of its own, a clock that ticks, a store of each backend."""

import os
import shutil
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.stores import BACKENDS, Backend, SharedStores, StoreMaker
from tests.temporary import temporary_root

# Compiled modules are kept, whatever the shell asks for: tests start hundreds of processes, and
# each would compile every library anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary_root()))

# A store takes as long as the disk does, and one store serves all examples of a test: each example
# makes a space of its own in it.
_SHARED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
settings.register_profile("fast", max_examples=30, deadline=None, suppress_health_check=_SHARED)
settings.register_profile(
    "thorough", max_examples=1_000, deadline=None, suppress_health_check=_SHARED
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The names of homes that nobody has made yet."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home, so that no test reads or writes what belongs to whoever runs it."""
    folder = next(homes)
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") and not name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock() -> TickingClock:
    """A clock that ticks at each look and can be moved."""
    return TickingClock()


@pytest.fixture(scope="session")
def shared_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedStores]:
    """What all stores of a run have in common."""
    made = SharedStores(tmp_path_factory.mktemp("stores"))
    yield made
    made.close()


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, shared_stores: SharedStores) -> Iterator[Backend]:
    """Each kind of store in its turn; what a test made is gone when it ends."""
    made = BACKENDS[request.param](shared_stores)
    yield made
    made.close()


@pytest.fixture
def stores(backend: Backend, clock: TickingClock) -> Iterator[StoreMaker]:
    """Makes and opens stores of one backend."""
    maker = StoreMaker(backend, clock)
    yield maker
    maker.close()


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    """An open engine on a new store: ada owns the space, nobody works on the queue."""
    return stores.open()
