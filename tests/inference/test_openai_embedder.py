"""A real server on loopback answers well and badly; the embedder believes only good answers."""

import math
from typing import Any

import numpy as np
import pytest

from recollect.inference.embedder import Embedder
from recollect.inference.openai_embedder import BATCH_CHARACTERS, BATCH_TEXTS, MAX_CHARACTERS
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable
from tests.inference.conftest import KEY, MakeEmbedder
from tests.inference.server import Behaviour, Server, changed, expected, raw, status


def test_it_speaks_the_protocol(server: Server, make_embedder: MakeEmbedder) -> None:
    embedder: Embedder = make_embedder()
    found = embedder.embed(["one", "two"])
    np.testing.assert_allclose(found, expected(["one", "two"]), atol=1e-6)
    assert found.dtype == np.float32
    assert server.paths == ["/v1/embeddings"]
    assert server.requests == [
        {"model": "plain-model", "input": ["one", "two"], "encoding_format": "float"}
    ]
    assert server.authorizations == [f"Bearer {KEY}"]
    assert (embedder.model_id, embedder.dims, embedder.local) == ("openai/plain-model", 8, False)
    assert embedder.describe() == f"openai/plain-model, 8 dimensions, at {server.url}"


def test_nothing_is_asked_before_it_is_used(server: Server, make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder()
    assert embedder.model_id == "openai/plain-model"
    assert "not known yet" in embedder.describe()
    assert server.requests == []
    assert embedder.dims == 8
    assert [len(request["input"]) for request in server.requests] == [1]


def test_blank_texts_are_not_sent(server: Server, make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder()
    found = embedder.embed(["", "one", " \n", "two"])
    assert server.requests[0]["input"] == ["one", "two"]
    assert not found[[0, 2]].any()
    np.testing.assert_allclose(found[[1, 3]], expected(["one", "two"]), atol=1e-6)
    assert embedder.embed([]).shape == (0, 8)
    assert embedder.embed([" "]).shape == (1, 8)


def test_large_lots_go_in_batches(server: Server, make_embedder: MakeEmbedder) -> None:
    texts = [f"text {number}" for number in range(2 * BATCH_TEXTS + 3)]
    found = make_embedder().embed(texts)
    assert [len(request["input"]) for request in server.requests] == [BATCH_TEXTS, BATCH_TEXTS, 3]
    np.testing.assert_allclose(found, expected(texts), atol=1e-6)


def test_long_texts_are_cut_and_spread(server: Server, make_embedder: MakeEmbedder) -> None:
    texts = [f"{number} " * MAX_CHARACTERS for number in range(10, 40)]
    make_embedder().embed(texts)
    sent = [[len(text) for text in request["input"]] for request in server.requests]
    assert [length for lengths in sent for length in lengths] == [MAX_CHARACTERS] * 30
    assert max(map(sum, sent)) <= BATCH_CHARACTERS


def test_half_a_surrogate_pair_is_sent_as_a_sign(
    server: Server, make_embedder: MakeEmbedder
) -> None:
    make_embedder().embed(["broken \ud83d"])
    assert server.requests[0]["input"] == ["broken \ufffd"]


def test_order_is_by_index(server: Server, make_embedder: MakeEmbedder) -> None:
    server.script = [changed(lambda answer: answer["data"].reverse())]
    texts = ["one", "two", "three"]
    np.testing.assert_allclose(make_embedder().embed(texts), expected(texts), atol=1e-6)


def test_without_any_index_order_is_believed(server: Server, make_embedder: MakeEmbedder) -> None:
    def without_index(answer: dict[str, Any]) -> None:
        for item in answer["data"]:
            del item["index"]

    server.script = [changed(without_index)]
    texts = ["one", "two"]
    np.testing.assert_allclose(make_embedder().embed(texts), expected(texts), atol=1e-6)


def set_number(value: object) -> Behaviour:
    return changed(lambda answer: answer["data"][1]["embedding"].__setitem__(3, value))


def set_item(name: str, value: object) -> Behaviour:
    return changed(lambda answer: answer["data"][1].__setitem__(name, value))


UNUSABLE = {
    "a page": (raw(b"<html>Welcome</html>"), "it is not JSON"),
    "empty": (raw(b""), "it is not JSON"),
    "cut JSON": (raw(b'{"data": [{"index": 0, "emb'), "it is not JSON"),
    "not text": (raw(b"\xff\xfe\x00"), "it is not JSON"),
    "too deep": (raw(b"[" * 200_000), "it is not JSON"),
    "a list": (raw(b"[]"), "no list of embeddings"),
    "no data": (raw(b'{"object": "list"}'), "no list of embeddings"),
    "data of numbers": (raw(b'{"data": [1, 2]}'), "no list of embeddings"),
    "too few": (changed(lambda answer: answer["data"].pop()), "1 embeddings for 2 texts"),
    "too many": (
        changed(lambda answer: answer["data"].append(answer["data"][0])),
        "3 embeddings for 2 texts",
    ),
    "none": (raw(b'{"data": []}'), "0 embeddings for 2 texts"),
    "index twice": (set_item("index", 0), "which text they belong to"),
    "index beyond": (set_item("index", 2), "which text they belong to"),
    "index a bool": (set_item("index", True), "which text they belong to"),
    "index a list": (set_item("index", [1]), "which text they belong to"),
    "base64": (set_item("embedding", "AAAA"), "not a list of numbers"),
    "null": (set_item("embedding", None), "not a list of numbers"),
    "no numbers": (set_item("embedding", []), "not a list of numbers"),
    "nested": (set_item("embedding", [[1.0]]), "not a list of numbers"),
    "words": (set_number("0.5"), "not a list of numbers"),
    "other length": (set_item("embedding", [0.5] * 7), "differ in length"),
    "NaN": (set_number(math.nan), "not finite"),
    "infinity": (set_number(-math.inf), "not finite"),
    "overflowing": (set_number(1e300), "not finite"),
    "huge": (set_number(10**400), "too large"),
}


@pytest.mark.parametrize(("behaviour", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_unusable_answer_gives_no_vector(
    server: Server, make_embedder: MakeEmbedder, behaviour: Behaviour, reason: str
) -> None:
    server.script = [behaviour]
    embedder = make_embedder()
    with pytest.raises(EmbedderFailed, match=reason) as caught:
        embedder.embed(["one", "two"])
    assert str(caught.value).count("\n") == 0
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"]), atol=1e-6)


def test_a_vector_of_zeros_stays_zeros(server: Server, make_embedder: MakeEmbedder) -> None:
    server.script = [set_item("embedding", [0] * 8)]
    found = make_embedder().embed(["one", "two"])
    np.testing.assert_allclose(found[0], expected(["one"])[0], atol=1e-6)
    assert not found[1].any()


def test_other_dimensions_than_before_are_refused(
    server: Server, make_embedder: MakeEmbedder
) -> None:
    embedder = make_embedder()
    embedder.embed(["one"])
    server.dims = 12
    with pytest.raises(EmbedderFailed, match="gave 12 dimensions where it had given 8"):
        embedder.embed(["two"])
    assert embedder.dims == 8


# Dimensions


def test_wanted_dimensions_are_asked_for(server: Server, make_embedder: MakeEmbedder) -> None:
    server.honours_dimensions = True
    embedder = make_embedder(model="text-embedding-3-small", dims=4)
    assert (embedder.model_id, embedder.dims) == ("openai/text-embedding-3-small@4", 4)
    assert server.requests == []
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"], 4), atol=1e-6)
    assert server.requests[0]["dimensions"] == 4


def test_a_matryoshka_model_is_cut_when_the_server_does_not(
    server: Server, make_embedder: MakeEmbedder
) -> None:
    embedder = make_embedder(model="qwen3-embedding:4b", dims=4)
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"], 4), atol=1e-6)
    assert embedder.matryoshka


@pytest.mark.parametrize(
    "refusal",
    [
        status(400, "This model does not support specifying dimensions."),
        status(422, "Model does not support matryoshka representation"),
    ],
)
@pytest.mark.parametrize(("model", "dims"), [("qwen3-embedding:4b", 4), ("plain-model", 8)])
def test_a_server_that_refuses_dimensions_is_asked_without(
    server: Server, make_embedder: MakeEmbedder, refusal: Behaviour, model: str, dims: int
) -> None:
    server.script = [refusal]
    embedder = make_embedder(model=model, dims=4)
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"], dims), atol=1e-6)
    embedder.embed(["two"])
    assert ["dimensions" in request for request in server.requests] == [True, False, False]
    assert embedder.dims == dims


def test_a_plain_model_gives_what_it_gives(server: Server, make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder(dims=4)
    np.testing.assert_allclose(embedder.embed(["one"]), expected(["one"]), atol=1e-6)
    assert (embedder.model_id, embedder.dims) == ("openai/plain-model@4", 8)


def test_fewer_dimensions_than_promised_is_a_setting_to_change(make_embedder: MakeEmbedder) -> None:
    with pytest.raises(EmbedderUnavailable, match="gives only 8 dimensions"):
        make_embedder(model="qwen3-embedding:0.6b", dims=16).embed(["one"])
