"""What is named when an agent is set up reaches its hooks and its MCP server."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.context.projects import project_of
from recollect.settings import agent_folder
from recollect.surfaces.hooks.daemon_folder import options_of
from tests.surfaces.cli.runner import InProcess
from tests.surfaces.hooks.harness import SOURCE

PLACES = {
    "claude-code": (".claude/settings.local.json", ".mcp.json"),
    "codex": (".codex/hooks.json", None),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    return folder


@pytest.fixture
def plain(project: Path) -> Iterator[InProcess]:
    """Commands without a store named before them."""

    class Plain(InProcess):
        def __call__(self, *arguments: str, input: Any = None) -> Any:
            from typer.testing import CliRunner

            from recollect.surfaces.cli.app import app
            from tests.surfaces.cli.runner import Ran

            done = CliRunner().invoke(app, arguments, input=input, catch_exceptions=False)
            return Ran(done.exit_code, done.stdout, done.stderr)

    yield Plain(project / "none")
    for pid in agent_folder().rglob("daemon.pid"):
        with suppress(ProcessLookupError):
            os.kill(int(pid.read_text()), signal.SIGTERM)
        with pid.with_name("daemon.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is gone


def handler(project: Path, agent: str, event: str = "UserPromptSubmit") -> list[str]:
    """The command of a hook as the agent's settings have it."""
    found = json.loads((project / PLACES[agent][0]).read_text())["hooks"]
    entry = (found.get(event) or next(iter(found.values())))[0]
    if agent == "cursor":
        return shlex.split(entry["command"])
    return [entry["hooks"][0]["command"], *entry["hooks"][0]["args"]]


def server(project: Path, agent: str = "claude-code") -> list[str]:
    """The command of the MCP server as the agent's settings have it."""
    file = PLACES[agent][1]
    assert file is not None
    entry = json.loads((project / file).read_text())["mcpServers"]["recollect"]
    return [entry["command"], *entry["args"]]


@pytest.mark.parametrize("agent", PLACES)
@pytest.mark.parametrize("before", [True, False])
def test_store_and_space_reach_hooks_and_server(
    plain: InProcess, project: Path, agent: str, before: bool
) -> None:
    (project / "data").mkdir()
    options = ["--db", "data/team.db", "--space", "team"]
    words = ["agent", "install", agent]
    ran = plain(*options, *words) if before else plain(*words, *options)

    assert ran.code == 0, ran
    store = str(project / "data/team.db")
    assert f"Events go to the space 'team' of {store}." in ran.out
    home = Path(handler(project, agent)[-3])
    assert options_of(home) == {"db": store, "space": "team"}
    if agent != "codex":
        program, *arguments = server(project, agent)
        assert Path(program).is_absolute()
        assert arguments[-5:] == ["--db", store, "--space", "team", "mcp"]


def test_hooks_write_to_the_store_and_the_space_that_were_named(
    plain: InProcess, project: Path, tmp_path: Path
) -> None:
    store = tmp_path / "team.db"
    assert plain("agent", "install", "--db", str(store), "--space", "team").code == 0
    said = {
        "session_id": "one",
        "cwd": str(project),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "/remember The crane is yellow.",
    }
    other = {"RECOLLECT_DB": str(tmp_path / "other.db"), "RECOLLECT_SPACE": "other"}
    subprocess.run(
        handler(project, "claude-code"),
        input=json.dumps(said).encode(),
        env={**os.environ, **other, "PYTHONPATH": SOURCE, "RECOLLECT_AGENT_PATIENCE": "60"},
        check=True,
        timeout=240,
    )

    with recollect.open(store, user="ada", space="team", make=False, worker=False) as memory:
        assert [one.content for one in memory.list().items] == ["The crane is yellow."]
    assert not (tmp_path / "other.db").exists()
    status = plain.json("agent", "status")
    assert (status["space"], status["store"]) == ("team", str(store))


def test_without_names_the_usual_places_are_used(plain: InProcess, project: Path) -> None:
    assert plain("agent", "install").code == 0

    assert handler(project, "claude-code")[-3] == str(agent_folder())
    program, *arguments = server(project)
    assert Path(program).is_absolute()
    assert arguments[-1] == "mcp"
    assert "--db" not in arguments
    space = project_of(project).space
    assert [one["name"] for one in plain.json("spaces")["spaces"]] == [space]


def test_installing_twice_changes_nothing_and_says_so(plain: InProcess, project: Path) -> None:
    first = plain("agent", "install")
    files = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}

    again = plain("agent", "install")

    assert "Nothing changed" not in first.out
    assert again.out.startswith("Nothing changed: it is set up already. ")
    assert plain.json("agent", "install")["files"] == []
    assert {path: path.stat().st_mtime_ns for path in files} == files
    listed = [Path(one["file"]).name for one in plain.json("agent", "status")["files"]]
    assert listed == ["settings.local.json", ".mcp.json"]  # each once


@pytest.mark.parametrize(
    ("option", "scope", "name"),
    [((), "project", "settings.local.json"), (("--shared",), "shared", "settings.json")],
)
def test_the_status_names_every_file_once(
    plain: InProcess, project: Path, option: tuple[str, ...], scope: str, name: str
) -> None:
    plain("agent", "install", *option)
    found = plain.json("agent", "status")["files"]
    assert [(Path(one["file"]).name, one["scope"], one["whole"]) for one in found] == [
        (name, scope, True),
        (".mcp.json", scope, True),
    ]


def test_another_store_on_the_second_time_is_taken_over(
    plain: InProcess, project: Path, tmp_path: Path
) -> None:
    plain("agent", "install", "--db", str(tmp_path / "one.db"))
    old = handler(project, "claude-code")[-3]

    ran = plain("agent", "install", "--db", str(tmp_path / "two.db"))

    assert ran.out.startswith(f"Updated {project}/.claude/settings.local.json\n")
    assert str(tmp_path / "two.db") in server(project)
    assert str(tmp_path / "one.db") not in (project / ".mcp.json").read_text()
    assert old not in (project / ".claude/settings.local.json").read_text()


def test_uninstall_takes_all_of_it_away(plain: InProcess, project: Path, tmp_path: Path) -> None:
    plain("agent", "install", "--db", str(tmp_path / "one.db"), "--space", "team")
    assert list(agent_folder().glob("stores/*"))

    assert "What was learned is kept." in plain("agent", "uninstall").out

    assert sorted(path.name for path in project.iterdir()) == [".git"]
    assert not list(agent_folder().glob("stores/*"))


@pytest.mark.parametrize(
    ("agent", "scope"), [*((agent, []) for agent in PLACES), ("claude-code", ["--shared"])]
)
def test_what_is_installed_is_no_code_of_the_project(
    plain: InProcess, project: Path, tmp_path: Path, agent: str, scope: list[str]
) -> None:
    (project / "shop.py").write_text("def hooks_of(command):\n    return [command]\n")
    store = ["--db", str(tmp_path / "one.db")]
    assert plain(*store, "agent", "install", agent, *scope).code == 0
    files = [file for file in project.rglob("*") if file.is_file()]
    assert len(files) > 1
    plain(*store, "index")

    ran = plain(*store, "recall", "hooks command recollect remember", "--json")

    found = json.loads(ran.out)["found"]
    assert {one["item"]["path"] for one in found if "path" in one["item"]} == {"shop.py"}


def test_a_missing_command_is_warned_of(
    plain: InProcess, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    ran = plain("agent", "install")

    assert ran.code == 0
    assert "'recollect' is not on your PATH" in ran.err
    assert "is not on your PATH" in plain.json("agent", "install")["warnings"][0]


def test_a_password_is_not_written_into_an_agent_s_settings(
    plain: InProcess, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = plain("agent", "install", "--db", "postgresql://ada:hunter2@localhost/memory")

    assert ran.code == 1
    assert "holds a password" in ran.err
    assert sorted(path.name for path in project.iterdir()) == [".git"]


def test_a_plugin_carries_what_was_named(plain: InProcess, project: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "one.db")
    assert plain("agent", "plugin", "made", "--db", store).code == 0

    entry = json.loads((project / "made/.mcp.json").read_text())["mcpServers"]["recollect"]
    assert entry["args"][-3:] == ["--db", store, "mcp"]
    hooks = json.loads((project / "made/hooks/hooks.json").read_text())["hooks"]
    home = hooks["SessionStart"][0]["hooks"][0]["args"][-3]
    assert options_of(Path(home)) == {"db": store}
