"""What a stranger learns at the door: nothing of what is behind it, and nobody else has to wait."""

import selectors
import socket
from contextlib import closing
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.surfaces.rest.application import Limits
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve
from tests.surfaces.rest.running import Got, Running

Guarded = tuple[Recollect, Running]


def told(got: Got, name: str) -> tuple[int, dict[str, Any]]:
    """An answer without the request's id and without the name that was asked for."""
    error = {key: value for key, value in got.error.items() if key != "request_id"}
    return got.status, {key: str(value).replace(name, "NAME") for key, value in error.items()}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/spaces/NAME", None),
        ("GET", "/v1/spaces/NAME/members", None),
        ("GET", "/v1/spaces/NAME/stats", None),
        ("PUT", "/v1/spaces/NAME/members/eve", {"role": "owner"}),
        ("POST", "/v1/spaces", {"name": "NAME"}),
        ("GET", "/v1/memories?space=NAME", None),
        ("POST", "/v1/memories?space=NAME", {"content": "x"}),
        ("POST", "/v1/recall", {"query": "x", "space": "NAME"}),
        ("POST", "/v1/recall?space=NAME", {"query": "x"}),
        ("POST", "/v1/recall/trend?space=NAME", {"query": "x"}),
        ("POST", "/v1/streams?space=NAME", {"name": "x"}),
        ("POST", "/v1/streams/x/events?space=NAME", {"events": [{"text": "x"}]}),
        ("POST", "/v1/memory/entries?space=NAME", {"text": "x"}),
        ("POST", "/v1/memory/entries", {"text": "x", "space": "NAME"}),
        ("POST", "/v1/memory/say?space=NAME", {"text": "x"}),
        ("POST", "/v1/memory/shares", {"tag": "x", "into": "NAME"}),
        ("GET", "/v1/export?space=NAME", None),
        ("GET", "/v1/code/status?space=NAME", None),
        ("GET", "/v1/budgets?space=NAME", None),
    ],
)
def test_a_space_of_others_answers_like_one_that_is_not_there(
    guarded: Guarded, method: str, path: str, body: dict[str, Any] | None
) -> None:
    memory, ask = guarded
    memory.within(space="garden", team="roses").remember("Roses want sun.")
    memory.add_member("bob")
    token = memory.within(user="bob").tokens.create(role="member").secret

    def asked(name: str) -> tuple[int, dict[str, Any]]:
        sent = {key: name if value == "NAME" else value for key, value in (body or {}).items()}
        return told(ask(method, path.replace("NAME", name), sent or None, token=token), name)

    foreign = asked("garden")
    assert foreign == asked("nosuch")
    assert foreign[0] == 404
    assert foreign == asked("garden"), "and again, now that it has been asked for"
    assert told(ask("GET", "/v1/spaces/garden", token=token), "garden")[0] == 404
    assert memory.within(space="garden").list().items[0].content == "Roses want sun."
    assert "nosuch" not in [space.name for space in memory.spaces()]


def test_a_space_that_is_misspelled_is_not_the_default_one(ask: Running, memory: Recollect) -> None:
    memory.remember("Roses want sun.")
    got = ask("POST", "/v1/recall?space=typo", {"query": "roses"})
    assert (got.status, got.error["code"]) == (404, "space_not_found")
    assert [space.name for space in memory.spaces()] == ["default"]
    garden = memory.within(space="garden")
    garden.remember("Lilies want shade.")
    found = ask("POST", "/v1/recall?space=garden", {"query": "lilies"}).json["found"]
    assert len(found) == 1
    got = ask("POST", "/v1/recall?space=garden", {"query": "lilies", "space": "default"})
    assert got.status == 422


def test_a_person_who_was_taken_out_is_refused_and_no_bug_is_met(
    guarded: Guarded, stores: StoreMaker
) -> None:
    memory, ask = guarded
    garden = memory.within(space="garden")
    token = garden.tokens.create(user="bob", role="member").secret
    assert ask("GET", "/v1/spaces", token=token).status == 200
    garden.remove_member("bob")
    for method, path, body in (
        ("GET", "/v1/spaces", None),
        ("GET", "/v1/spaces/garden", None),
        ("GET", "/v1/memories", None),
        ("POST", "/v1/recall", {"query": "x"}),
        ("GET", "/metrics", None),
        ("GET", "/v1/export", None),
    ):
        got = ask(method, path, body, token=token)
        assert (got.status, got.error["code"]) == (401, "token_refused"), path


def test_figures_are_of_the_space_that_the_scraper_may_see(guarded: Guarded) -> None:
    memory, ask = guarded
    memory.remember("Hidden from the garden.", type="gotcha")
    garden = memory.within(space="garden")
    garden.remember("Roses want sun.", type="decision")
    token = garden.tokens.create(user="bob", role="steward").secret
    text = ask("GET", "/metrics", token=token).body.decode()
    assert 'recollect_memories{type="decision"} 1.0' in text
    assert "gotcha" not in text
    assert "recollect_http" not in text
    assert "recollect_queue" not in text
    assert "recollect_store_bytes" not in text
    own = memory.tokens.create(role="steward").secret
    text = ask("GET", "/metrics", token=own).body.decode()
    assert 'recollect_memories{type="gotcha"} 1.0' in text
    assert "decision" not in text
    assert "recollect_http_requests_total" in text
    assert "recollect_queue_backlog" in text


def test_a_slash_too_many_is_not_sent_to_the_host_that_was_named(guarded: Guarded) -> None:
    _, ask = guarded
    for path in ("/v1/spaces/", "/v1/memories/", "/health/"):
        got = ask("GET", path, headers={"Host": "evil.example"})
        assert (got.status, got.error["code"]) == (404, "not_found")
        assert "evil.example" not in f"{got.headers}{got.body.decode()}"


def begun(ask: Running, token: str | None, *, chunked: bool = False) -> socket.socket:
    """A request whose body does not come."""
    connection = socket.create_connection(("127.0.0.1", ask.port), timeout=60)
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    length = "Transfer-Encoding: chunked" if chunked else "Content-Length: 1000"
    connection.sendall(
        "POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"{authorization}{length}\r\n\r\n".encode()
    )
    return connection


def answered(connection: socket.socket) -> int:
    with closing(connection), connection.makefile("rb") as answer:
        return int(answer.readline().split()[1])


@pytest.mark.parametrize("chunked", [False, True])
def test_the_token_is_looked_at_before_the_body_is_read(guarded: Guarded, chunked: bool) -> None:
    _, ask = guarded
    for token in (None, "rcl_" + "A" * 43):
        assert answered(begun(ask, token, chunked=chunked)) == 401


def test_bodies_that_do_not_come_keep_nobody_else_out(stores: StoreMaker, serve: Serve) -> None:
    memory = stores.open()
    limits = Limits(at_once=8, body_seconds=600)
    ask = serve(memory, tokens_required=True, local_only=False, limits=limits)
    slow = memory.tokens.create(user="bob", role="member").secret
    mine = memory.tokens.create().secret
    held: list[socket.socket] = []
    try:
        held += [begun(ask, slow) for _ in range(12)]
        with selectors.DefaultSelector() as waiting:
            for connection in held:
                waiting.register(connection, selectors.EVENT_READ)
            for _ in range(10):  # one sender's slow bodies are a quarter of what there is
                ready = waiting.select(60)[0][0].fileobj
                assert isinstance(ready, socket.socket)
                waiting.unregister(ready)
                with ready.makefile("rb") as answer:
                    assert answer.readline().split()[1] == b"503"
        assert ask("GET", "/health").status == 200
        assert ask("GET", "/v1/spaces", token=slow).status == 200
        assert ask("POST", "/v1/recall", {"query": "x"}, token=mine).status == 200
    finally:
        for connection in held:
            connection.close()


def test_a_body_that_is_too_slow_is_given_up(stores: StoreMaker, serve: Serve) -> None:
    ask = serve(stores.open(), limits=Limits(body_seconds=0.05))
    assert answered(begun(ask, None)) == 408
    while (answer := ask("POST", "/v1/recall", {"query": "x"})).status == 408:
        pass  # on a machine that is busy a whole body may be as late
    assert answer.status == 200


def test_health_is_told_however_much_is_under_way(stores: StoreMaker, serve: Serve) -> None:
    ask = serve(stores.open(), limits=Limits(at_once=0))
    assert ask("GET", "/v1/spaces").status == 503
    assert ask("GET", "/health").status == 200
