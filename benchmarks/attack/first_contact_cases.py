"""Attacks: what somebody who has just installed it runs into."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target


def _spaces(target: Target) -> list[str]:
    told = json.loads(target.command("--json", "spaces").stdout)
    return [space["name"] for space in told["spaces"]]


@attack(13, "a space that was mistyped while reading is made")
def mistyped_space(target: Target) -> None:
    target.command("remember", "The crane is yellow.")
    for words in (["list"], ["recall", "crane"], ["export"], ["stats"], ["doctor"], ["read"]):
        ran = target.command("--space", "defualt", *words)
        expect(ran.returncode == 1 and "'default'" in ran.stderr, ran)
    expect(_spaces(target) == ["default"], _spaces(target))


@attack(13, "rules and notes of one folder go to two spaces", stores=SQLITE)
def rules_beside_notes(target: Target) -> None:
    (target.folder / ".git").mkdir()
    (target.folder / "CLAUDE.md").write_text("- Never commit to main.\n")
    target.command("remember", "The crane is yellow.")
    target.command("import", "rules")
    listed = json.loads(target.command("--json", "list").stdout)["items"]
    expect(len(listed) == 2 and _spaces(target) == ["default"], [listed, _spaces(target)])


@attack(13, "an agent's server makes a space by being asked", stores=SQLITE)
def reading_server(target: Target) -> None:
    target.command("remember", "The crane is yellow.")
    said = _asked(target, ["--space", "typo"], "search_memory", {"query": "crane"})
    expect("No space 'typo'" in said, said)
    expect(_spaces(target) == ["default"], _spaces(target))


def _asked(target: Target, options: list[str], tool: str, given: dict[str, Any]) -> str:
    """What a tool of a real MCP server says, spoken to over pipes."""
    first = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "attack", "version": "1"},
    }
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": tool, "arguments": given},
        },
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", target.address, *options, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=target.environment,
        cwd=target.folder,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for one in asked:
            process.stdin.write(json.dumps(one) + "\n")
            process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                return str(answer["result"]["content"][0]["text"])
        return "(the server ended)"
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


def _hooks(folder: Path) -> Any:
    return json.loads((folder / ".claude/settings.local.json").read_text())["hooks"]
