"""Living memory over HTTP: contradictions decided, contexts assembled, nights undone."""

from datetime import timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from tests.clocks import TickingClock
from tests.surfaces.rest.running import Running

SAID = (
    ("The daily stand-up is at 9:15.", "The daily stand-up moved to 10:00."),
    ("The invoice service listens on port 8080.", "The invoice service listens on port 9090."),
    ("We use tabs in Python files.", "We never use tabs in Python files."),
    ("The release train leaves on Tuesday.", "The release train leaves on Friday."),
)
ODD_BUDGETS: tuple[Any, ...] = (-1, 10_000_001, "8000", "x", 1.5, True, None, [])
MERGED = "The release train leaves on Friday, in December on Tuesday."


@pytest.fixture
def told(ask: Running, clock: TickingClock) -> list[dict[str, Any]]:
    """Open contradictions, in the order in which they were told."""
    for first, second in SAID:
        ask("POST", "/v1/memories", {"content": first})
        clock.move(timedelta(days=2))
        ask("POST", "/v1/memories", {"content": second})
    found = ask("GET", "/v1/contradictions").json["items"]
    return list(reversed(found))


def test_contradictions_are_listed_assembled_and_decided_with_a_note(
    ask: Running, told: list[dict[str, Any]]
) -> None:
    assert [(one["a"]["content"], one["b"]["content"]) for one in told] == list(SAID)
    for one in told:
        assert one["a"]["valid_from"] < one["b"]["valid_from"]
        assert one["suggested"] == "b"
    critical = ask("POST", "/v1/context/assemble", {"budget": 3_000}).json
    assert all(one["id"] in critical["context"] for one in told)
    assert {one["tier"] for one in critical["entries"]} == {"critical"}

    for one, how in zip(told, ("a_wins", "b_wins", "both", "merged"), strict=True):
        path = f"/v1/contradictions/{one['id']}/resolve"
        assert ask("POST", path, {"resolution": "nonsense"}).status == 422
        body = {"resolution": how, "note": f"Why {how}."}
        if how == "merged":
            assert ask("POST", path, body).status == 422, "a merged one needs its text"
            body["text"] = MERGED
        done = ask("POST", path, body)
        assert (done.status, done.json["resolution"]) == (200, how)
        assert ask("POST", path, body).error["code"] == "conflict"

    decided = ask("GET", "/v1/contradictions?resolved=true").json["items"]
    assert {one["note"] for one in decided} == {
        f"Why {how}." for how in ("a_wins", "b_wins", "both", "merged")
    }
    assert ask("GET", "/v1/contradictions").json["items"] == []
    assert {one["content"] for one in ask("GET", "/v1/memories").json["items"]} == {
        SAID[0][0],
        SAID[1][1],
        *SAID[2],
        MERGED,
    }
    assert "contradiction" not in ask("POST", "/v1/context/assemble", {}).json["context"]


@pytest.mark.parametrize("budget", [0, 50, 400, 10_000_000])
def test_a_context_keeps_to_its_budget_and_says_what_was_left_out(
    ask: Running, told: list[dict[str, Any]], budget: int
) -> None:
    made = ask("POST", "/v1/context/assemble", {"budget": budget}).json
    assert made["token_count"] <= budget
    inside = {one["id"] for one in made["entries"]}
    outside = {one["id"] for one in made["left_out"]}
    assert not inside & outside
    assert len(inside | outside) == 2 * len(SAID)
    assert all(one["reason"] for one in made["left_out"])
    if budget == 10_000_000:
        assert not outside
    for one in inside:
        (opened,) = ask("POST", "/v1/context/expand", {"ids": [one[-8:]]}).json["items"]
        assert opened["id"] == one


@pytest.mark.parametrize(
    ("path", "body"),
    [
        *(("assemble", {"budget": budget}) for budget in ODD_BUDGETS),
        ("assemble", {"signals": {"activity": "sleeping"}}),
        ("assemble", {"nonsense": 1}),
        ("predict", {"file_opened": 3}),
        ("expand", {"ids": []}),
        ("expand", {"ids": [3]}),
    ],
)
def test_what_makes_no_sense_is_refused(ask: Running, path: str, body: dict[str, Any]) -> None:
    refused = ask("POST", f"/v1/context/{path}", body)
    assert (refused.status, refused.error["code"]) == (422, "invalid_input")


def test_a_night_is_reported_in_words_and_undone(
    ask: Running, memory: Recollect, clock: TickingClock
) -> None:
    faded = memory.remember("A gotcha that nobody meets again.", type="gotcha")
    clock.move(timedelta(days=181))
    night = ask("POST", "/v1/evolution/nights").json
    assert "- 1 memory was past three half-lives and was archived." in night["text"]
    assert [one["id"] for one in ask("GET", "/v1/evolution/nights").json["items"]] == [night["id"]]
    path = f"/v1/evolution/nights/{night['id']}"
    (change,) = ask("GET", f"{path}/changes").json
    assert (change["memory_id"], change["step"]) == (faded.id, "half_life")
    undone = {"restored": 1, "changed_since": 0}
    assert ask("POST", f"{path}/undo").json == undone
    assert ask("POST", f"{path}/undo").json["restored"] == 0
    assert not memory.get(faded.id).archived  # type: ignore[union-attr]
    assert ask("POST", "/v1/evolution/nights/ngt_zzz/undo").status == 404


def test_a_dry_run_over_http_says_what_the_run_does(ask: Running) -> None:
    for text in ("The queue is drained before every release.",) * 2:
        ask("POST", "/v1/memories", {"content": text, "repeats": "keep"})
    planned = ask("POST", "/v1/consolidate", {"dry_run": True}).json
    assert planned["counts"] == {"merge": 1}
    done = ask("POST", "/v1/consolidate", {}).json
    assert {**planned, "dry_run": False} == done
    assert ask("POST", "/v1/consolidate", {"dry_run": True}).json["counts"] == {}
