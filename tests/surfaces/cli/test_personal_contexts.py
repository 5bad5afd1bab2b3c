"""What a person told of themselves is in no file of a repository and in no agent's context."""

from pathlib import Path

import pytest

import recollect
from recollect.surfaces.mcp.server import build
from tests.surfaces.cli.runner import InProcess
from tests.surfaces.mcp.calling import call

PERSONAL = ("diabetes", "60k", "Lille", "emojis")


@pytest.fixture
def told(cli: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """A store that holds personal memories, by every way to tell them, and one of the project."""
    monkeypatch.chdir(tmp_path)
    cli("say", "I was diagnosed with diabetes in May")
    cli("say", "Never use emojis when you answer me")
    cli("remember", "My salary is 60k", "--visibility", "personal")
    cli("remember", "We deploy with make ship.")
    with recollect.open(cli.db, user="ada", worker=False) as memory:
        call(build(memory), "hear_message", {"text": "I moved to Lille last week."})
    return cli


def test_an_export_for_a_repository_holds_nothing_personal(told: InProcess) -> None:
    assert told("export", "--format", "claude-md", "-o", "CLAUDE.md").code == 0
    written = Path("CLAUDE.md").read_text("utf-8")
    assert "make ship" in written
    assert not [word for word in PERSONAL if word in written]


def test_a_context_for_work_holds_nothing_personal_but_wishes(told: InProcess) -> None:
    shown = told("assemble", "deploy: my salary, diabetes, Lille", "--left-out").out
    assert "make ship" in shown
    assert [word for word in PERSONAL if word in shown] == ["emojis"]
    asked = told("assemble", "my salary, diabetes, Lille", "--personal").out
    assert not [word for word in PERSONAL if word not in asked]
    with recollect.open(told.db, user="ada", worker=False) as memory:
        server = build(memory)
        task = {"task": "release in Lille: salary, diabetes"}
        for tool in ("assemble_context", "get_session_context"):
            answer, _ = call(server, tool, task)
            assert [word for word in PERSONAL if word in answer] == ["emojis"]
        answer, _ = call(server, "assemble_context", {**task, "personal": True})
        assert not [word for word in PERSONAL if word not in answer]
        assert "diabetes" in memory.chat.ask("what was I diagnosed with?").text
