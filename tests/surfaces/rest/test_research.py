"""Answers with citations over HTTP: at once, as server-sent events, and over a WebSocket."""

import json
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.research.conversation import SAID, tell
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve
from tests.surfaces.rest.running import Running

QUESTION = "When did Ada move to Lisbon?"


@pytest.fixture
def asking(stores: StoreMaker, serve: Serve) -> Running:
    memory = stores.open(embedder="static")
    tell(memory)
    return serve(memory)


def sent(body: bytes) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream: their names and what they hold."""
    found = []
    for block in body.decode().strip().split("\n\n"):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_an_answer_its_log_and_feedback(asking: Running) -> None:
    answer = asking("POST", "/v1/research", {"question": QUESTION}).json
    assert answer["known"]
    assert answer["citations"][0]["quote"] == SAID[0][1]

    (record,) = asking("GET", "/v1/research/log").json["items"]
    assert (record["id"], record["cited"][0]) == (answer["id"], answer["citations"][0]["event_id"])
    said = asking("POST", f"/v1/research/{answer['id']}/feedback", {"verdict": "helpful"})
    assert said.json["feedback"][0]["verdict"] == "helpful"
    plan = asking("POST", "/v1/research/plan", {"question": QUESTION}).json
    assert plan["searches"] == [QUESTION]


def test_steps_come_as_server_sent_events(asking: Running) -> None:
    got = asking("POST", "/v1/research/stream", {"question": QUESTION})

    assert got.headers["content-type"].startswith("text/event-stream")
    steps = sent(got.body)
    assert [name for name, _ in steps][:3] == ["look", "plan", "search"]
    name, last = steps[-1]
    assert name == "answer"
    assert last["answer"]["citations"][0]["quote"] == SAID[0][1]


@pytest.mark.parametrize("path", ["/v1/research", "/v1/research/stream", "/v1/research/plan"])
def test_what_is_no_question_is_an_error_of_the_one_shape(asking: Running, path: str) -> None:
    for body in ({"question": "x" * 50_000}, {"question": "  "}, {}, {"question": 5}):
        got = asking("POST", path, body)
        assert got.status in (400, 422), (body, got)
        assert got.error["code"]


def test_questions_over_a_websocket(asking: Running) -> None:
    with connect(f"ws://127.0.0.1:{asking.port}/v1/research/live") as socket:
        socket.send('{"stop": true}')  # nothing is under way
        socket.send("no json")
        assert "error" in json.loads(socket.recv())
        socket.send(json.dumps({"question": "  "}))
        assert json.loads(socket.recv())["error"]["code"]
        for _ in range(2):
            socket.send(json.dumps({"question": QUESTION}))
            while (step := json.loads(socket.recv()))["kind"] != "answer":
                assert step["answer"] is None
            assert step["answer"]["citations"][0]["quote"] == SAID[0][1]


def test_a_page_of_another_site_opens_no_websocket(asking: Running) -> None:
    with pytest.raises(InvalidStatus):
        connect(
            f"ws://127.0.0.1:{asking.port}/v1/research/live", origin=Origin("http://evil.example")
        )
    with pytest.raises(InvalidStatus):
        connect(
            f"ws://127.0.0.1:{asking.port}/v1/research/live",
            additional_headers={"Authorization": "Bearer rcl_nobody"},
        )
