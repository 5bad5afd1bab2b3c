"""What every test shares: a home of its own, a clock that ticks, a store of each backend."""

import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.compiled_statements import share_compiled_statements
from tests.recorded_schema import copy_the_schema
from tests.stores import BACKENDS, Backend, SharedStores, StoreMaker
from tests.temporary import temporary_root

# Compiled modules are kept, whatever the shell asks for: tests start hundreds of processes, and
# each would compile every library anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A shell that runs something in the background has it ignore Ctrl-C, and so would every process of
# a test, also of those tests that press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary_root()))

# A store takes as long as the disk does, and one store serves all examples of a test: each example
# makes a space of its own in it.
_SHARED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
# A run finds the same twice: what chance finds belongs to a thorough run.
settings.register_profile(
    "fast", max_examples=12, deadline=None, derandomize=True, suppress_health_check=_SHARED
)
settings.register_profile(
    "thorough", max_examples=1_000, deadline=None, suppress_health_check=_SHARED
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


#: Files with tests that take long, the longest test first: one process of a run begins with them,
#: the others take the rest off its hands, and what is left at the end of the run is short.
_LONG: Final = (
    "trust/test_leaks.py",
    "trust/test_row_security.py",
    "journeys/test_crash.py",
    "surfaces/panel/test_browser.py",
    "surfaces/rest/test_description.py",
    "tests/test_patterns.py",
    "evolution/test_consolidation.py",
    "storage/test_move.py",
    "contracts/test_search.py",
    "journeys/test_first_day.py",
    "surfaces/hooks/test_late_events.py",
    "surfaces/mcp/test_server.py",
    "surfaces/hooks/test_processes.py",
    "storage/test_rescue.py",
    "pages/test_importer.py",
    "surfaces/hooks/test_campaign.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, in the order of the list; otherwise the order stays."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    file = item.nodeid.split("::")[0]
    return next((turn for turn, long in enumerate(_LONG) if file.endswith(long)), len(_LONG))


@contextmanager
def _compiled_by_one() -> Iterator[None]:
    """In a fresh clone the first process compiles every module, and the others find it done instead
    of doing the same beside it."""
    folder = Path(__file__).parent
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if any(folder.glob("workspace/__pycache__/*-pytest-*.pyc")):
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield
    finally:
        os.close(lock)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made while tests are collected lasts to the end, and is not looked through for what
    could go; what tests make later is, though less often than usual."""
    gc.disable()
    try:
        with _compiled_by_one():
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        gc.enable()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The names of homes that nobody has made yet."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(scope="session", autouse=True)
def first_home(homes: Iterator[Path]) -> Iterator[None]:
    """What lasts longer than a test finds an empty home too."""
    with pytest.MonkeyPatch.context() as patched:
        move_into(next(homes), patched)
        yield


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home, so that no test reads or writes what belongs to whoever runs it."""
    folder = next(homes)
    move_into(folder, monkeypatch)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def move_into(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a new folder the home, with none of the settings of whoever runs the tests."""
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder / "runtime"))
    for name in list(os.environ):
        if name.startswith("RECOLLECT_") and not name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Iterator[None]:
    """What every engine would load and compile anew is made once for all tests of a process."""
    with pytest.MonkeyPatch.context() as patched:
        share_compiled_statements()
        copy_the_schema(patched)
        yield


@pytest.fixture
def campaign_turn() -> Iterator[None]:
    """Campaigns of many processes run one after the other, whichever process runs the test."""
    with (Path(tempfile.gettempdir()) / "recollect-tests-campaign.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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


@pytest.fixture(scope="module", params=sorted(BACKENDS))
def lasting_stores(
    request: pytest.FixtureRequest, shared_stores: SharedStores
) -> Iterator[StoreMaker]:
    """Makes stores of each backend that last for a file: for tests that change nothing in them."""
    backend = BACKENDS[request.param](shared_stores)
    maker = StoreMaker(backend, TickingClock())
    yield maker
    maker.close()
    backend.close()


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    """An open engine on a new store: ada owns the space, nobody works on the queue."""
    return stores.open()
