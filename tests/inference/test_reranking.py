"""Rerankers: four shapes of servers, the local one, and no patience with any of them."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.inference.fastembed_reranker import FastEmbedReranker
from recollect.inference.ollama_reranker import OllamaReranker
from recollect.inference.rerank_endpoint import SHAPES, EndpointReranker
from recollect.inference.reranker import RerankerChoice, checked_scores
from recollect.inference.reranker_choice import choose_reranker
from recollect.inference.reranker_timeout import TimeoutReranker
from recollect.vocabulary.errors import InvalidSetting, RerankerFailed, RerankerUnavailable
from tests.inference import rerank_server
from tests.inference.rerank_server import Server, changed, generated, hang, hang_up, raw

TEXTS = ["green tea", "black coffee in the morning", "tea in the morning"]


@pytest.fixture
def server() -> Iterator[Server]:
    with rerank_server.running() as found:
        yield found


def reranker(server: Server, provider: str, **options: Any) -> EndpointReranker:
    given: dict[str, Any] = {"base_url": server.url, "model": "cross", "timeout_seconds": 60.0}
    return EndpointReranker(provider, **(given | options))


@pytest.mark.parametrize("provider", sorted(SHAPES))
def test_every_shape_is_asked_and_read(server: Server, provider: str) -> None:
    found = reranker(server, provider, api_key="secret-key-123").rerank("tea morning", TEXTS)
    assert found == [0.5, 0.5, 1.0]
    path, request, authorization = server.requests[0]
    assert path == SHAPES[provider].path
    assert authorization == "Bearer secret-key-123"
    assert request["query"] == "tea morning"
    assert request["texts" if provider == "tei" else "documents"] == TEXTS


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/rerank"])
def test_address_may_be_given_with_its_path(server: Server, ending: str) -> None:
    jina = reranker(server, "jina", base_url=server.url + ending)
    assert jina.rerank("tea", ["tea"]) == [1.0]
    assert server.requests[0][0] == "/v1/rerank"


@pytest.mark.parametrize("provider", ["jina", "tei"])
@pytest.mark.parametrize(
    "bad",
    [
        raw(b"no json"),
        raw(b"[]"),
        raw(b"{}"),
        raw(b"null"),
        raw(b'{"results": [1, 2, 3]}'),
        raw(b"oh dear", 500),
        raw(b'{"error": "slow down"}', 429),
        changed(lambda rows: rows.pop()),
        changed(lambda rows: rows.append(dict(rows[0]))),
        changed(lambda rows: rows[0].update(index=7)),
        changed(lambda rows: rows[0].update(index=True)),
        changed(lambda rows: rows[0].update(index="0")),
        changed(lambda rows: rows[0].update(score="much", relevance_score="much")),
        changed(lambda rows: rows[0].update(score=None, relevance_score=None)),
        hang_up,
    ],
)
def test_bad_answers_are_one_error(server: Server, provider: str, bad: Any) -> None:
    server.script = [bad]
    one = reranker(server, provider)
    with pytest.raises(RerankerFailed, match=r"127\.0\.0\.1"):
        one.rerank("tea", TEXTS)
    assert len(server.requests) <= 1, "somebody waits: it is asked once"
    assert one.rerank("tea", TEXTS)[0] == 1.0, "and it is asked again with the next question"


@pytest.mark.parametrize(("status", "word"), [(401, "key"), (403, "key"), (404, "address")])
def test_what_will_not_pass_says_what_to_check(server: Server, status: int, word: str) -> None:
    server.script = [raw(b'{"message": "no"}', status)]
    with pytest.raises(RerankerUnavailable, match=word):
        reranker(server, "cohere").rerank("tea", TEXTS)


def test_hanging_server_is_given_up(server: Server) -> None:
    server.script = [hang]
    with pytest.raises(RerankerFailed, match="did not answer within"):
        reranker(server, "vllm", timeout_seconds=0.2).rerank("tea", TEXTS)


def test_key_is_in_no_message(server: Server) -> None:
    server.script = [raw(b'{"message": "the key secret-key-123 is not known"}', 401)]
    one = reranker(server, "cohere", api_key="secret-key-123")
    with pytest.raises(RerankerUnavailable) as refused:
        one.rerank("tea", TEXTS)
    assert "secret-key-123" not in str(refused.value)


def test_choice_is_checked_and_asks_nobody() -> None:
    assert choose_reranker(RerankerChoice()) is None
    with pytest.raises(InvalidSetting, match="no reranker"):
        RerankerChoice(provider="magic")  # type: ignore[arg-type]
    with pytest.raises(InvalidSetting, match="positive"):
        RerankerChoice(timeout_seconds=0)
    with pytest.raises(InvalidSetting, match="address"):
        choose_reranker(RerankerChoice(provider="tei"))
    with pytest.raises(InvalidSetting, match="reranking server"):
        choose_reranker(RerankerChoice(provider="tei", base_url="ftp://x"))
    chosen = choose_reranker(RerankerChoice(provider="cohere", api_key="k"))
    assert chosen is not None
    assert chosen.model_id == "cohere/rerank-v3.5"


def test_ollama_judges_each_text_by_a_word_and_how_sure_it_is(server: Server) -> None:
    chosen = choose_reranker(RerankerChoice("ollama", base_url=f"{server.url}/v1", model="judge"))
    assert chosen is not None
    assert chosen.model_id == "ollama/judge"
    assert chosen.rerank("tea morning", TEXTS) == pytest.approx([0.5, 0.5, 0.99])
    assert {path for path, _, _ in server.requests} == {"/api/generate"}
    assert [request["options"]["num_predict"] for _, request, _ in server.requests] == [1, 1, 1]
    server.script = [partial(generated, chances=False)] * 3  # a server that tells no chances
    found = chosen.rerank("tea", TEXTS)
    assert found[0] > found[2] > 0.9, "of equals the earlier one stays before the later"
    assert found[1] < 0.1


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (raw(b'{"response": "maybe"}'), RerankerFailed),
        (raw(b'{"logprobs": [7]}'), RerankerFailed),
        (raw(b"no json"), RerankerFailed),
        (raw(b'{"error": "model not found"}', 404), RerankerUnavailable),
        (hang_up, RerankerFailed),
    ],
)
def test_what_ollama_cannot_answer_is_one_error(server: Server, bad: Any, kind: type) -> None:
    server.script = [bad] * 3
    with pytest.raises(kind, match=r"127\.0\.0\.1"):
        OllamaReranker("judge", base_url=server.url, timeout_seconds=60.0).rerank("tea", TEXTS)


@given(st.lists(st.floats(-80, 80), min_size=1, max_size=9))
def test_scores_keep_their_order_on_one_scale(scores: list[float]) -> None:
    found = checked_scores(scores, len(scores), "it")
    assert all(0 <= score <= 1 for score in found)
    for one, other, first, second in zip(scores, scores[1:], found, found[1:], strict=False):
        assert (one <= other) <= (first <= second)


@pytest.mark.parametrize("scores", [[0.1], [0.1, float("nan")], [0.1, float("inf")]])
def test_scores_that_cannot_be_used(scores: list[float]) -> None:
    with pytest.raises(RerankerFailed):
        checked_scores(scores, 2, "it")


# --- Patience -------------------------------------------------------------------------------------


class Slow:
    """Answers when it is told to."""

    model_id = "slow"

    def __init__(self) -> None:
        self.go = Event()
        self.began = Event()

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        self.began.set()
        self.go.wait()
        if query == "break":
            raise ZeroDivisionError("inside the library")
        return [0.5] * len(texts)


def test_nobody_waits_longer_than_asked() -> None:
    slow = Slow()
    patient = TimeoutReranker(slow, 0.01, at_once=1)
    with pytest.raises(RerankerFailed, match="did not answer within"):
        patient.rerank("tea", TEXTS)
    with pytest.raises(RerankerFailed, match="busy"):
        patient.rerank("tea", TEXTS)
    slow.go.set()
    ready = TimeoutReranker(slow, 120.0)
    assert ready.rerank("tea", TEXTS) == [0.5] * 3
    with pytest.raises(RerankerFailed, match="inside the library"):
        ready.rerank("break", TEXTS)


# --- The local one, with a stand-in for the package: the real one downloads models ----------------

STAND_IN = """
class TextCrossEncoder:
    loaded = 0

    def __init__(self, model_name):
        if model_name == "unknown":
            raise ValueError("not supported")
        TextCrossEncoder.loaded += 1

    def rerank(self, query, documents, **options):
        for text in documents:
            yield 8.0 if query in text else -8.0
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "fastembed" / "rerank"
    folder.mkdir(parents=True)
    (tmp_path / "fastembed" / "__init__.py").touch()
    (folder / "__init__.py").touch()
    (folder / "cross_encoder.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(tmp_path)
    names = [name for name in sys.modules if name.split(".")[0] == "fastembed"]
    for name in names:
        monkeypatch.delitem(sys.modules, name)
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "fastembed"]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
def test_local_cross_encoder_gives_chances() -> None:
    local = choose_reranker(RerankerChoice(provider="fastembed", timeout_seconds=120.0))
    assert local is not None
    assert local.model_id == "fastembed/Xenova/ms-marco-MiniLM-L-6-v2"
    found = local.rerank("tea", ["green tea", "coffee\ud83d"])
    assert found == pytest.approx([0.99966, 0.00034], abs=1e-4)
    assert local.rerank("tea", ["green tea"]) == pytest.approx([0.99966], abs=1e-4)
    loaded = sys.modules["fastembed.rerank.cross_encoder"].TextCrossEncoder.loaded
    assert loaded == 1
    with pytest.raises(RerankerUnavailable, match="cannot load"):
        FastEmbedReranker("unknown").rerank("tea", ["tea"])


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.inference.fastembed_reranker.find_spec", lambda name: None)
    with pytest.raises(RerankerUnavailable, match=r"This adds it: .*\[fastembed\]"):
        FastEmbedReranker()
