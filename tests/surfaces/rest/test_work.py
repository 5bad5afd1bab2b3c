"""QA, acceptance and the end of work over HTTP."""

from pathlib import Path

import pytest

from recollect.engine import Recollect
from tests.surfaces.rest.running import Running

WISH = "please always use tabs in this project"


@pytest.fixture
def worked(memory: Recollect, tmp_path: Path) -> str:
    """A session of a spec that is over, in which the user stated a wish after the work."""
    session = memory.session(root=tmp_path, session_type="spec", unit={"spec": "007"})
    for number in range(2):
        edit = {"file_path": str(tmp_path / f"{number}.py")}
        session.on_tool_call("Edit", edit, call=f"e{number}")
        session.on_tool_result("Edit", edit, "ok", call=f"e{number}")
        session.on_message("Done.", final=True)
        if not number:
            session.on_prompt(WISH)
    session.finish()
    return session.id


def test_a_verdict_over_http_sets_free_what_was_held(ask: Running, worked: str) -> None:
    (waiting,) = ask("GET", "/v1/work").json["items"]
    assert (waiting["run"]["id"], waiting["held"]) == (
        worked,
        "held: the specification is not accepted yet",
    )

    done = ask("POST", "/v1/work/accept", {"unit": {"spec": "007"}})

    assert done.status == 200
    ((learned,),) = [one["learned"] for one in done.json["sessions"]]
    assert WISH in learned["content"]
    assert ask("GET", "/v1/work").json["items"][0]["held"] is None


def test_a_review_and_the_end_of_a_unit_over_http(ask: Running, worked: str) -> None:
    issues = [{"description": "Totals are off", "severity": "high"}]

    failed = ask("POST", "/v1/work/qa", {"issues": issues, "spec": "007"}).json
    ended = ask("POST", "/v1/work/done", {"outcome": "partial", "unit": {"spec": "007"}}).json

    assert [one["content"] for one in failed["findings"]] == ["Totals are off."]
    assert ended["outcome"]["extras"]["outcome"] == "partial"
    unknown = ask("POST", "/v1/work/accept", {"branch": "nowhere"})
    assert (unknown.status, unknown.error["code"]) == (404, "not_found")
    odd = ask("POST", "/v1/work/qa", {"issues": [{"description": "x", "severity": "awful"}]})
    assert odd.status == 422
