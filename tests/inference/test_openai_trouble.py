"""A server in trouble: what passes is waited out, what will not is one clear sentence."""

import json
from typing import Any

import numpy as np
import pytest

from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable, InferenceError
from tests.inference.conftest import MakeEmbedder
from tests.inference.server import (
    Behaviour,
    Handler,
    Server,
    drip,
    expected,
    half,
    hang,
    hang_up,
    raw,
    status,
    well,
)


@pytest.mark.parametrize("trouble", [hang_up, half, status(429), status(500), status(503)])
def test_passing_trouble_is_waited_out(
    server: Server, make_embedder: MakeEmbedder, waits: list[float], trouble: Behaviour
) -> None:
    server.script = [trouble, trouble]
    np.testing.assert_allclose(make_embedder().embed(["one"]), expected(["one"]), atol=1e-6)
    assert len(waits) == 2
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1.0


def test_retry_after_is_honoured(
    server: Server, make_embedder: MakeEmbedder, waits: list[float]
) -> None:
    server.script = [status(429, retry_after="7"), status(503, retry_after="0")]
    make_embedder().embed(["one"])
    assert waits == [7, 0]


def test_a_wait_too_long_is_not_waited(
    server: Server, make_embedder: MakeEmbedder, waits: list[float]
) -> None:
    server.script = [status(429, "quota", retry_after="3600")]
    with pytest.raises(EmbedderFailed, match="429 and asks to wait 3600 seconds: quota"):
        make_embedder().embed(["one"])
    assert waits == []


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (status(500, "upstream fell over"), "answered 500: upstream fell over"),
        (status(429), "answered 429"),
        (hang, "did not answer within 0.2 seconds"),
        (drip, "did not answer within 0.2 seconds"),
        (hang_up, "could not be reached"),
        (half, "could not be reached"),
    ],
)
def test_lasting_trouble_is_one_sentence(
    server: Server,
    make_embedder: MakeEmbedder,
    waits: list[float],
    trouble: Behaviour,
    sentence: str,
) -> None:
    server.script = [trouble] * 3
    embedder = make_embedder(attempts=3, timeout_seconds=0.2 if trouble in {hang, drip} else 60.0)
    with pytest.raises(EmbedderFailed, match=sentence) as caught:
        embedder.embed(["one"])
    assert str(caught.value).startswith(server.url)
    assert server.has_heard(3)
    assert len(waits) == 2


def test_nobody_there(make_embedder: MakeEmbedder, waits: list[float]) -> None:
    embedder = make_embedder(base_url="http://127.0.0.1:1/v1")
    with pytest.raises(EmbedderFailed, match="could not be reached"):
        embedder.embed(["one"])
    assert len(waits) == 3


@pytest.mark.parametrize(
    ("code", "error", "hint"),
    [
        (401, EmbedderUnavailable, "key"),
        (403, EmbedderUnavailable, "key"),
        (404, EmbedderUnavailable, "model"),
        (400, EmbedderFailed, "no such thing"),
        (302, EmbedderFailed, "no such thing"),
        (418, EmbedderFailed, "no such thing"),
    ],
)
def test_a_refusal_is_not_repeated(
    server: Server,
    make_embedder: MakeEmbedder,
    code: int,
    error: type[InferenceError],
    hint: str,
) -> None:
    server.script = [status(code, "no such thing", location="http://127.0.0.1:1/elsewhere")]
    with pytest.raises(error, match=f"answered {code}: no such thing") as caught:
        make_embedder().embed(["one"])
    assert hint in str(caught.value)
    assert len(server.requests) == 1


def refuse_longer_than(limit: int) -> Behaviour:
    """As servers do whose model has a short context: the whole batch is refused for one text."""

    def behave(handler: Handler, request: dict[str, Any]) -> None:
        if max(map(len, request["input"])) > limit:
            status(400, "This model's maximum context length is 512 tokens")(handler, request)
        else:
            well(handler, request)

    return behave


def test_only_the_text_too_long_is_cut(server: Server, make_embedder: MakeEmbedder) -> None:
    long = "abcdefgh" * 500
    texts = ["one", "two", long, "three"]
    server.script = [refuse_longer_than(1_500)] * 20
    found = make_embedder().embed(texts)
    np.testing.assert_allclose(found, expected(["one", "two", long[:1_000], "three"]), atol=1e-6)


def test_a_server_that_finds_everything_too_long_is_believed(
    server: Server, make_embedder: MakeEmbedder
) -> None:
    server.script = [refuse_longer_than(0)] * 20
    with pytest.raises(EmbedderFailed, match="maximum context length"):
        make_embedder().embed(["x" * 4_000])
    assert len(server.requests) == 4


def test_it_can_be_used_after_closing(server: Server, make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder()
    embedder.embed(["one"])
    embedder.close()
    embedder.close()
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"]), atol=1e-6)


def test_a_proxy_in_the_environment_is_not_asked_about_this_machine(
    make_embedder: MakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    np.testing.assert_allclose(make_embedder().embed(["one"]), expected(["one"]), atol=1e-6)


def test_an_answer_without_end_is_cut_off(
    server: Server, make_embedder: MakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.inference.endpoint.LONGEST_REPLY", 1_000)
    server.script = [raw(json.dumps({"data": ["x" * 5_000]}).encode())]
    with pytest.raises(EmbedderFailed, match="too long"):
        make_embedder().embed(["one"])
