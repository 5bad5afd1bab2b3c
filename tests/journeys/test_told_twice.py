"""One sentence, told twice through every surface, is one memory that was told as often."""

from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.mem0 import Memory as Mem0
from recollect.surfaces.mcp.server import build
from recollect.surfaces.rest.application import application
from tests.surfaces.cli.runner import InProcess
from tests.surfaces.hooks.harness import Harness
from tests.surfaces.mcp.calling import call
from tests.surfaces.rest.running import Running

TOLD = "The staging database is reset every night."


def test_every_surface_tells_one_memory(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"
    cli = InProcess(db)
    first = cli.json("remember", TOLD)
    again = cli("remember", TOLD)
    assert again.code == 0
    assert "Already known, seen 2 times" in again.out
    with recollect.open(db, worker=False) as memory:
        for _ in range(2):
            memory.remember(TOLD)
        _over_http(memory)
        _over_mcp(memory)
        (kept,) = memory.list().items
    assert (kept.id, kept.times_told) == (first["id"], 8)


def _over_http(memory: Recollect) -> None:
    ask = Running(application(memory))
    try:
        answers = [ask("POST", "/v1/memories", {"content": TOLD}) for _ in range(2)]
        assert [answer.status for answer in answers] == [201, 201]
        assert [answer.json["times_told"] for answer in answers] == [5, 6]
    finally:
        ask.stop()


def _over_mcp(memory: Recollect) -> None:
    for count in (7, 8):
        told, failed = call(build(memory), "record_memory", {"content": TOLD})
        assert not failed
        assert told.startswith("Already known as [fact ")
        assert told.endswith(f", seen {count} times now.")


def test_mem0_keeps_one_for_each_person(tmp_path: Path) -> None:
    with Mem0(db=tmp_path / "mem0.db", worker=False, embedder="static") as memory:
        (added,) = memory.add("I prefer window seats.", user_id="alice")["results"]
        assert memory.add("I prefer window seats.", user_id="alice")["results"] == []
        memory.add("I prefer window seats.", user_id="bob")
        assert [one["id"] for one in memory.get_all(user_id="alice")["results"]] == [added["id"]]
        assert len(memory.engine.list().items) == 2
        assert memory.engine.get(added["id"]).times_told == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("sign", ["/remember "])
def test_slash_remember_in_an_agent_counts_too(tmp_path: Path, sign: str) -> None:
    harness = Harness(tmp_path)
    try:
        for session in ("one", "two"):
            harness.hook("SessionStart", session, source="startup")
            harness.hook("UserPromptSubmit", session, prompt=f"{sign}{TOLD}")
            harness.hook("SessionEnd", session)
    finally:
        harness.stop()
    with harness.memory() as memory:
        found = [one for one in memory.list().items if one.content == TOLD]
    assert [one.times_told for one in found] == [2]
