"""A named provider is used or refused; "auto" takes the best at hand; the network is not touched
unless something was configured. Ollama is a real server on loopback."""

import socket
from typing import Any

import pytest

from recollect.inference import embedder_choice as choosing
from recollect.inference.embedder import EmbedderChoice
from recollect.inference.embedder_choice import choose_embedder, total_memory
from recollect.inference.openai_embedder import OpenAICompatibleEmbedder
from recollect.inference.static_embedder import StaticEmbedder
from recollect.vocabulary.errors import EmbedderUnavailable, InvalidSetting
from tests.inference.server import Server

GIGABYTE = 1 << 30
ALL_SIZES = ["llama3.2:3b", "qwen3-embedding:0.6b", "qwen3-embedding:4b", "qwen3-embedding:8b"]


def chosen(memory: int | None = 16 * GIGABYTE, **settings: Any) -> str:
    """The id of the model that is chosen on a machine with this much memory."""
    embedder = choose_embedder(EmbedderChoice(**settings), memory_of=lambda: memory)
    assert embedder is not None
    if isinstance(embedder, OpenAICompatibleEmbedder):
        embedder.close()
    return embedder.model_id


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy test machine may take longer than a person should wait."""
    monkeypatch.setattr(choosing, "OLLAMA_SECONDS", 10.0)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
def test_nothing_configured_means_static_and_no_network() -> None:
    assert isinstance(choose_embedder(EmbedderChoice()), StaticEmbedder)


@pytest.mark.usefixtures("no_network")
def test_none_means_none() -> None:
    assert choose_embedder(EmbedderChoice(provider="none", api_key="sk-key")) is None


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("settings", "model_id"),
    [
        ({"provider": "static"}, "static/wordllama-l2-256-words"),
        ({"provider": "static", "api_key": "sk-key"}, "static/wordllama-l2-256-words"),
        (
            {"provider": "openai", "api_key": "sk-key"},
            "openai/text-embedding-3-small@1024",
        ),
        (
            {"provider": "openai", "api_key": "sk-key", "dims": 512},
            "openai/text-embedding-3-small@512",
        ),
        (
            {"provider": "openai", "base_url": "http://127.0.0.1:1234/v1", "model": "bge-m3"},
            "openai/bge-m3",
        ),
        (
            {"provider": "openai", "base_url": "http://h/v1", "model": "Qwen/Qwen3-Embedding-4B"},
            "openai/Qwen/Qwen3-Embedding-4B@1024",
        ),
        (
            {"provider": "ollama", "model": "qwen3-embedding:4b"},
            "ollama/qwen3-embedding:4b@1024",
        ),
        ({"provider": "ollama", "model": "all-minilm", "dims": 128}, "ollama/all-minilm@128"),
        ({"provider": "auto", "api_key": "sk-key"}, "openai/text-embedding-3-small@1024"),
        ({"base_url": "http://127.0.0.1:1234/v1", "model": "bge-m3"}, "openai/bge-m3"),
        ({"model": "wordllama-l2-256-words"}, "static/wordllama-l2-256-words"),
    ],
)
def test_what_is_named_is_taken_without_asking_anybody(
    settings: dict[str, Any], model_id: str
) -> None:
    assert chosen(**settings) == model_id


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"provider": "openai"}, EmbedderUnavailable),
        ({"provider": "fastembed"}, EmbedderUnavailable),
        ({"provider": "static", "model": "another"}, InvalidSetting),
        ({"provider": "static", "dims": 1024}, InvalidSetting),
        ({"provider": "auto", "model": "unheard-of"}, EmbedderUnavailable),
        ({"provider": "openai", "base_url": "nowhere"}, InvalidSetting),
    ],
)
def test_what_cannot_be_had_is_refused_and_not_replaced(
    settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        chosen(**settings)


@pytest.mark.parametrize(
    ("memory", "listed", "model"),
    [
        (64 * GIGABYTE, ALL_SIZES, "qwen3-embedding:8b@1024"),
        (64 * GIGABYTE, ["qwen3-embedding:latest"], "qwen3-embedding:latest@1024"),
        (64 * GIGABYTE, ["qwen3-embedding:0.6b"], "qwen3-embedding:0.6b@1024"),
        (32 * GIGABYTE, ALL_SIZES, "qwen3-embedding:4b@1024"),
        (None, ALL_SIZES, "qwen3-embedding:4b@1024"),
        (8 * GIGABYTE, ["qwen3-embedding:4b-q8_0"], "qwen3-embedding:4b-q8_0@1024"),
        (8 * GIGABYTE, ALL_SIZES[:2], "qwen3-embedding:0.6b@1024"),
    ],
)
@pytest.mark.parametrize("provider", ["auto", "ollama"])
def test_the_best_listed_model_that_fits_is_taken(
    server: Server, provider: str, memory: int | None, listed: list[str], model: str
) -> None:
    server.ollama_models = listed
    found = chosen(memory, provider=provider, ollama_url=server.root, api_key="sk-openai")
    assert found == f"ollama/{model}"
    assert server.paths == ["/api/tags"]


@pytest.mark.parametrize("listed", [None, [], ["llama3.2:3b"], ["qwen3-embedding:8b"]])
def test_an_ollama_without_a_fitting_model_is_passed_over_by_auto_alone(
    server: Server, listed: list[str] | None
) -> None:
    server.ollama_models = listed
    assert chosen(ollama_url=server.root) == "static/wordllama-l2-256-words"
    assert chosen(ollama_url=server.root, api_key="sk-key").startswith("openai/")
    with pytest.raises(EmbedderUnavailable, match="ollama pull"):
        chosen(provider="ollama", ollama_url=server.root)


def test_an_ollama_that_is_not_there_is_passed_over_by_auto_alone() -> None:
    assert chosen(ollama_url="http://127.0.0.1:1") == "static/wordllama-l2-256-words"
    with pytest.raises(EmbedderUnavailable):
        chosen(provider="ollama", base_url="http://127.0.0.1:1/v1")


def test_a_model_named_for_auto_is_looked_for(server: Server) -> None:
    server.ollama_models = ["bge-m3:latest", "qwen3-embedding:4b"]
    assert chosen(ollama_url=server.root, model="bge-m3") == "ollama/bge-m3:latest"


def test_ollama_is_looked_for_only_when_probing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.ollama_models = ALL_SIZES
    monkeypatch.setattr(choosing, "OLLAMA_URL", server.root)
    assert chosen() == "static/wordllama-l2-256-words"
    assert server.paths == []
    assert chosen(probe=True) == "ollama/qwen3-embedding:4b@1024"


def test_the_key_of_openai_is_not_sent_to_ollama(server: Server) -> None:
    server.ollama_models = ALL_SIZES
    server.dims = 1_024
    settings = EmbedderChoice(ollama_url=f"{server.root}/v1/", api_key="sk-openai")
    embedder = choose_embedder(settings, memory_of=lambda: None)
    assert isinstance(embedder, OpenAICompatibleEmbedder)
    assert embedder.embed(["one"]).shape == (1, 1_024)
    embedder.close()
    assert server.paths == ["/api/tags", "/v1/embeddings"]
    assert server.authorizations == [None]


def test_this_machine_says_how_much_memory_it_has() -> None:
    memory = total_memory()
    assert memory is None or memory > GIGABYTE // 4
