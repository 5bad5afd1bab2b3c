"""The panel in a real server, and people who visit it."""

from collections.abc import Callable, Iterator

import pytest

from recollect.engine import Recollect
from recollect.surfaces.panel.panel import Panel
from recollect.surfaces.rest.application import application
from tests.stores import StoreMaker
from tests.surfaces.panel.visitor import Visitor
from tests.surfaces.rest.running import Running

Guarded = tuple[Recollect, Running]


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Starts servers with the panel; whatever it started is stopped when the test ends."""
    started: list[Running] = []

    def serve(memory: Recollect, *, guarded: bool = False) -> Running:
        app = application(memory, tokens_required=guarded, local_only=not guarded, pages=Panel())
        started.append(Running(app))
        return started[-1]

    yield serve
    for running in started:
        running.app.state.stopping = True
        running.stop()


@pytest.fixture
def server(memory: Recollect, start: Callable[..., Running]) -> Running:
    """A panel on this machine, without tokens."""
    return start(memory)


@pytest.fixture
def visitor(server: Running) -> Visitor:
    """Ada at her own machine."""
    return Visitor(server.port)


@pytest.fixture
def guarded(stores: StoreMaker, start: Callable[..., Running]) -> Guarded:
    """A panel that wants a login, and the memory behind it."""
    memory = stores.open()
    return memory, start(memory, guarded=True)
