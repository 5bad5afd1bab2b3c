"""Every tool, called by the SDK's client over pipes and HTTP in both eras; answers are pinned."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import recollect
from recollect.context.projects import project_of
from recollect.surfaces.mcp.server import INSTRUCTIONS, serve_http
from recollect.trust.quoted_text import FRAME
from recollect.vocabulary.errors import InvalidSetting

SOURCE = str(Path(recollect.__file__).parent.parent)
OLD, NEW = "2025-11-25", "2026-07-28"
READS = {
    *("list_contradictions", "list_disputes", "assemble_context", "expand_memory"),
    *("search_memory", "get_session_context", "explain_memory", "read_events"),
    *("analyze_impact", "get_dependencies", "trace_data_flow", "ask_memory", "plan_research"),
    *("search_messages", "search_memos", "get_conversation_context", "find_expert"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    return folder


def environment(project: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": SOURCE,
        "RECOLLECT_DB": str(project.parent / "memory.db"),
        "RECOLLECT_USER": "ada",
        "RECOLLECT_AGENT_PATIENCE": "60",
    }


def server(project: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "recollect", "mcp", "--root", str(project), *more]


@pytest.fixture
def address(project: Path) -> Iterator[str]:
    """A server over HTTP, and its address."""
    process = subprocess.Popen(
        server(project, "--http", "--port", "0"),
        env=environment(project) | {"RECOLLECT_MCP_TOKEN": "sesame"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        yield process.stderr.readline().strip().removeprefix("Listening on ")
    finally:
        process.terminate()
        process.wait(120)
        process.stderr.close()


def plain(text: str) -> str:
    """Text without what differs from run to run: ids and times."""
    text = re.sub(r"mem_[0-9a-z]{26}", "mem_ID", text)
    text = re.sub(r"\[(\w+) [0-9a-z]{8}\]", r"[\1 ID]", text)
    return re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", r"DATE", text)


async def walk(client: Client) -> list[str]:
    """Call every tool as an agent would; what each answers."""
    said: list[str] = []

    async def call(name: str, **given: Any) -> str:
        result = await client.call_tool(name, given)
        text = str(result.content[0].text)  # type: ignore[union-attr]
        said.append(f"{'error: ' if result.is_error else ''}{plain(text)}")
        return text

    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    page = (Path(__file__).parents[3] / "docs/mcp.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(tools)
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == READS  # type: ignore[union-attr]
    assert tools["forget_memory"].annotations.destructive_hint  # type: ignore[union-attr]
    assert all(len(tool.description or "") < 2_000 for tool in tools.values())
    kept = await call(
        "record_memory", content="Tests need Redis.", type="gotcha", files=["tests/conftest.py"]
    )
    identifier = kept.rstrip(".").rsplit(" ", 1)[-1].rstrip("]")
    await call("record_memory", content="tests  need redis.", type="gotcha")
    for number in range(1, 4):
        await call("record_memory", content=f"Redis replica r{number} listens.", type="fact")
    await call("search_memory", query="redis tests", limit=2)
    await call("search_memory", query="redis tests", limit=2, cursor="2")
    await call("search_memory", query="redis", type="gotcha")
    await call("search_memory", query="harbour")
    await call("search_memory", query="redis", limit=0)
    await call("get_session_context", task="run the tests")
    await call("explain_memory", id=identifier)
    await call("explain_memory", id="zzzzzzzz")
    await call("analyze_impact", target="src/app.py")
    await call("get_dependencies", target="src/app.py")
    await call("trace_data_flow", source="login")
    await call("forget_memory", id=identifier)
    await call("search_memory", query="redis", type="gotcha")
    await call("plan_research", question="Who sails?")
    await call("research", question="Who sails?")
    return said


NO_INDEX = "No code index yet; run 'recollect index' in the project first."
ANSWERS = [
    "Kept as [gotcha ID].",
    "Already known as [gotcha ID], seen 2 times now.",
    *["Kept as [fact ID]."] * 3,
    f"{FRAME}\n"
    "1. [gotcha ID] ada (agent explicit; not confirmed yet): Tests need Redis. (DATE, "
    "tests/conftest.py)\n"
    "2. [fact ID] ada (agent explicit; not confirmed yet): Redis replica rN listens. (DATE)\n"
    'More with cursor="2".',
    f"{FRAME}\n"
    "3. [fact ID] ada (agent explicit; not confirmed yet): Redis replica rN listens. (DATE)\n"
    "4. [fact ID] ada (agent explicit; not confirmed yet): Redis replica rN listens. (DATE)",
    f"{FRAME}\n"
    "1. [gotcha ID] ada (agent explicit; not confirmed yet): Tests need Redis. (DATE, "
    "tests/conftest.py)",
    "Nothing about this is kept here.",
    "error: Error executing tool search_memory: A page has 1 to 25, not 0.",
    "Nothing about this is kept here.",
    f"{FRAME}\n"
    "[gotcha ID] ada (agent explicit; not confirmed yet): Tests need Redis.\n\n"
    "id: mem_ID\nconfidence: 0.80, importance: 0.60\n"
    "from: agent_explicit by ada, DATE UTC\nfiles: tests/conftest.py\n"
    "state: not confirmed yet\nhistory: DATE created by ada\n"
    "history: DATE updated by ada (importance, times_told)",
    "error: Error executing tool explain_memory: No memory 'zzzzzzzz' is visible here.",
    *[NO_INDEX] * 3,
    "Archived [gotcha ID]. 'recollect restore mem_ID' restores it.",
    "Nothing about this is kept here.",
    "One search:\n- Who sails?",
    f"{FRAME}\nI could not find this.\n\n(confidence 0.00, rounds: 1)",
]


def numberless(said: list[str]) -> list[str]:
    return [re.sub(r"\br\d", "rN", one) for one in said]


@pytest.mark.parametrize(("mode", "version"), [("legacy", OLD), ("auto", NEW)])
def test_every_tool_over_pipes(project: Path, mode: str, version: str) -> None:
    program, *arguments = server(project)
    parameters = StdioServerParameters(command=program, args=arguments, env=environment(project))

    async def talk() -> list[str]:
        async with Client(stdio_client(parameters), mode=mode) as client:
            assert client.protocol_version == version
            assert client.instructions == INSTRUCTIONS.read_text("utf-8")
            return await walk(client)

    assert numberless(asyncio.run(talk())) == ANSWERS
    with recollect.open(
        project.parent / "memory.db", user="ada", space=project_of(project).space, worker=False
    ) as memory:
        assert len(memory.list(archived=True).items) == 1
        assert {one.client for one in memory.retrievals().items} == {"mcp/mcp"}
        assert memory.streams().items == ()  # asking for context leaves nothing behind


@pytest.mark.parametrize(("mode", "version"), [("legacy", OLD), ("auto", NEW)])
def test_every_tool_over_http(address: str, mode: str, version: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def talk() -> list[str]:
        sesame = {"Authorization": "Bearer sesame"}
        async with httpx2.AsyncClient(headers=sesame, timeout=60) as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(transport, mode=mode) as client:
                assert client.protocol_version == version
                return await walk(client)

    assert numberless(asyncio.run(talk())) == ANSWERS
    assert httpx2.post(address, json={}, timeout=60).status_code == 401


def test_instructions_are_short_and_name_every_tool() -> None:
    text = INSTRUCTIONS.read_text("utf-8")

    assert len(text.encode()) < 2_000
    for name in (*READS, "record_memory", "forget_memory", "update_memory", "supersede_memory"):
        assert name in text


def test_others_reach_it_only_with_a_token(tmp_path: Path) -> None:
    with (
        recollect.open(tmp_path / "memory.db", worker=False) as memory,
        pytest.raises(InvalidSetting, match="no token guards the memory"),
    ):
        serve_http(memory, None, host="0.0.0.0", port=0, token=None, announce=print)
