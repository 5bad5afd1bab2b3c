"""Every verb over HTTP, from the outside to the store and back."""

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running


def test_a_memory_s_life(ask: Running) -> None:
    made = ask(
        "POST",
        "/v1/memories",
        {"content": "The staging database is reset every night.", "type": "gotcha", "tags": ["s"]},
    )
    assert made.status == 201
    kept = made.json
    path = f"/v1/memories/{kept['id']}"
    assert ask("GET", path).json == kept
    changed = ask("PATCH", path, {"content": "It is reset at noon.", "revision": 1}).json
    assert (changed["content"], changed["revision"]) == ("It is reset at noon.", 2)
    assert ask("PATCH", path, {"tags": [], "revision": 1}).error["code"] == "conflict"
    then = ask("GET", f"{path}?as_of={kept['created_at'].replace('+', '%2B')}").json
    assert then["content"] == kept["content"]
    assert ask("POST", f"{path}/verify").json["user_verified"]
    assert ask("POST", f"{path}/pin").json["pinned"]
    assert not ask("DELETE", f"{path}/pin").json["pinned"]
    assert ask("DELETE", path).json["archived_at"]
    assert ask("GET", "/v1/memories").json["items"] == []
    assert ask("POST", f"{path}/restore").json["archived_at"] is None
    newer = ask("POST", f"{path}/supersede", {"content": "It is never reset."}).json
    assert newer["supersedes"] == kept["id"]
    actions = [entry["action"] for entry in ask("GET", f"{path}/history").json]
    assert actions[0] == "created"
    assert "superseded" in actions
    assert ask("DELETE", f"{path}?for_good=true").json is None
    assert ask("GET", path).error["code"] == "memory_not_found"


def test_a_memory_says_in_which_phase_it_was_made(ask: Running) -> None:
    made = ask("POST", "/v1/memories", {"content": "Rope is sold by the metre.", "phase": "refine"})
    assert made.json["provenance"]["phase"] == "refine"
    assert ask("GET", f"/v1/memories/{made.json['id']}").json["provenance"]["phase"] == "refine"
    other = ask("POST", "/v1/memories", {"content": "The crane is yellow."}).json
    assert other["provenance"]["phase"] is None
    refused = ask("POST", "/v1/memories", {"content": "x", "phase": "lunch"})
    assert refused.error["code"] == "invalid_input"


def test_relations(ask: Running) -> None:
    one = ask("POST", "/v1/memories", {"content": "one"}).json["id"]
    two = ask("POST", "/v1/memories", {"content": "two"}).json["id"]
    path = f"/v1/memories/{one}/relations"
    assert ask("POST", path, {"type": "validates", "memory": two}).status == 201
    assert ask("POST", path, {"type": "required_with", "file": "src/a.py"}).status == 201
    assert {arrow["type"] for arrow in ask("GET", path).json} == {"validates", "required_with"}
    assert ask("DELETE", f"{path}?type=validates&memory={two}").json == {"done": True}
    assert ask("DELETE", f"{path}?type=validates&memory={two}").json == {"done": False}
    assert ask("POST", path, {"type": "validates"}).error["code"] == "invalid_input"


def test_lists_are_paged_and_narrowed(ask: Running) -> None:
    for number in range(5):
        ask("POST", "/v1/memories", {"content": f"apple {number}", "tags": [f"t{number % 2}"]})
    seen: list[str] = []
    cursor = ""
    while True:
        page = ask("GET", f"/v1/memories?limit=2{cursor}").json
        seen += [memory["content"] for memory in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [f"apple {number}" for number in reversed(range(5))]
    odd = ask("GET", "/v1/memories?tag=t1").json["items"]
    assert [memory["content"] for memory in odd] == ["apple 3", "apple 1"]


def test_recall_explains_packs_and_filters(ask: Running) -> None:
    ask("POST", "/v1/memories", {"content": "The harbour closes at nine.", "type": "gotcha"})
    ask("POST", "/v1/memories", {"content": "The harbour has nine boats."})
    question = {"query": "when does the harbour close", "explain": True, "budget": 200}
    answer = ask("POST", "/v1/recall", question).json
    first = answer["found"][0]
    assert first["text"] == "The harbour closes at nine."
    assert first["kind"] == "memory"
    assert first["why"]["parts"]
    assert answer["packed"]["tokens"] <= 200
    worth = ask("POST", f"/v1/recall/{answer['id']}/feedback", {"verdict": "helpful"})
    assert worth.json["feedback"][0]["verdict"] == "helpful"
    only = ask("POST", "/v1/recall", {"query": "harbour", "type": ["fact"]}).json["found"]
    assert [found["text"] for found in only] == ["The harbour has nine boats."]
    assert ask("POST", "/v1/recall", {"query": "harbour", "profile": "no"}).status == 422


def test_streams_and_events(ask: Running) -> None:
    stream = ask("POST", "/v1/streams", {"name": "release chat", "kind": "channel"})
    assert (stream.status, stream.json["kind"]) == (201, "channel")
    path = "/v1/streams/release%20chat/events"
    said = ask(
        "POST", path, {"events": [{"text": f"line {n}", "external_id": str(n)} for n in range(5)]}
    ).json
    again = ask("POST", path, {"events": [{"text": "line 0", "external_id": "0"}]}).json
    assert again[0]["id"] == said[0]["id"]
    page = ask("GET", f"{path}?limit=3").json
    rest = ask("GET", f"{path}?limit=3&cursor={page['next_cursor']}").json
    texts = [event["text"] for event in (*page["items"], *rest["items"])]
    assert texts == [f"line {n}" for n in range(5)]
    middle = f"/v1/events/{said[2]['id']}"
    around = ask("GET", f"{middle}/window?before=1&after=1").json
    assert [around["before"][0]["text"], around["after"][0]["text"]] == ["line 1", "line 3"]
    assert ask("PATCH", middle, {"text": "better words"}).json["text"] == "better words"
    assert ask("GET", f"{middle}/revisions").json[0]["text"] == "line 2"
    assert ask("PUT", f"{middle}/reactions/%F0%9F%91%8D").json[0]["emoji"] == "👍"
    assert ask("DELETE", f"{middle}/reactions/%F0%9F%91%8D").json == {"done": True}
    assert ask("GET", f"{middle}/reactions").json == []
    reply = {"events": [{"text": "yes", "reply_to": said[2]["id"]}]}
    ask("POST", path, reply)
    assert [event["text"] for event in ask("GET", f"{middle}/replies").json] == ["yes"]
    ask("POST", "/v1/memories", {"content": "they agreed", "events": [said[2]["id"]]})
    assert ask("GET", f"{middle}/memories").json[0]["content"] == "they agreed"
    assert ask("DELETE", middle).json == {"done": True}
    assert ask("GET", middle).json["deleted_at"]
    assert ask("PATCH", "/v1/streams/release%20chat", {"access": "private"}).json["done"]
    assert ask("PUT", "/v1/streams/release%20chat/readers/bob").json["done"]
    assert ask("DELETE", "/v1/streams/release%20chat/readers/bob").json["done"]
    assert [one["name"] for one in ask("GET", "/v1/streams").json["items"]] == ["release chat"]


def test_spaces_and_people(ask: Running) -> None:
    assert ask("POST", "/v1/spaces", {"name": "garden"}).json["name"] == "garden"
    ask("POST", "/v1/memories?space=garden", {"content": "Roses want sun."})
    assert ask("GET", "/v1/memories").json["items"] == []
    assert len(ask("GET", "/v1/memories?space=garden").json["items"]) == 1
    assert ask("GET", "/v1/memories?space=nowhere").error["code"] == "space_not_found"
    assert {space["name"] for space in ask("GET", "/v1/spaces").json} == {"default", "garden"}
    assert ask("GET", "/v1/spaces/garden/stats").json["memories"] == {"fact": 1}
    ask("PUT", "/v1/spaces/garden/members/bob", {"role": "reader"})
    people = {one["user"]: one["role"] for one in ask("GET", "/v1/spaces/garden/members").json}
    assert people == {"ada": "owner", "bob": "reader"}
    assert ask("DELETE", "/v1/spaces/garden/members/bob").json == {"done": True}
    assert ask("DELETE", "/v1/spaces/garden/members/ada").error["code"] == "not_allowed"


def test_everything_can_be_taken_out(ask: Running, memory: Recollect) -> None:
    memory.remember("Roses want sun.")
    memory.record("Good morning.", stream="talk")
    taken = ask("GET", "/v1/export").json
    assert taken["memories"][0]["content"] == "Roses want sun."
    assert taken["streams"][0]["events"][0]["text"] == "Good morning."
    assert "Roses want sun." in ask("GET", "/v1/export?format=markdown").body.decode()


def test_the_server_tells_how_it_is(ask: Running) -> None:
    ask("POST", "/v1/memories", {"content": "one"})
    ask("GET", "/v1/nothing")
    assert ask("GET", "/health").json["status"] == "ok"
    assert ask("GET", "/ready").json["status"] == "ready"
    figures = ask("GET", "/metrics").body.decode().splitlines()
    assert 'recollect_memories{type="fact"} 1.0' in figures
    done = 'recollect_http_requests_total{method="POST",path="/v1/memories",status="201"} 1.0'
    assert done in figures
    assert any(line.startswith("recollect_queue_backlog 1") for line in figures)
    page = ask("GET", "/").body.decode()
    assert "/v1/recall" in page
    assert "http://127.0.0.1" in page
    assert "src=" not in page


def test_last_sessions_have_the_engine_s_limit(ask: Running) -> None:
    for count, status in ((100, 200), (101, 422)):
        got = ask("POST", "/v1/recall", {"query": "x", "last_sessions": count})
        assert got.status == status
    schemas = ask.app.openapi()["components"]["schemas"]
    described = schemas["RecallBody"]["properties"]["last_sessions"]
    assert [one.get("maximum") for one in described["anyOf"]] == [100, None]


def test_archived_memories_are_found_on_request(ask: Running) -> None:
    kept = ask("POST", "/v1/memories", {"content": "the red kettle leaks"}).json["id"]
    ask("DELETE", f"/v1/memories/{kept}")

    (found,) = ask("POST", "/v1/recall", {"query": "kettle", "archived": True}).json["found"]

    assert found["item"]["id"] == kept
    assert found["item"]["archived_at"] is not None
    assert ask("POST", "/v1/recall", {"query": "kettle"}).json["found"] == []
