"""Stores that version 0.1.0 wrote are opened, migrated, and have lost nothing.

`stores_0_1_0` holds two, each made by the code of its day through the public verbs: one with the
first schema, one with the last before 0.2.0. Beside each lies what that code said was in it.
"""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine import Recollect

STORES = Path(__file__).parent / "stores_0_1_0"


@pytest.fixture(scope="module", params=["schema_0001", "schema_0019"])
def upgraded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Recollect, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("old")
    with zipfile.ZipFile(STORES / f"{request.param}.zip") as packed:
        packed.extractall(folder)
    with recollect.open(
        folder / "memory.db", user="ada", worker=False, embedder="static"
    ) as memory:
        memory.work(600)
        yield memory, json.loads((folder / "expected.json").read_text())


def test_every_memory_and_event_is_as_it_was(
    upgraded: tuple[Recollect, dict[str, Any]],
) -> None:
    memory, expected = upgraded
    for each, was in expected["memories"].items():
        now: Any = memory.get(each)
        kept = {
            "content": now.content,
            "type": str(now.type),
            "tags": sorted(now.tags),
            "revision": now.revision,
            "history": len(memory.history(each)),
        }
        assert kept == was
    events = {event.id: event.text for event in memory.read("dock chat", limit=100).items}
    assert events == expected["events"]
    assert memory.health().sound


def test_what_was_done_to_them_is_still_so(upgraded: tuple[Recollect, dict[str, Any]]) -> None:
    memory, expected = upgraded
    archived, pinned, older = (
        memory.get(each)
        for each in (expected["archived"], expected["pinned"], expected["superseded"][0])
    )
    assert isinstance(archived, recollect.Memory)
    assert archived.archived_at is not None
    assert isinstance(pinned, recollect.Memory)
    assert pinned.pinned
    assert isinstance(older, recollect.Memory)
    assert older.superseded_by == expected["superseded"][1]
    assert {one.target_id for one in memory.relations(expected["related"][0])} >= {
        expected["related"][1]
    }
    assert [one.emoji for one in memory.reactions(expected["reacted"])] == ["+1"]
    assert {one.user for one in memory.members()} == {"ada", "bo"}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("when is the lighthouse closed", "the lighthouse is closed on Mondays"),
        ("who has the keys of the orchard", "the orchard keeps its keys with the night porter"),
        ("did crate 11 get here", "crate 11 has arrived"),
        ("on which day is the harbour closed", "closed on Tuesdays"),
    ],
)
def test_recall_finds_what_was_kept(
    upgraded: tuple[Recollect, dict[str, Any]], question: str, found: str
) -> None:
    memory, _ = upgraded
    assert any(found in one.text for one in memory.recall(question, limit=3))


def test_the_log_goes_on_where_nobody_knew_which_program_asked(
    upgraded: tuple[Recollect, dict[str, Any]],
) -> None:
    memory, _ = upgraded
    before = {one.id: one.client for one in memory.retrievals(limit=100).items}
    asked = memory.within(client="mcp/claude-code").recall("who asks now?")
    after = {one.id: one.client for one in memory.retrievals(limit=100).items}
    assert after == before | {asked.id: "mcp/claude-code"}
    assert set(before.values()) <= {None, "python"}  # of this file's own questions it is known


def test_phases_are_known_from_now_on(upgraded: tuple[Recollect, dict[str, Any]]) -> None:
    memory, expected = upgraded
    before: list[Any] = [memory.get(each) for each in expected["memories"]]
    assert {one.provenance.phase for one in before} == {None}
    kept: Any = memory.remember("The observatory opens at dusk.", phase="explore")
    found: Any = memory.get(kept.id)
    assert found.provenance.phase == "explore"


def test_new_things_go_beside_the_old(upgraded: tuple[Recollect, dict[str, Any]]) -> None:
    memory, _ = upgraded
    memory.remember("The planetarium opens at noon.", type="fact")
    assert "planetarium" in next(iter(memory.recall("when does the planetarium open"))).text
