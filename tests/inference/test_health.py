"""The probe says what it saw work, or raises what went wrong."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.inference.cached import CachedEmbedder
from recollect.inference.health import probe
from recollect.inference.static_embedder import StaticEmbedder
from recollect.vocabulary.errors import EmbedderFailed
from tests.inference.conftest import MakeEmbedder
from tests.inference.server import Server, status


class Wrong(StaticEmbedder):
    """An embedder that breaks its promise."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        super().__init__()
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.vectors


def test_the_static_embedder_is_well() -> None:
    assert probe(StaticEmbedder()) == "static/wordllama-l2-256-words, 256 dimensions, local"


def test_a_server_is_well(server: Server, make_embedder: MakeEmbedder) -> None:
    assert probe(make_embedder()) == f"openai/plain-model, 8 dimensions, at {server.url}"


def test_a_server_is_not_well(server: Server, make_embedder: MakeEmbedder) -> None:
    server.script = [status(500, "out of memory")]
    with pytest.raises(EmbedderFailed, match="out of memory"):
        probe(make_embedder(attempts=1))


def test_a_cache_does_not_hide_that_a_server_is_down(
    server: Server, make_embedder: MakeEmbedder
) -> None:
    cached = CachedEmbedder(make_embedder(attempts=1))
    probe(cached)
    server.script = [status(500)]
    with pytest.raises(EmbedderFailed):
        probe(cached)


@pytest.mark.parametrize("shape", [(1, 256), (1, 8), (2, 256)])
def test_a_broken_promise_is_noticed(shape: tuple[int, int]) -> None:
    with pytest.raises(EmbedderFailed):
        probe(Wrong(np.zeros(shape, np.float32)))
