"""A store of each backend behind a real server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.surfaces.rest.application import application
from tests.stores import StoreMaker
from tests.surfaces.rest.running import Running

Serve = Callable[..., Running]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers; whatever it started is stopped when the test ends."""
    started: list[Running] = []

    def start(memory: Recollect, **options: Any) -> Running:
        started.append(Running(application(memory, **options)))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture
def ask(memory: Recollect, serve: Serve) -> Running:
    """A server without tokens, for ada alone."""
    return serve(memory)


@pytest.fixture
def guarded(stores: StoreMaker, serve: Serve) -> tuple[Recollect, Running]:
    """A server that wants tokens, and the memory behind it."""
    memory = stores.open()
    return memory, serve(memory, tokens_required=True, local_only=False)
