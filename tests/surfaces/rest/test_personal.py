"""Personal memory over HTTP: seen, pinned, forgotten, switched off, and never in incognito."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running

ENTRIES = "/v1/memory/entries"

#: The verbs are asked on every store elsewhere; here it is about what the server makes of them.
pytestmark = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)


def test_what_is_said_is_kept_and_can_be_seen(ask: Running) -> None:
    made = ask("POST", ENTRIES, {"text": "My sister Ana is allergic to peanuts.", "tags": ["a"]})
    assert (made.status, made.json["outcome"]) == (201, "kept")
    entry = made.json["entry"]["memory"]
    assert ask("GET", f"{ENTRIES}/{entry['id']}").json["memory"]["content"] == entry["content"]
    again = ask("POST", ENTRIES, {"text": "my sister Ana is allergic to peanuts!"}).json
    assert (again["outcome"], again["entry"]["memory"]["id"]) == ("merged", entry["id"])
    listed = ask("GET", ENTRIES).json["items"]
    assert [one["memory"]["id"] for one in listed] == [entry["id"]]
    told = ask("GET", "/v1/memory/summary").json
    assert told["count"] == 1
    assert "peanuts" in told["text"]
    found = ask("POST", "/v1/recall", {"query": "what is Ana allergic to?"}).json["found"]
    assert found[0]["id"] == entry["id"]


def test_pin_and_forget(ask: Running) -> None:
    entry = ask("POST", ENTRIES, {"text": "The gate code is on the fridge."}).json["entry"]
    path = f"{ENTRIES}/{entry['memory']['id']}"
    assert ask("POST", f"{path}/pin").json["memory"]["pinned"]
    assert len(ask("GET", f"{ENTRIES}?pinned=true").json["items"]) == 1
    assert not ask("DELETE", f"{path}/pin").json["memory"]["pinned"]
    gone = ask("DELETE", path).json
    assert gone["ids"] == [entry["memory"]["id"]]
    assert ask("GET", path).status == 404
    again = ask("POST", ENTRIES, {"text": "The gate code is on the fridge."}).json
    assert (again["outcome"], again["entry"]) == ("not_kept", None)
    actions = [row["action"] for row in ask("GET", "/v1/memory/audit").json["items"]]
    assert "forget" in " ".join(actions)
    lines = ask("GET", "/v1/memory/audit/export").body.decode().splitlines()
    assert len(lines) == len(actions)
    assert "fridge" not in "".join(lines)
    assert ask("POST", f"/v1/memory/undo/{gone['undo']}").json["answer"]
    back = ask("GET", ENTRIES).json["items"]
    assert [one["memory"]["content"] for one in back] == ["The gate code is on the fridge."]


def test_switches(ask: Running) -> None:
    assert ask("GET", "/v1/memory/settings").json["memory_enabled"]
    off = ask("POST", "/v1/memory/settings", {"memory_enabled": False}).json
    assert not off["memory_enabled"]
    assert ask("POST", ENTRIES, {"text": "Not now."}).json["outcome"] == "not_kept"
    ask("POST", "/v1/memory/settings", {"memory_enabled": True})
    session = {"session": "chat-42"}
    assert ask("POST", "/v1/memory/incognito/start", session).json["incognito"]
    said = {"text": "Nobody hears the harbour bell.", **session}
    assert ask("POST", ENTRIES, said).json["outcome"] == "not_kept"
    ask("POST", ENTRIES, {"text": "The harbour bell rings at noon."})
    quiet = ask("POST", "/v1/recall", {"query": "harbour bell", **session}).json
    assert quiet["found"] == []
    assert not ask("POST", "/v1/memory/incognito/end", session).json["incognito"]
    assert ask("POST", "/v1/recall", {"query": "harbour bell", **session}).json["found"]


def test_in_their_own_words(ask: Running) -> None:
    ask("POST", ENTRIES, {"text": "The meeting is on Monday at 3 pm.", "session": "s"})
    told = ask("POST", "/v1/memory/say", {"text": "what do you remember about the meeting?"}).json
    assert told["intent"] == "ask"
    assert "3 pm" in told["answer"] + "".join(found["text"] for found in told["found"])
    assert ask("POST", "/v1/memory/say", {"text": "nice weather"}).json["intent"] == "none"


def test_a_contradiction_is_asked_and_settled(ask: Running) -> None:
    ask("POST", ENTRIES, {"text": "The team meeting is at 3 pm."})
    moved = ask("POST", ENTRIES, {"text": "The team meeting moved to 4 pm."}).json
    assert moved["outcome"] == "asked"
    (question,) = ask("GET", "/v1/memory/questions").json
    settled = ask("POST", f"/v1/memory/questions/{question['id']}", {"replaces": True}).json
    assert settled["answer"]
    assert ask("GET", "/v1/memory/questions").json == []


def test_two_clients_pin_and_forget_at_once(ask: Running, memory: Recollect) -> None:
    """Whoever is first, the answer of each is one of the documented, and the end is sound."""
    for number in range(4):
        text = f"Unlike thing number {number}: {'abcd'[number] * 9}"
        entry = ask("POST", ENTRIES, {"text": text}).json["entry"]["memory"]["id"]
        tasks = [("POST", f"{ENTRIES}/{entry}/pin"), ("DELETE", f"{ENTRIES}/{entry}")]
        with ThreadPoolExecutor(4) as pool:
            got = list(pool.map(lambda task: ask(*task), tasks * 2))
        assert {one.status for one in got} <= {200, 404, 409}
        assert [one.status for one in got].count(200) >= 1
        assert ask("GET", f"{ENTRIES}/{entry}").status == 404
    assert memory.health().sound


def test_figures_tell_repeats_and_trims(ask: Running) -> None:
    ask("POST", "/v1/memory/settings", {"soft_cap": 2})
    for text in ("I like tea.", "i LIKE tea!", "Emma plays the cello.", "My flight is on Friday."):
        assert ask("POST", "/v1/memory/entries", {"text": text}).status == 201
    figures = ask("GET", "/metrics").body.decode().splitlines()
    for action, count in (("remember", 3), ("repeat", 1), ("trim", 1), ("settings", 1)):
        assert f'recollect_memory_actions{{action="{action}"}} {count}.0' in figures
