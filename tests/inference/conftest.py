"""A server of one's own for each test, and embedders that are closed before it stops."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect.inference.openai_embedder import OpenAICompatibleEmbedder
from tests.inference.server import Server, running

MakeEmbedder = Callable[..., OpenAICompatibleEmbedder]
KEY = "sk-proj-Zq7Lk29vTn4Wx8Yb3Rc5"


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """How long was slept between attempts; no test really sleeps."""
    return []


@pytest.fixture
def make_embedder(server: Server, waits: list[float]) -> Iterator[MakeEmbedder]:
    made: list[OpenAICompatibleEmbedder] = []

    def make(**settings: Any) -> OpenAICompatibleEmbedder:
        given: dict[str, Any] = {
            "provider": "openai",
            "model": "plain-model",
            "base_url": server.url,
            "api_key": KEY,
            "timeout_seconds": 60.0,
            "sleep": waits.append,
        }
        made.append(OpenAICompatibleEmbedder(**(given | settings)))
        return made[-1]

    yield make
    for embedder in made:
        embedder.close()
