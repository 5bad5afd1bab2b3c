"""The routes of the workspace give what their verbs give, and two names of a route the same."""

from collections.abc import Iterator

import pytest

from recollect.engine import Recollect
from recollect.surfaces.rest.application import application
from tests.surfaces.rest.running import Running
from tests.workspace.talking import DEPLOY, people, talk


@pytest.fixture
def running(memory: Recollect) -> Iterator[Running]:
    people(memory, "bob", "cyd")
    started = Running(application(memory))
    yield started
    started.stop()


def test_the_routes_of_the_document(memory: Recollect, running: Running) -> None:
    said = talk(memory, DEPLOY)
    made = running("POST", "/v1/memos", {"event": said[0].id, "topics": ["release"]})
    assert made.status == 201
    memo = made.json["id"]
    assert running("GET", "/v1/memos?topic=release").json["items"][0]["id"] == memo
    assert running("GET", f"/v1/memos/{memo}").json["primary_answerer"] == "cyd"
    changed = running("PATCH", f"/v1/memos/{memo}", {"confidence": 0.7}).json
    assert changed["confidence"] == 0.7
    rated = running("POST", f"/v1/memos/{memo}/feedback", {"helpful": True}).json
    assert rated["helpfulness"] == 1.0

    overview = running("GET", "/v1/knowledge").json
    assert [one["id"] for one in overview["by_topic"]["release"]] == [memo]
    assert running("GET", "/v1/knowledge/topics").json["topics"][0]["memos"] == 1
    assert running("GET", "/v1/knowledge/gaps").json == {"gaps": []}

    typed = "how do we deploy the billing service"
    asked = running("GET", f"/v1/knowledge/suggest?query={typed.replace(' ', '%20')}").json
    posted = running("POST", "/v1/knowledge/suggest", {"query": typed}).json
    assert asked["found"] == posted["found"]
    assert asked["found"][0]["memo"]["id"] == memo
    assert running("GET", "/v1/memos/search?query=deploy%20billing").json["found"]

    by_topic = running("GET", "/v1/experts").json["by_topic"]
    assert "cyd" in {one["user"] for one in by_topic["release"]}
    one = running("GET", "/v1/experts/topic/billing").json
    assert one == running("GET", "/v1/experts/for-topic/billing").json
    assert one["experts"]

    where = f"/v1/streams/general/events/{said[0].id}"
    assert set(running("GET", f"{where}/related").json) == {"memos", "discussions"}
    spoken = running("GET", f"{where}/conversation").json["events"]
    assert [event["id"] for event in spoken] == [event.id for event in said]
    told = running("PUT", "/v1/streams/general/purpose", {"purpose": "Releases"}).json
    assert told["purpose"] == "Releases"
    other = running("GET", f"/v1/streams/notes/events/{said[0].id}/related")
    assert other.status == 404

    assert running("DELETE", f"/v1/memos/{memo}").json["archived_at"]
    assert running("GET", "/v1/memos").json["items"] == []
    assert running("POST", f"/v1/memos/{memo}/restore").json["archived_at"] is None
    assert running("GET", "/v1/memos/mem_x").error["code"] == "memory_not_found"
    assert running("POST", "/v1/memos", {"event": "evt_x"}).error["code"] == "event_not_found"
