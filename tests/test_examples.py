"""Every example of the README and the documentation works as it is written.

Each page has a folder and a store of its own, prepared with what its examples speak of; the
commands are run one after the other in this process. Ids that an example makes up stand for the
newest thing of their kind.
"""

import json
import os
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import recollect
from recollect.surfaces.cli.app import app
from recollect.surfaces.rest.application import application
from tests.codegraph.projects import SHOP, git, write
from tests.examples import (
    FIVE_USES,
    KINDS,
    ONLY_COMPILED,
    PAGES,
    ROOT,
    SHOWN,
    Block,
    blocks,
    commands,
    why_only_parsed,
)
from tests.surfaces.rest.running import Running

NEWEST = {
    "mem": "SELECT memory_id FROM memories ORDER BY created_at DESC",
    "evt": "SELECT event_id FROM events ORDER BY recorded_at",
    "con": "SELECT contradiction_id FROM contradictions",
    "ngt": "SELECT run_id FROM evolution_runs",
    "rcl": "SELECT shown FROM access_tokens",
}


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    recollect.open(path, user="ada", worker=False).close()
    return path


@pytest.fixture
def folder(
    tmp_path: Path, empty_store: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Where a page's examples are run: a store, and a home of its own."""
    shutil.copy(empty_store, tmp_path / "memory.db")
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "memory.db"))
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.chdir(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    unknown = [f"{one.line}: {one.kind!r}" for one in blocks(page) if one.kind not in KINDS]
    assert not unknown


WITH_COMMANDS = [
    page for page in PAGES if any(one.kind in {"sh", "console"} for one in blocks(page))
]
WITH_PYTHON = [page for page in PAGES if any(one.kind == "python" for one in blocks(page))]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_every_command_works(page: Path, folder: Path) -> None:
    PREPARED.get(page.name, _nothing)(folder)
    shell = Shell(folder)
    try:
        for block in blocks(page):
            if block.kind in {"sh", "console"}:
                said, name = "", ""
                for words in commands(block):
                    said, name = shell.run(block, words), words[1]
                if page.name == "index.md":
                    assert FIVE_USES[name] in said
    finally:
        shell.close()


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_every_python_block_runs(
    page: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [one for one in blocks(page) if one.kind == "python"]
    with recollect.open(folder / "python.db", user="ada", worker=False) as memory:
        names = {"memory": memory, **NAMES.get(page.name, _no_names)(memory, folder)}
        for place, block in enumerate(found):
            text = block.text.replace("4k2m9x1z", str(names.get("short_id", "")))
            code = compile("\n" * block.line + text, block.page, "exec")
            if (block.page, place) not in ONLY_COMPILED:
                exec(code, names)
        for ended in reversed(names.get("ends", [])):
            ended()
    if page.name == "README.md":
        assert "The staging database is reset every night." in capsys.readouterr().out


@pytest.mark.parametrize(
    "block",
    [one for page in PAGES for one in blocks(page) if one.kind == "json"],
    ids=lambda block: f"{block.page}:{block.line}",
)
def test_every_document_is_read_and_has_the_shape_it_shows(block: Block) -> None:
    document = json.loads(block.text)
    if "error" in document:
        shape = {"code", "message", "hint"}
        more = {"request_id", "details"} if block.page == "server.md" else set()
        assert set(document["error"]) == shape | more
    else:
        (server,) = document["mcpServers"].values()
        assert server["command"] == "recollect"
        _parsed(server["args"])


class Shell:
    """Runs commands in one folder, as somebody would type them one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runner = CliRunner()
        self._server: tuple[Running, recollect.Recollect] | None = None

    def run(self, block: Block, words: list[str]) -> str:
        """One command; it must end well, or be one that is only read. What ours said."""
        place = f"{block.page}:{block.line}: {' '.join(words)}"
        settings = {}
        while words and (found := re.fullmatch(r"(RECOLLECT_\w+)=(.*)", words[0])):
            settings[found[1]] = found[2]
            words = words[1:]
        first, rest = words[0], words[1:]
        if first == "recollect":
            return self._recollect(place, rest, settings)
        if first == "curl":
            self._curl(place, rest)
        else:
            assert first in OTHERS, f"{place}: nobody knows how to run this"
            OTHERS[first](rest)
        return ""

    def close(self) -> None:
        """Stop the server, where there is one."""
        if self._server is not None:
            self._server[0].stop()
            self._server[1].close()

    def _recollect(self, place: str, words: list[str], settings: dict[str, str]) -> str:
        if why_only_parsed(words) is not None or settings:
            _parsed(words)
            return ""
        given = [self._real(word) for word in words]
        done = self._runner.invoke(app, given, catch_exceptions=False)
        assert done.exit_code == 0, f"{place}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _real(self, word: str) -> str:
        """The word, or the newest id of its kind where an example made one up."""
        found = re.fullmatch(r"(mem|evt|con|ngt|rcl)_[\w.]*", word)
        if found is None:
            return word
        with sqlite3.connect(self.folder / "memory.db") as store:
            row = store.execute(f"{NEWEST[found[1]]} LIMIT 1").fetchone()
        assert row is not None, f"there is nothing that {word} could stand for"
        return str(row[0])

    def _curl(self, place: str, words: list[str]) -> None:
        (address,) = (word for word in words if word.startswith("http"))
        path = urlsplit(address).path
        body = words[words.index("-d") + 1] if "-d" in words else None
        if self._server is None:
            memory = recollect.open(self.folder / "memory.db", user="ada", worker=False)
            self._server = Running(application(memory)), memory
        sent = None if body is None else json.loads(body)
        got = self._server[0]("GET" if body is None else "POST", path, sent)
        assert got.status < 300, f"{place}\n{got.body.decode()}"


def _parsed(words: list[str]) -> None:
    """Let the command line read the words, and do nothing."""
    command: Any = get_command(app)
    context = command.make_context("recollect", list(words))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


def _installs(words: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = re.findall(r"\[([\w,]+)\]", " ".join(words))
    extras = {extra for names in wanted for extra in names.split(",")}
    assert extras <= set(project["optional-dependencies"])


def _makes(words: list[str]) -> None:
    (target, *_) = words
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def _imports(words: list[str]) -> None:
    assert words[0] == "-m"
    assert find_spec(words[1]) is not None


def _goes(words: list[str]) -> None:
    assert len(words) == 1


#: Other programs than ours, and what is checked of them instead of running them.
OTHERS: dict[str, Callable[[list[str]], None]] = {
    "cd": _goes,
    "export": _goes,
    "make": _makes,
    "pip": _installs,
    "pipx": _installs,
    "python": _imports,
    "uv": _installs,
}


def _nothing(folder: Path) -> None:
    return


def _no_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    return {}


def _slack(folder: Path) -> None:
    import zipfile

    with zipfile.ZipFile(folder / "slack-export.zip", "w") as packed:
        packed.writestr("users.json", json.dumps([{"id": "U1", "name": "ada"}]))
        packed.writestr("channels.json", json.dumps([{"id": "C1", "name": "general"}]))
        said = ("How do we deploy billing?", "1714550400.000100"), ("With make.", "1714550460.0001")
        messages = [{"type": "message", "user": "U1", "text": t, "ts": at} for t, at in said]
        packed.writestr("general/2024-05-01.json", json.dumps(messages))


def _histories(folder: Path) -> None:
    import gzip

    _slack(folder)
    line = json.dumps({"text": "It rains.", "author": "bo", "at": "2026-05-04T12:30:00Z"}) + "\n"
    for name in ("chat.jsonl", "forum.jsonl"):
        (folder / name).write_text(line)
    (folder / "log.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    with _opened(folder) as memory:
        memory.remember("The harbour closes at nine.")
        (folder / "export.json").write_text("".join(memory.export()))
    _mem0(folder)


def _mem0(folder: Path) -> None:
    kept = {"results": [{"id": "1", "memory": "Likes tea.", "user_id": "alice"}]}
    (folder / "alice.json").write_text(json.dumps(kept))


def _project(folder: Path) -> None:
    write(folder, {**SHOP, "src/app.py": "def run():\n    return 1\n"})
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "tag", "v1.2")


def _people(folder: Path) -> None:
    with _opened(folder, space="works") as memory:
        memory.remember("The build needs node 20.", visibility="project")


def _person(folder: Path) -> None:
    with _opened(folder) as memory:
        memory.add_member("dan")
    with _opened(folder, user="dan") as memory:
        memory.remember("The build needs node 20.")


def _workspace(folder: Path) -> None:
    _slack(folder)
    (folder / "knowledge.csv").write_text("question,answer\nHow do we test?,With make test.\n")
    _talk(folder)


def _talk(folder: Path) -> None:
    with _opened(folder) as memory:
        memory.record("How do we deploy billing?", stream="general", author="ada")
        memory.record("With make deploy, after the tests.", stream="general", author="bob")


def _opened(folder: Path, **options: Any) -> recollect.Recollect:
    return recollect.open(folder / "memory.db", worker=False, **{"user": "ada", **options})


def _readme(folder: Path) -> None:
    _slack(folder)
    _project(folder)


PREPARED: dict[str, Callable[[Path], None]] = {
    "README.md": _readme,
    "agents.md": _project,
    "codegraph.md": _project,
    "importing.md": _histories,
    "index.md": _project,
    "mem0.md": _mem0,
    "people.md": _people,
    "privacy.md": _person,
    "workspace.md": _workspace,
}


def _chat_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    return {"said_at": datetime(2026, 11, 16, 9, tzinfo=UTC)}


def _context_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    return {"short_id": memory.remember("Tokens expire after an hour.").id}


def _event_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    event = memory.record("How do we deploy billing?", stream="general", author="ada")
    memory.record("With make deploy.", stream="general", author="bob", reply_to=event.id)
    return {"event": event, "question": "How do we deploy billing?", "answer": "With make deploy."}


def _research_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    memory.record("I moved to Lisbon last week.", stream="general", author="Ada")
    return {}


def _recall_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    memory.remember("The staging database is wiped every night.")
    return {}


def _observer_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    from recollect.observer.observer import Observer
    from recollect.vocabulary.acts import Act, ActKind

    said = datetime(2026, 11, 16, 9, tzinfo=UTC)
    return {"Observer": Observer, "act": Act("session 7", 1, ActKind.PROMPT, said, "hello")}


def _storage_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    from recollect.storage.database import Database
    from recollect.storage.memories.reads import get_memories
    from recollect.trust.authorisation import authorise

    with _opened(folder) as other:
        kept = other.remember("The harbour closes at nine.")
        return {
            "Database": Database,
            "authorise": authorise,
            "get_memories": get_memories,
            "viewer": other.viewer,
            "space": other.space,
            "memory_id": kept.id,
        }


def _job_names(memory: recollect.Recollect, folder: Path) -> dict[str, Any]:
    from recollect.jobs.tidy import Tidy
    from recollect.jobs.worker import Worker
    from recollect.storage.database import Database
    from recollect.vocabulary.clock import system_clock
    from recollect.vocabulary.jobs import TIDY

    database = Database(str(folder / "memory.db"))
    return {
        "Worker": Worker,
        "database": database,
        "embed": Tidy(system_clock),
        "TIDY": TIDY,
        "Tidy": Tidy,
        "clock": system_clock,
        "ends": [database.close],
    }


NAMES: dict[str, Callable[[recollect.Recollect, Path], dict[str, Any]]] = {
    "chat.md": _chat_names,
    "context.md": _context_names,
    "jobs.md": _job_names,
    "observer.md": _observer_names,
    "recall.md": _recall_names,
    "research.md": _research_names,
    "storage.md": _storage_names,
    "workspace.md": _event_names,
}


def test_whatever_is_not_run_has_a_reason() -> None:
    shown = {kind for page in PAGES for kind in {one.kind for one in blocks(page)} & set(SHOWN)}
    assert shown == set(SHOWN)  # a kind that is nowhere needs no reason
    compiled = {
        (page.name, place)
        for page in WITH_PYTHON
        for place, _ in enumerate(one for one in blocks(page) if one.kind == "python")
    }
    assert set(ONLY_COMPILED) <= compiled
