"""What every test shares: a home of its own, a clock that ticks, a store of each backend."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.stores import BACKENDS, Backend, StoreMaker

# A store takes as long as the disk does, and one store serves all examples of a test: each example
# makes a space of its own in it.
_SHARED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
settings.register_profile("fast", max_examples=30, deadline=None, suppress_health_check=_SHARED)
settings.register_profile(
    "thorough", max_examples=1_000, deadline=None, suppress_health_check=_SHARED
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, so that no test reads or writes what belongs to whoever runs it."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") and not name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)
    return folder


@pytest.fixture
def clock() -> TickingClock:
    """A clock that ticks at each look and can be moved."""
    return TickingClock()


@pytest.fixture(scope="session", params=sorted(BACKENDS))
def backend(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Backend]:
    """Each kind of store in its turn."""
    made = BACKENDS[request.param](tmp_path_factory.mktemp(request.param))
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
