"""The WebSocket: what one server is told, a client of another hears; and only what it may read."""

import json
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from recollect.engine import Recollect
from recollect.surfaces.rest.application import application
from tests.stores import StoreMaker
from tests.surfaces.cli.runner import Processes
from tests.surfaces.rest.running import Running
from tests.workspace.talking import DEPLOY, talk


@contextmanager
def listening(
    running: Running, token: str | None = None, **named: Any
) -> Iterator[ClientConnection]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    address = f"ws://127.0.0.1:{running.port}/v1/live"
    with connect(address, additional_headers=headers, proxy=None, **named) as socket:
        assert json.loads(socket.recv(timeout=120)) == {"event": "ready"}
        yield socket


def heard(socket: ClientConnection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(socket.recv(timeout=120))
    return found


@pytest.fixture
def pair(stores: StoreMaker) -> Iterator[tuple[Recollect, Running, Running]]:
    """Two servers on one store, each with an engine of its own."""
    address = stores.ready()
    memory, other = stores.open(address), stores.open(address)
    memory.add_member("bob")
    memory.add_member("cyd")
    servers = Running(application(memory)), Running(application(other))
    yield memory, *servers
    for one in servers:
        one.stop()


def test_what_one_server_keeps_a_client_of_the_other_hears(
    pair: tuple[Recollect, Running, Running],
) -> None:
    memory, first, second = pair
    said = talk(memory, DEPLOY)
    with listening(second) as socket:
        made = first("POST", "/v1/memos", {"event": said[0].id}).json
        created = heard(socket)
        assert created["event"] == "memo:created"
        assert created["memo"]["id"] == made["id"]
        assert created["memo"]["summary"] == DEPLOY[0][1]

        first("PATCH", f"/v1/memos/{made['id']}", {"summary": "Releases"})
        changed = heard(socket)
        assert (changed["event"], changed["memo_id"]) == ("memo:updated", made["id"])
        assert changed["changes"]["summary"] == "Releases"

        socket.send(json.dumps({"typed": "how do we deploy the billing service"}))
        suggested = heard(socket)
        assert suggested["event"] == "suggestion:available"
        assert suggested["suggestions"][0]["memo"]["id"] == made["id"]

        first("DELETE", f"/v1/memos/{made['id']}")
        assert heard(socket) == {"event": "memo:archived", "memo_id": made["id"]}


def test_what_one_process_keeps_a_client_of_another_hears(
    stores: StoreMaker, tmp_path: Path
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.add_member("bob")
    memory.add_member("cyd")
    said = talk(memory, DEPLOY)
    process = Processes(address, tmp_path)
    process.environment |= {
        "RECOLLECT_SPACE": memory.space.name,
        "RECOLLECT_USER": memory.viewer.user,
    }
    with serving(process) as first, serving(process) as second, listening_at(second) as socket:
        created = asked(first, "POST", "/v1/memos", {"event": said[0].id})
        assert heard(socket)["memo"]["id"] == created["id"]
        asked(first, "DELETE", f"/v1/memos/{created['id']}")
        assert heard(socket) == {"event": "memo:archived", "memo_id": created["id"]}


@contextmanager
def serving(process: Processes) -> Iterator[str]:
    """The address of a server that is a process of its own."""
    started = process.start("serve", "--port", "0", "--json")
    try:
        assert started.stdout is not None
        yield json.loads(started.stdout.readline())["url"].removeprefix("http://")
    finally:
        started.send_signal(signal.SIGTERM)
        _, trouble = started.communicate(timeout=60)
    assert (started.returncode, trouble) == (0, "")


@contextmanager
def listening_at(place: str) -> Iterator[ClientConnection]:
    with connect(f"ws://{place}/v1/live", proxy=None) as socket:
        assert json.loads(socket.recv(timeout=120)) == {"event": "ready"}
        yield socket


def asked(place: str, method: str, path: str, body: object = None) -> Any:
    with closing(HTTPConnection(place, timeout=60)) as connection:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status < 300, answer.status
        told = answer.read()
        return json.loads(told) if told else None


def test_nobody_hears_of_a_stream_that_they_may_not_read(stores: StoreMaker) -> None:
    memory = stores.open(stores.ready())
    memory.add_member("bob")
    memory.open_stream("board", access="private")
    tokens = {user: memory.tokens.create(user=user).secret for user in ("bob", memory.viewer.user)}
    running = Running(application(memory, tokens_required=True, local_only=False))
    try:
        private = talk(memory, [(memory.viewer.user, "Is the merger in May?")], stream="board")
        public = talk(memory, [("bob", "Is lunch at noon?")])
        with (
            listening(running, tokens["bob"]) as bob,
            listening(running, tokens[memory.viewer.user]) as owner,
        ):
            hidden = memory.workspace.save(private[0].id)
            shown = memory.workspace.save(public[0].id)
            assert [heard(owner)["memo"]["id"] for _ in range(2)] == [hidden.id, shown.id]
            assert heard(bob)["memo"]["id"] == shown.id
        for token in (None, "rcl_nonsense"):
            refused = pytest.raises((InvalidStatus, ConnectionClosed))
            with refused, listening(running, token):
                pass
    finally:
        running.stop()


NONSENSE = ("", "[]", "{", '{"typed": 3}', '{"typed":"x","stream":[]}')


def test_what_cannot_be_read_is_said_and_the_socket_stays(
    pair: tuple[Recollect, Running, Running],
) -> None:
    _, running, _ = pair
    elsewhere = pytest.raises((InvalidStatus, ConnectionClosed))
    with elsewhere, listening(running, origin="https://evil.example"):
        pass  # no page of another site is let in
    with listening(running) as socket:
        for one in NONSENSE:
            socket.send(one)
            assert heard(socket)["code"] == "invalid_input"
