"""No door tells of a stream that may not be read: REST, WebSocket, MCP and the panel.

Every route of the API's description that reads is asked, and every page of the panel: a new one is
asked here without being named.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from websockets.sync.client import connect

from recollect.surfaces.mcp.tools import Tools
from recollect.surfaces.mcp.workspace import WorkspaceTools
from recollect.surfaces.panel.page_request import GET
from recollect.surfaces.panel.panel import PAGES, Panel
from recollect.surfaces.rest.application import application
from recollect.vocabulary.errors import RecollectError
from tests.stores import StoreMaker
from tests.surfaces.panel.visitor import Visitor
from tests.surfaces.rest.running import Running
from tests.workspace.private_stream import QUESTION, SECRET, Place

#: Everybody who may come in but not read the stream, and what their token lets them do.
COMING = {"bob": "member", "was": "member", "rea": "reader", "ste": "steward"}
_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")


@pytest.fixture(scope="module")
def place(lasting_stores: StoreMaker) -> Place:
    memory = lasting_stores.open(lasting_stores.ready(), embedder="static")
    made = Place(memory, "doors", private=True)
    assert made.view("lis").research(QUESTION).known
    return made


@pytest.fixture(scope="module")
def tokens(place: Place) -> dict[str, str]:
    owner = place.view("ada")
    made = {user: owner.tokens.create(user=user, role=role).secret for user, role in COMING.items()}
    return {**made, "lis": owner.tokens.create(user="lis").secret}


@pytest.fixture(scope="module")
def server(place: Place) -> Iterator[Running]:
    app = application(place.view("ada"), tokens_required=True, local_only=False, pages=Panel())
    running = Running(app)
    yield running
    app.state.stopping = True
    running.stop()


def filled(path: str, place: Place) -> str:
    """A path with what is private in the place of its parameters."""
    private = {
        "event_id": place.events[-1],
        "event": place.events[-1],
        "memo": place.memos[-1],
        "memo_id": place.memos[-1],
        "memory_id": place.memos[-1],
        "stream": "board",
        "name": "board",
        "topic": "holdings",
        "space": "doors",
    }
    return _PARAMETER.sub(lambda found: quote(private.get(found[1], "x")), path)


def reading_routes(running: Running, place: Place) -> list[str]:
    """Every route that reads, asking for what is private."""
    found = []
    for path, verbs in sorted(running.app.openapi()["paths"].items()):
        if "get" not in verbs or path == "/metrics":
            continue
        asked = {
            one["name"]: QUESTION
            for one in verbs["get"].get("parameters", ())
            if one["in"] == "query" and one["name"] in ("query", "q", "target", "source", "typed")
        }
        found.append(filled(path, place) + (f"?{urlencode(asked)}" if asked else ""))
    return found


def pages(place: Place) -> list[str]:
    """Every page of the panel, asking for what is private."""
    paths = [one.path for page in PAGES for one in page.ROUTES if one.method == GET]
    asked = [f"{filled(path, place)}?{urlencode({'q': QUESTION})}" for path in paths]
    return [*asked, f"/panel/served/why?{urlencode({'id': place.memos[-1]})}"]


def in_turn(user: str, paths: list[str]) -> list[str]:
    """A member asks for everything, each of the others for a third of it."""
    users = [one for one in COMING if one != "bob"]
    return paths if user == "bob" else paths[users.index(user) :: len(users)]


def test_no_route_tells_of_it(server: Running, place: Place, tokens: dict[str, str]) -> None:
    routes = reading_routes(server, place)
    assert len(routes) > 50
    told = [path for path in routes if place.events[-1] in path or "/memos" in path]
    shown = [one for one in told if SECRET in server("GET", one, token=tokens["lis"]).body.decode()]
    assert len(shown) > 4  # who may read it is told by many of them
    for user in COMING:
        for path in in_turn(user, routes):
            got = server("GET", path, token=tokens[user])
            assert SECRET not in got.body.decode(), (user, path)
            assert got.status < 500, (user, path)
            assert not any(one in path for one in (place.events[-1], place.memos[-1])) or (
                got.status in (403, 404)
            ), (user, path)
        for path in ("/v1/research", "/v1/research/stream", "/v1/research/plan"):
            got = server("POST", path, {"question": QUESTION}, token=tokens[user])
            assert SECRET not in got.body.decode(), (user, path)


def test_no_page_tells_of_it(server: Running, place: Place, tokens: dict[str, str]) -> None:
    paths = pages(place)
    assert len(paths) > 20
    for user in COMING:
        visitor = Visitor(server.port)
        visitor.get("/panel/login")
        visitor.press("/panel/login", token=tokens[user])
        for path in in_turn(user, paths):
            got = visitor.get(path)
            assert SECRET not in got.body, (user, path)
            assert got.status < 500, (user, path)


def test_no_websocket_tells_of_it(server: Running, place: Place, tokens: dict[str, str]) -> None:
    address = f"ws://127.0.0.1:{server.port}/v1"
    for user in COMING:
        headers = {"Authorization": f"Bearer {tokens[user]}"}
        with connect(f"{address}/research/live", additional_headers=headers, proxy=None) as socket:
            socket.send(json.dumps({"question": QUESTION}))
            while json.loads(told := str(socket.recv(timeout=120)))["kind"] != "answer":
                assert SECRET not in told, user
            assert SECRET not in told, user
        with connect(f"{address}/live", additional_headers=headers, proxy=None) as socket:
            assert json.loads(socket.recv(timeout=120)) == {"event": "ready"}
            socket.send(json.dumps({"typed": QUESTION}))
            place.view("lis").workspace.rate_memo(place.memos[-1], helpful=True)  # they hear none
            place.view("ada").workspace.rate_memo(place.memos[0], helpful=True)  # but this
            heard = str(socket.recv(timeout=120))
            assert SECRET not in heard, user
            assert place.memos[0] in heard, user


def test_no_tool_tells_of_it(place: Place) -> None:
    event, memo = place.events[-1], place.memos[-1]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_memory", {"query": QUESTION, "events": True}),
        ("research", {"question": QUESTION}),
        ("plan_research", {"question": QUESTION}),
        ("read_events", {"stream": "board"}),
        ("read_events", {"event": event}),
        ("expand_memory", {"ids": [memo]}),
        ("explain_memory", {"id": memo}),
        ("assemble_context", {"task": QUESTION}),
        ("get_session_context", {"task": QUESTION}),
        ("search_messages", {"query": QUESTION}),
        ("search_messages", {"query": QUESTION, "filters": {"in": "board"}}),
        ("search_memos", {"query": QUESTION}),
        ("get_conversation_context", {"eventId": event}),
        ("get_conversation_context", {"eventId": event, "beforeCount": 5}),
        ("find_expert", {"topic": "trust holdings"}),
    ]
    for user in COMING:
        view = place.view(user)
        tools, people = Tools(view), WorkspaceTools(view)
        for name, given in calls:
            try:
                said = getattr(tools if hasattr(tools, name) else people, name)(**given)
            except RecollectError as error:
                said = str(error)
            assert SECRET not in said, (user, name)
