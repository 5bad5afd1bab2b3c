"""The MCP server and the space it works in: reading makes none, the first note does."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.surfaces.mcp.server import build
from recollect.surfaces.mcp.source import NOTHING_YET, MemoryOnDemand
from tests.surfaces.mcp.calling import call

READING: dict[str, dict[str, Any]] = {
    "search_memory": {"query": "crane"},
    "get_session_context": {"task": "mend the crane"},
    "explain_memory": {"id": "zzzzzzzz"},
    "list_contradictions": {},
    "assemble_context": {"task": "mend the crane", "files": ["crane.py"]},
    "expand_memory": {"ids": ["zzzzzzzz"]},
    "resolve_contradiction": {"id": "zzzzzzzz", "resolution": "both"},
    "analyze_impact": {"target": "crane.py"},
    "get_dependencies": {"target": "crane.py"},
    "trace_data_flow": {"source": "crane"},
    "forget_memory": {"id": "zzzzzzzz"},
    "ask_memory": {"question": "where do I live?"},
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    recollect.open(path, user="ada", space="harbour", worker=False).close()
    return path


def spaces(store: Path) -> list[str]:
    with recollect.open(store, user="ada", space="harbour", worker=False) as memory:
        return [space.name for space in memory.spaces()]


@pytest.fixture(params=[False, True], ids=["the project's own", "named"])
def source(store: Path, request: pytest.FixtureRequest) -> Iterator[MemoryOnDemand]:
    def opened(make: bool) -> recollect.Recollect:
        return recollect.open(store, user="ada", space="harbor", make=make, worker=False)

    with closing(MemoryOnDemand(opened, space_named=request.param)) as made:
        yield made


@pytest.mark.parametrize("tool", READING)
def test_reading_makes_no_space(
    store: Path, source: MemoryOnDemand, tool: str, request: pytest.FixtureRequest
) -> None:
    said, failed = call(build(source), tool, READING[tool])

    assert spaces(store) == ["harbour"]
    if "named" in request.node.callspec.id.split("-"):
        assert failed
        assert said.endswith("No space 'harbor' is visible here. Did you mean 'harbour'?")
    else:
        assert (said, failed) == (NOTHING_YET, False)


def test_the_first_note_makes_the_space(store: Path, source: MemoryOnDemand) -> None:
    server = build(source)

    assert call(server, "record_memory", {"content": "The crane is yellow."})[0].startswith("Kept")

    assert spaces(store) == ["harbour", "harbor"]
    assert "yellow" in call(server, "search_memory", {"query": "crane"})[0]
