"""A message is heard and a question answered through the server's tools."""

from pathlib import Path

import recollect
from recollect.surfaces.mcp.server import build
from tests.surfaces.mcp.calling import call


def test_a_message_is_heard_and_the_newest_answers(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db", user="ada", worker=False) as memory:
        server = build(memory)
        first = {"text": "I live in Turku. Any tips?", "at": "2026-01-02T10:00:00Z"}
        told, _ = call(server, "hear_message", first)
        moved = {"text": "We moved to Oulu.", "at": "2026-05-02T10:00:00Z"}
        assert "Replaced: " in str(call(server, "hear_message", moved)[0])
        call(server, "hear_message", {"text": "You live in Rome.", "speaker": "assistant"})

        answer, _ = call(server, "ask_memory", {"question": "where do I live?"})
        unknown, _ = call(server, "ask_memory", {"question": "how old am I?"})
        bad, failed = call(server, "hear_message", {"text": "I ski.", "at": "yesterday"})

    assert told.splitlines()[0].startswith("kept: I live in Turku")
    assert "skipped: Any tips? (It is a question.)" in told
    assert "We moved to Oulu. (said 2026-05-02, mem_" in answer
    assert unknown == "I don't know: you have not told me."
    assert failed
    assert "ISO 8601" in bad
