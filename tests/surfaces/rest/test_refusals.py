"""What is refused, and how: one shape for every error, nothing from outside, nothing too large."""

import http.client
import json
import logging
import re
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute

import recollect
from recollect.engine import Recollect
from recollect.surfaces.rest.application import ROUTERS, Limits, application
from recollect.surfaces.rest.server import Address, is_loopback, serve
from recollect.vocabulary.errors import InvalidSetting, NotAllowed
from tests.embedders import WordEmbedder
from tests.surfaces.rest.conftest import Serve
from tests.surfaces.rest.running import Running

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """One file for all of these tests: what is refused leaves nothing behind."""
    path = tmp_path_factory.mktemp("refusals") / "memory.db"
    with recollect.open(path, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        yield memory


@pytest.fixture(scope="module")
def ask(memory: Recollect) -> Iterator[Running]:
    """A server without tokens, for ada alone."""
    running = Running(application(memory))
    yield running
    running.stop()


@pytest.mark.parametrize(
    ("method", "path", "raw", "headers", "status", "code"),
    [
        ("GET", "/v1/nothing", None, {}, 404, "not_found"),
        ("PUT", "/v1/recall", None, {}, 405, "method_not_allowed"),
        ("GET", "/v1/memories/no", None, {}, 404, "memory_not_found"),
        ("GET", "/v1/memories/no%00", None, {}, 404, "memory_not_found"),
        ("GET", "/v1/events/no", None, {}, 404, "event_not_found"),
        ("GET", "/v1/streams/no/events", None, {}, 404, "stream_not_found"),
        ("GET", "/v1/memories?limit=0", None, {}, 422, "invalid_input"),
        ("GET", "/v1/memories?cursor=no", None, {}, 422, "invalid_input"),
        ("GET", "/v1/memories?colour=red", None, {}, 422, "invalid_input"),
        ("POST", "/v1/recall", b"{", JSON, 422, "invalid_input"),
        ("POST", "/v1/recall", b"\xff\xfe", JSON, 422, "invalid_input"),
        ("POST", "/v1/recall", b"[" * 100_000, JSON, 422, "invalid_input"),
        ("POST", "/v1/recall", b"[]", JSON, 422, "invalid_input"),
        ("POST", "/v1/recall", b'{"query": "  "}', JSON, 422, "invalid_text"),
        ("POST", "/v1/memories", b'{"content": "a\\u0000b"}', JSON, 422, "invalid_text"),
        ("POST", "/v1/memories", b'{"content": "\\ud800"}', JSON, 422, "invalid_input"),
        ("POST", "/v1/recall", b'{"query": "x"}', {}, 415, "unsupported_media_type"),
        ("POST", "/v1/recall", b'{"query": "x"}', {"Content-Type": "text/plain"}, 415, None),
        ("GET", "/v1/spaces", None, {"Authorization": "Basic eDp5"}, 401, "token_refused"),
        ("GET", "/v1/spaces", None, {"Authorization": "Bearer rcl_no"}, 401, "token_refused"),
        ("GET", "/v1/spaces", None, {"Host": "evil.example"}, 403, "not_allowed"),
        ("POST", "/v1/recall", None, {"Origin": "https://evil.example"}, 403, "not_allowed"),
    ],
)
def test_every_error_has_one_shape(
    ask: Running,
    *,
    method: str,
    path: str,
    raw: bytes | None,
    headers: dict[str, str],
    status: int,
    code: str | None,
) -> None:
    got = ask(method, path, raw=raw, headers=headers)
    assert got.status == status
    assert got.error["code"] == code or code is None
    assert got.error["message"]
    if status == 405:
        assert got.headers["allow"] == "POST"
    if status == 401:
        assert got.headers["www-authenticate"].startswith("Bearer")


def test_only_what_could_change_something_says_that_nothing_was_changed(ask: Running) -> None:
    for path in ("/v1/memories?limit=-1", "/v1/memories?colour=red"):
        assert "changed" not in ask("GET", path).error["message"]
    assert (
        "Nothing was changed" in ask("POST", "/v1/recall", raw=b"[]", headers=JSON).error["message"]
    )


def test_a_request_keeps_its_id(ask: Running) -> None:
    assert ask("GET", "/health", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == (
        "mine-1"
    )
    told = ask("GET", "/health", headers={"X-Request-Id": "no good id"}).headers["x-request-id"]
    assert told.isalnum()


def test_too_large_is_refused_also_without_a_length(memory: Recollect, serve: Serve) -> None:
    ask = serve(memory, limits=Limits(body=10_000))
    large = json.dumps({"content": "x" * 20_000}).encode()
    assert ask("POST", "/v1/memories", raw=large, headers=JSON).error["code"] == "too_large"
    connection = http.client.HTTPConnection("127.0.0.1", ask.port, timeout=60)
    pieces = iter([large[:5_000], large[5_000:]])
    connection.request("POST", "/v1/memories", pieces, JSON, encode_chunked=True)
    status = connection.getresponse().status
    connection.close()
    assert status == 413
    assert memory.list().items == ()


def test_too_many_at_once_are_told_so(memory: Recollect, serve: Serve) -> None:
    got = serve(memory, limits=Limits(at_once=0))("GET", "/v1/spaces")
    assert (got.status, got.error["code"], got.headers["retry-after"]) == (503, "busy", "1")


def test_a_bug_is_told_without_its_trace(
    ask: Running,
    memory: Recollect,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(type(memory), "spaces", broken)
    with caplog.at_level(logging.ERROR):
        got = ask("GET", "/v1/spaces")
    assert (got.status, got.error["code"]) == (500, "bug")
    assert "secret inside" not in got.body.decode()
    assert got.error["request_id"] in caplog.text
    assert "secret inside" in caplog.text


@pytest.mark.parametrize(
    ("host", "own"),
    [
        *((host, True) for host in ("127.0.0.1", "localhost", "::1", "127.9.9.9")),
        *((host, False) for host in ("0.0.0.0", "::", "192.168.1.4", "example.org", "")),
    ],
)
def test_which_addresses_are_ours_alone(host: str, own: bool) -> None:
    assert is_loopback(host) is own


@pytest.mark.parametrize("address", [Address("0.0.0.0", 0), Address("::", 0)])
def test_others_are_not_served_without_tokens(memory: Recollect, address: Address) -> None:
    with pytest.raises(NotAllowed, match="there is no access token yet"):
        serve(memory, address)


def test_an_address_that_is_not_ours_is_told(memory: Recollect, ask: Running) -> None:
    with pytest.raises(InvalidSetting, match="Nothing can listen on"):
        serve(memory, Address("127.0.0.1", ask.port))


def _get_routes() -> list[str]:
    """Every route under /v1 that only reads, with values for what stands in its path."""
    return sorted(
        re.sub(r"\{[^}]+\}", "general", route.path)
        for module in ROUTERS
        for route in module.router.routes
        if isinstance(route, APIRoute)
        and "GET" in (route.methods or ())
        and route.path.startswith("/v1")
    )


#: What the routes below cannot do without.
NEEDED = "query=x&source=x&target=x&tag=x&into=x"


@pytest.mark.parametrize("path", _get_routes())
def test_unknown_query_parameters_are_refused_on_every_route(ask: Running, path: str) -> None:
    answer = ask("GET", f"{path}?colour=red&{NEEDED}")
    assert answer.status == 422, answer
    assert "'colour'" in answer.error["message"] or "colour" in str(answer.error["details"])


def test_a_misspelled_filter_names_the_known_ones(ask: Running) -> None:
    answer = ask("GET", "/v1/experts?topic=billing")
    assert answer.status == 422
    assert "/v1/experts has no query parameter 'topic'" in answer.error["message"]
    assert answer.error["hint"] == "It has: limit, space."
    assert ask("GET", "/v1/experts?limit=2").status == 200
