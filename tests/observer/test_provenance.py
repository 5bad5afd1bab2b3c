"""Every memory of a session cites the events it came from and bears the time when it happened."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from tests.observer.acts import START, Story


def line(kind: str, uuid: str, content: Any, minute: int) -> str:
    role = "user" if kind == "user" else "assistant"
    return json.dumps(
        {
            "type": kind,
            "uuid": uuid,
            "sessionId": "s1",
            "cwd": "/home/ann/shop",
            "timestamp": f"2026-03-01T10:{minute:02d}:00Z",
            "message": {"role": role, "content": content},
        }
    )


def transcript(folder: Path) -> Path:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm install"}}
    refused = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user "
        "said:\nplease always use pnpm here, we never run npm"
    )
    result = {"type": "tool_result", "tool_use_id": "t1", "content": refused, "is_error": True}
    file = folder / "s1.jsonl"
    file.write_text(
        "\n".join(
            [
                line("user", "u1", "Add the carousel", 0),
                line("assistant", "a1", [use], 1),
                line("user", "u2", [result], 2),
            ]
        )
        + "\n"
    )
    return file


def test_a_memory_cites_the_imported_event_and_its_time(tmp_path: Path) -> None:
    file = transcript(tmp_path)
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        memory.import_(file, format="transcripts")

        (lesson,) = memory.learning.replay(file)

        (kept,) = lesson.memories
        (event,) = kept.provenance.events
        assert "please always use pnpm here" in memory.window(event).event.text
        assert kept.created_at == kept.valid_from == datetime(2026, 3, 1, 10, 2, tzinfo=UTC)
        assert kept.valid_from == kept.created_at < kept.updated_at


def test_without_an_import_the_lesson_is_kept_all_the_same(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        (lesson,) = memory.learning.replay(transcript(tmp_path))

        assert [one.provenance.events for one in lesson.memories] == [()]


def test_a_turn_of_a_resumed_session_is_dated_when_it_was_said() -> None:
    story = Story().prompt("Add a voucher").bash("ls").answer("Done.")
    late = START + timedelta(days=3)
    story.acts += Story("s1", late).prompt("please always use pnpm here").acts
    story.acts[-1] = replace(story.acts[-1], step=story.step)

    (wish,) = [one for one in story.observed().report().candidates if "pnpm" in one.content]

    assert wish.at == late
