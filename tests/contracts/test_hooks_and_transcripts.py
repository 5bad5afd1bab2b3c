"""One session through two doors, on every store: what hooks heard and what its transcript tells."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.acts import ActKind
from tests.observer.acts import START

LATE = timedelta(seconds=2)


def heard(memory: Recollect) -> None:
    """The session as hooks tell it: a second or two after the harness wrote its own times."""
    session = memory.session(id="one", agent="claude-code", root="/work/app")
    session.on_prompt("mend the login", at=START + LATE)
    file = {"file_path": "/work/app/src/auth.py"}
    session.on_tool_call("Read", file, call="t1", at=START + LATE * 2)
    session.on_tool_result("Read", file, "def login(): ...", call="t1", at=START + LATE * 2)
    session.on_tool_call("Edit", file, call="t2", at=START + LATE * 3)
    session.on_tool_failure(
        "Edit", file, "not this file", call="t2", kind=ActKind.REFUSAL, at=START + LATE * 3
    )
    for turn in (4, 5):
        session.on_prompt("go on", at=START + LATE * turn)
    session.on_message("The login is mended.", final=True, at=START + LATE * 6)
    session.finish()


def transcript(folder: Path) -> Path:
    """The same session as Claude Code wrote it down, with what hooks are not told."""
    refused = "The user doesn't want to proceed. the user said:\nnot this file"
    lines = [
        ("user", "mend the login"),
        ("assistant", [{"type": "thinking", "thinking": "where is the login"}]),
        ("assistant", [_use("t1", "Read", file_path="/work/app/src/auth.py")]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "def login(): ..."}]),
        ("assistant", [{"type": "text", "text": "I found it."}]),
        ("assistant", [_use("t2", "Edit", file_path="/work/app/src/auth.py")]),
        (
            "user",
            [{"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": refused}],
        ),
        ("user", "go on"),
        ("user", "go on"),
        ("assistant", [{"type": "text", "text": "The login is mended."}]),
    ]
    path = folder / "one.jsonl"
    with path.open("w") as file:
        for number, (kind, content) in enumerate(lines):
            told = {
                "type": kind,
                "uuid": f"u{number}",
                "sessionId": "one",
                "cwd": "/work/app",
                "timestamp": (START + timedelta(seconds=number)).isoformat(),
                "message": {"role": kind, "content": content},
            }
            file.write(json.dumps(told) + "\n")
    return path


def _use(call: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": tool, "input": arguments}


def acts(memory: Recollect) -> list[str]:
    found = memory.read("claude-code one").items
    return sorted(f"{event.payload['act']} {event.payload.get('call', '')}" for event in found)


EVERYTHING = sorted(
    [
        *["prompt "] * 3,
        "reasoning ",
        *["call t1", "result t1", "call t2", "refusal t2"],
        *["answer "] * 2,
        "end ",
    ]
)


@pytest.mark.parametrize("live_first", [True, False])
def test_a_session_that_came_by_both_doors_is_there_once(
    memory: Recollect, tmp_path: Path, *, live_first: bool
) -> None:
    path = transcript(tmp_path)

    if live_first:
        heard(memory)
        report = memory.import_(path, format="transcripts")
        assert (report.read, report.added) == (10, 2)  # a thought and a word between
    else:
        memory.import_(path, format="transcripts")
        heard(memory)

    assert acts(memory) == EVERYTHING
    assert memory.import_(path, format="transcripts").added == 0
    assert acts(memory) == EVERYTHING


def test_what_one_door_tells_twice_was_said_twice(memory: Recollect, tmp_path: Path) -> None:
    memory.import_(transcript(tmp_path), format="transcripts")

    assert acts(memory).count("prompt ") == 3


def test_another_session_is_no_twin(memory: Recollect, tmp_path: Path) -> None:
    heard(memory)
    path = transcript(tmp_path)
    path.write_text(path.read_text().replace('"sessionId": "one"', '"sessionId": "two"'))

    assert memory.import_(path, format="transcripts").added == 10
