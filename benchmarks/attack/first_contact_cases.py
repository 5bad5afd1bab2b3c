"""Attacks: what somebody who has just installed it runs into."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target


def _spaces(target: Target) -> list[str]:
    told = json.loads(target.command("--json", "spaces").stdout)
    return [space["name"] for space in told["spaces"]]


@attack(11, "the README does not say how to get the command", stores=SQLITE)
def how_to_install(target: Target) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    for words in ('uv tool install ".[all]"', 'pipx install ".[all]"', 'pip install ".[all]"'):
        expect(words in readme, words)
    script = Path(sys.executable).with_name("recollect")
    ran = subprocess.run(
        [str(script), "version"],
        capture_output=True,
        check=False,
        text=True,
        env=target.environment,
        cwd=target.folder,
        timeout=60,
    )
    expect(ran.returncode == 0, ran)


@attack(11, "a part that is not installed ends in a riddle", stores=SQLITE)
def parts_that_are_missing(target: Target) -> None:
    for module, words, extra in (
        ("fastapi", ["serve", "--port", "0"], "server"),
        ("mcp", ["mcp"], "mcp"),
        ("tree_sitter", ["index", "."], "code"),
    ):
        without = (
            f"import sys; sys.modules[{module!r}] = None; sys.argv[1:] = {words!r}; "
            "from recollect.surfaces.cli.main import main; main()"
        )
        ran = subprocess.run(
            [sys.executable, "-c", without],
            capture_output=True,
            check=False,
            text=True,
            env={**target.environment, "RECOLLECT_DB": target.address},
            cwd=target.folder,
            timeout=60,
        )
        expect(ran.returncode == 1 and f"[{extra}]" in ran.stderr, ran)


@attack(12, "an agent's hooks and server miss the store and the space that were named")
def named_store(target: Target) -> None:
    (target.folder / ".git").mkdir()
    if "://" in target.address and "@" in target.address.replace("://", "", 1):
        _refused_password(target)
        return
    first = target.command("agent", "install", "--space", "team")
    expect(first.returncode == 0, first)
    server = json.loads((target.folder / ".mcp.json").read_text())["mcpServers"]["recollect"]
    named = ["--db", str(Path(target.address).absolute()), "--space", "team", "mcp"]
    expect(Path(server["command"]).is_absolute() and server["args"][-5:] == named, server)
    said = {
        "session_id": "one",
        "cwd": str(target.folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "/remember The crane is yellow.",
    }
    hook = _hooks(target.folder)["UserPromptSubmit"][0]["hooks"][0]
    subprocess.run(
        [hook["command"], *hook["args"]],
        input=json.dumps(said).encode(),
        env={**target.environment, "RECOLLECT_AGENT_PATIENCE": "60"},
        capture_output=True,
        check=True,
        timeout=120,
    )
    _end_daemon(Path(hook["args"][-3]))
    listed = target.command("--space", "team", "list").stdout
    expect("The crane is yellow." in listed, listed)


def _refused_password(target: Target) -> None:
    """An address with a password reaches no file of the project."""
    password = urlsplit(target.address).password or "none"
    target.command("agent", "install", "--space", "team")
    texts = [path.read_text() for path in target.folder.rglob("*.json")]
    expect(password == "none" or not any(password in text for text in texts), texts)


@attack(12, "installing again rewrites files, or keeps an old store", stores=SQLITE)
def installed_twice(target: Target) -> None:
    (target.folder / ".git").mkdir()
    target.command("agent", "install")
    again = target.command("agent", "install")
    expect("Nothing changed" in again.stdout, again)
    other = str(target.folder / "other.db")
    moved = target.command("agent", "install", "--db", other)
    written = (target.folder / ".mcp.json").read_text()
    expect("Updated" in moved.stdout and other in written, [moved, written])
    expect(target.address not in written, written)
    target.command("agent", "uninstall")
    left = sorted(path.name for path in target.folder.glob(".*"))
    expect(".mcp.json" not in left and ".claude" not in left, left)


@attack(12, "installing without the command on the PATH is silent", stores=SQLITE)
def not_on_the_path(target: Target) -> None:
    (target.folder / ".git").mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "recollect", "--db", target.address, "agent", "install"],
        capture_output=True,
        check=False,
        text=True,
        env={**target.environment, "PATH": "/nowhere"},
        cwd=target.folder,
        timeout=60,
    )
    expect(ran.returncode == 0 and "not on your PATH" in ran.stderr, ran)


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


@attack(16, "garbage in JSON lines becomes an empty message of now")
def garbage_lines(target: Target) -> None:
    source = target.folder / "chat.jsonl"
    source.write_text(
        '{"text": "first", "time": "2024-05-01T12:00:00Z"}\n'
        '{"foo": 1}\n'
        '{"text": "second", "time": "soon"}\n'
    )
    ran = target.command("import", str(source))
    expect(ran.returncode == 3 and "line 2: it has no text" in ran.stdout, ran)
    expect("1 skipped and 1 kept without a time" in ran.stdout, ran)
    told = json.loads(target.command("--json", "read", "chat").stdout)["items"]
    expect([one["text"] for one in told] == ["first", "second"], told)
    expect(all(one["occurred_at"].startswith("2024-05-01") for one in told), told)


@attack(16, "an import of nothing but garbage ends well", stores=SQLITE)
def nothing_but_garbage(target: Target) -> None:
    (target.folder / "bad.jsonl").write_text('{"foo": 1}\n[]\n')
    ran = target.command("import", str(target.folder / "bad.jsonl"))
    expect(ran.returncode == 1 and "2 skipped" in ran.stdout, ran)


@attack(17, "an agent cannot tell an empty note, correct one, or read an event")
def tools_of_agents(target: Target) -> None:
    named = ["--space", "default", "--user", "ada"]
    with target.open() as memory:
        event = memory.record("The crane is blue.", stream="chat").id
        note = memory.remember("The crane is yelow.", source="agent_explicit").id
    said = _asked(target, named, "record_memory", {"content": ""})
    expect("The text is empty" in said, said)
    said = _asked(target, named, "update_memory", {"id": note, "content": "The crane is yellow."})
    expect(said.startswith("Updated"), said)
    said = _asked(target, named, "read_events", {"event": event})
    expect("The crane is blue." in said, said)


@attack(17, "a flow ends in the middle of a sentence", stores=SQLITE)
def unfinished_flow(target: Target) -> None:
    code = target.folder / "code"
    code.mkdir()
    (code / "lonely.py").write_text("def lonely():\n    return 1\n")
    target.command("index", str(code))
    said = _asked(target, ["--space", "default"], "trace_data_flow", {"source": "lonely"})
    expect("Nothing is known to be called from it." in said, said)


@attack(17, "errors of the server are described by another error's example", stores=SQLITE)
def borrowed_examples(target: Target) -> None:
    with target.serving() as client:
        described = client.get("/openapi.json").json()
        answers = described["paths"]["/v1/recall"]["post"]["responses"]
        codes = {
            status: answers[status]["content"]["application/json"]["example"]["error"]["code"]
            for status in ("401", "403")
        }
        expect(codes == {"401": "token_refused", "403": "not_allowed"}, codes)
        sessions = {"query": "crane", "last_sessions": 101}
        refused = client.post("/v1/recall", json=sessions).status_code
    ran = target.command("recall", "crane", "--sessions", "101")
    expect((refused, ran.returncode) == (422, 1), (refused, ran))


@attack(17, "what was missing is no sentence, and forgetting does not say what it takes")
def sentences(target: Target) -> None:
    target.command("say", "remember that I live in Lyon")
    target.command("say", "remember that my sister works in Lyon")
    stranger = target.command("--user", "bob", "recall", "Lyon").stdout
    expect("Searched without" not in stranger and "was not searched." in stranger, stranger)
    asked = target.command("say", "forget about Lyon").stdout
    expect("I live in Lyon" in asked and "my sister works in Lyon" in asked, asked)
    kept = target.command("memory").stdout
    expect("I live in Lyon" in kept and "my sister" in kept, kept)


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


def _end_daemon(home: Path) -> None:
    """End the daemon that a hook started, by its id, and wait until it is gone."""
    pid = home / "daemon.pid"
    if pid.exists():
        with suppress(ProcessLookupError):
            os.kill(int(pid.read_text()), signal.SIGTERM)
    with (home / "daemon.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def _hooks(folder: Path) -> Any:
    return json.loads((folder / ".claude/settings.local.json").read_text())["hooks"]
