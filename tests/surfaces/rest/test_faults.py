"""When something goes wrong behind the server, every path still answers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.embedders import RemoteEmbedder
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve
from tests.surfaces.rest.running import Running

ENTRIES = "/v1/memory/entries"

#: The verbs are asked on every store elsewhere; here it is about what the server makes of them.
pytestmark = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)


def test_with_the_embedder_down_everything_answers_and_the_backlog_drains(
    stores: StoreMaker, serve: Serve, clock: TickingClock
) -> None:
    embedder = RemoteEmbedder(down=True)
    memory = stores.open(embedder=embedder)
    ask = serve(memory)
    made = ask("POST", ENTRIES, {"text": "The harbour bell rings at noon."})
    assert made.status == 201
    entry = made.json["entry"]["memory"]["id"]
    assert ask("POST", "/v1/memories", {"content": "The harbour closes at nine."}).status == 201
    said = ask("POST", "/v1/streams/talk/events", {"events": [{"text": "Is the harbour open?"}]})
    assert said.status == 201
    answer = ask("POST", "/v1/recall", {"query": "harbour bell"}).json
    assert answer["found"][0]["id"] == entry
    assert answer["missing"]
    for path in ("/v1/memory/summary", ENTRIES, "/v1/memories", "/v1/streams/talk/events"):
        assert ask("GET", path).status == 200, path
    assert ask("PATCH", f"/v1/events/{said.json[0]['id']}", {"text": "Open?"}).status == 200
    assert ask("POST", f"{ENTRIES}/{entry}/pin").status == 200
    assert ask("GET", "/ready").json["backlog"] > 0
    memory.work(1)
    assert ask("GET", "/ready").json["backlog"] > 0
    embedder.down = False
    for _ in range(12):
        clock.move(timedelta(hours=1))
        memory.work(5)
    ready = ask("GET", "/ready").json
    assert (ready["backlog"], ready["dead"]) == (0, 0)
    assert ask("POST", "/v1/recall", {"query": "harbour bell"}).json["missing"] == []


def test_very_long_messages(ask: Running) -> None:
    long = "The harbour is long. " * 2_500
    assert len(long) > 50_000
    assert ask("POST", ENTRIES, {"text": long}).status == 201
    assert ask("POST", "/v1/streams/talk/events", {"events": [{"text": long}]}).status == 201
    assert ask("POST", "/v1/recall", {"query": long}).status == 200
    assert ask("POST", "/v1/memory/say", {"text": long}).status == 200
    assert ask("POST", ENTRIES, {"text": "x" * 300_000}).error["code"] == "invalid_input"


def test_the_clock_jumps(ask: Running, clock: TickingClock) -> None:
    ask("POST", ENTRIES, {"text": "Before the jump the harbour was open."})
    clock.move(-timedelta(days=400))
    made = ask("POST", ENTRIES, {"text": "After the jump the market was closed."})
    assert made.status == 201
    found = ask("POST", "/v1/recall", {"query": "market closed"}).json["found"]
    assert found[0]["text"] == "After the jump the market was closed."
    clock.move(timedelta(days=9_000))
    for path in (ENTRIES, "/v1/memory/summary", "/v1/memory/audit", "/metrics"):
        assert ask("GET", path).status == 200, path
    assert len(ask("GET", ENTRIES).json["items"]) == 2
    assert ask("POST", "/v1/recall", {"query": "harbour"}).json["found"]


def test_many_at_once_lose_nothing(ask: Running, memory: Recollect) -> None:
    def add(number: int) -> str:
        text = f"{'abcdefghijkl'[number] * 6} lives at number {number}"
        made = ask("POST", "/v1/memories", {"content": text})
        assert made.status == 201, made
        return str(made.json["id"])

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(add, range(12)))
    assert {one.id for one in memory.list().items} == ids
    assert memory.health().sound


@pytest.mark.parametrize("levels", [65, 500, 900, 100_000])
def test_what_is_nested_too_deep_is_not_taken(ask: Running, levels: int) -> None:
    deep = '{"a":' * levels + "1" + "}" * levels
    bodies = {
        "/v1/streams/talk/events": f'{{"events": [{{"text": "harbour", "payload": {deep}}}]}}',
        "/v1/memories": f'{{"content": "harbour", "extras": {deep}}}',
        ENTRIES: f'{{"text": "harbour", "more": {deep}}}',
        "/v1/recall": deep,
    }
    for path, body in bodies.items():
        refused = ask("POST", path, raw=body.encode(), headers={"Content-Type": "application/json"})
        assert (path, refused.status) == (path, 422)
        assert refused.error["code"] == "invalid_input"
    assert ask("POST", "/v1/recall", {"query": "harbour"}).json["found"] == []
    assert ask("GET", "/v1/export").status == 200


def test_a_field_of_another_name_is_named_beside_the_missing_one(ask: Running) -> None:
    refused = ask("POST", "/v1/memories", {"text": "The lift is slow."})

    assert refused.status == 422
    message = refused.error["message"]
    assert "body.content: Field required; body.text: " in message
