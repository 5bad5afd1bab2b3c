"""The key goes to the server in a header and appears nowhere else, whatever the server says."""

import traceback

import pytest

from recollect.inference.openai_embedder import OpenAICompatibleEmbedder
from recollect.vocabulary.errors import EmbedderFailed, InferenceError, InvalidSetting
from tests.inference.conftest import KEY, MakeEmbedder
from tests.inference.server import Behaviour, Server, status


def say_the_key(code: int) -> Behaviour:
    message = f"Incorrect API key provided: {KEY}. Also {KEY[:8]}****{KEY[-4:]}, 'x{KEY[-8:]}'."
    return status(code, message)


@pytest.mark.parametrize("code", [400, 401, 404, 429, 500])
def test_the_key_is_in_no_message(server: Server, make_embedder: MakeEmbedder, code: int) -> None:
    server.script = [say_the_key(code)] * 4
    embedder = make_embedder()
    with pytest.raises(InferenceError) as caught:
        embedder.embed(["one"])
    shown = "".join(traceback.format_exception(caught.value)) + repr(embedder)
    shown += repr(vars(caught.value)) + embedder.describe()
    assert "[key]" in str(caught.value)
    assert KEY not in shown
    assert KEY[:8] not in shown
    assert KEY[-6:] not in shown


def test_a_short_key_does_not_eat_the_message(server: Server, make_embedder: MakeEmbedder) -> None:
    server.script = [status(400, "e is wrong, see the manual")]
    with pytest.raises(EmbedderFailed, match=r"\[key\] is wrong, see the manual"):
        make_embedder(api_key="e").embed(["one"])


@pytest.mark.parametrize("key", ["sk-secret\n1", "sk-sécret", "sk secret"])
def test_an_impossible_key_is_refused_unseen(key: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        OpenAICompatibleEmbedder(
            provider="openai", model="m", base_url="http://127.0.0.1/v1", api_key=key
        )
    assert "cret" not in str(caught.value)


def test_without_a_key_none_is_sent(server: Server, make_embedder: MakeEmbedder) -> None:
    make_embedder(api_key=None).embed(["one"])
    assert server.authorizations == [None]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://host/v1",
        "http://",
        "http://[::1",
        "http://host:99999/v1",
        "http://host/\x00",
        "http://user:hunter2@host/v1",
        "http://host/v1?key=hunter2",
    ],
)
def test_an_impossible_address_is_refused_unseen(url: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        OpenAICompatibleEmbedder(provider="openai", model="m", base_url=url)
    assert "hunter2" not in str(caught.value)


def test_a_model_needs_a_name() -> None:
    with pytest.raises(InvalidSetting):
        OpenAICompatibleEmbedder(provider="openai", model=" ", base_url="http://127.0.0.1/v1")
