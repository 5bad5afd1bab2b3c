"""The rules of the house hold, and they bite.

A rule that never fails proves nothing. So each rule is asked twice: the real tree must pass, and a
small offence planted in a copy of it must be refused, with the name of the rule that refused it.
"""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LINT_IMPORTS = Path(sysconfig.get_path("scripts")) / "lint-imports"

PACKAGES = "A package imports only packages nearer the ground"
SETTINGS = "Settings are read in the composition root and the command line only"
SURFACES = "Surfaces import the engine and the vocabulary"
COMPOSITION = "The composition root is imported where a surface opens an engine"
APART = "Surfaces do not import each other"
CYCLES = "Modules side by side have no cycles"
CHAT = "Personal memory is read from its words up to its conversation"
MOVES = "Moves and rescues of stores are started by the composition root"

LIBRARIES = "import fastapi, httpx2, mcp, sqlalchemy, tree_sitter"
#: A module, what is planted in it, the contract that refuses it, and what the report names. All of
#: them go into one tree, so that the whole set costs one run.
PLANTED: Sequence[tuple[str, str, str, str]] = (
    (
        "vocabulary/planted_up.py",
        "from recollect.surfaces import cli",
        PACKAGES,
        "recollect.vocabulary.planted_up -> recollect.surfaces.cli",
    ),
    (
        "storage/planted_inside.py",
        "def later() -> None:\n    from recollect import engine",
        PACKAGES,
        "recollect.storage.planted_inside -> recollect.engine",
    ),
    (
        "trust/planted_beside.py",
        "from recollect.jobs import worker",
        PACKAGES,
        "recollect.trust.planted_beside -> recollect.jobs.worker",
    ),
    (
        "chat/language/planted.py",
        "from recollect.chat.answers import answer_finder",
        CHAT,
        "recollect.chat.language.planted -> recollect.chat.answers.answer_finder",
    ),
    (
        "pages/planted_settings.py",
        "from recollect import settings",
        SETTINGS,
        "recollect.pages.planted_settings -> recollect.settings",
    ),
    (
        "surfaces/rest/planted.py",
        "from recollect.recall import search",
        SURFACES,
        "recollect.surfaces.rest.planted -> recollect.recall.search",
    ),
    (
        "surfaces/rest/planted_root.py",
        "from recollect import composition",
        COMPOSITION,
        "recollect.surfaces.rest.planted_root -> recollect.composition",
    ),
    (
        "surfaces/mcp/planted_apart.py",
        "from recollect.surfaces.rest import bodies",
        APART,
        "recollect.surfaces.mcp.planted_apart -> recollect.surfaces.rest.bodies",
    ),
    (
        "recall/planted_one.py",
        "from recollect.recall import planted_two",
        CYCLES,
        "planted_",
    ),
    (
        "recall/planted_two.py",
        "from recollect.recall import planted_one",
        CYCLES,
        "No cycles are allowed in recollect.recall.",
    ),
    (
        "codegraph/planted_pages.py",
        "from recollect.storage.pages import events",
        "Tables of pages are used by pages",
        "recollect.codegraph.planted_pages -> recollect.storage.pages.events",
    ),
    (
        "pages/planted_memories.py",
        "from recollect.storage.memories import rows",
        "Tables of memories are used by memories",
        "recollect.pages.planted_memories -> recollect.storage.memories.rows",
    ),
    (
        "pages/planted_code.py",
        "from recollect.storage.code import graph",
        "Tables of code are used by codegraph",
        "recollect.pages.planted_code -> recollect.storage.code.graph",
    ),
    (
        "memories/planted_agents.py",
        "from recollect.storage.agents import sessions",
        "Tables of agents are used by observer and context",
        "recollect.memories.planted_agents -> recollect.storage.agents.sessions",
    ),
    (
        "codegraph/planted_chat.py",
        "from recollect.storage.chat import audit",
        "Tables of personal memory are used by chat",
        "recollect.codegraph.planted_chat -> recollect.storage.chat.audit",
    ),
    (
        "codegraph/planted_access.py",
        "from recollect.storage.access import tokens",
        "Tables of access are used by trust",
        "recollect.codegraph.planted_access -> recollect.storage.access.tokens",
    ),
    (
        "observer/planted_search.py",
        "from recollect.storage.search import places",
        "Tables of search are used by index and recall",
        "recollect.observer.planted_search -> recollect.storage.search.places",
    ),
    (
        "observer/planted_research.py",
        "from recollect.storage.research import log",
        "Tables of research are used by research",
        "recollect.observer.planted_research -> recollect.storage.research.log",
    ),
    (
        "evolution/planted_sync.py",
        "from recollect.storage.sync import items",
        "Tables of sync are used by sync",
        "recollect.evolution.planted_sync -> recollect.storage.sync.items",
    ),
    (
        "evolution/planted_above.py",
        "from recollect.sync import records",
        "A package imports only packages nearer the ground",
        "recollect.evolution.planted_above -> recollect.sync.records",
    ),
    (
        "pages/planted_nights.py",
        "from recollect.storage.evolution import runs",
        "Tables of evolution are used by evolution",
        "recollect.pages.planted_nights -> recollect.storage.evolution.runs",
    ),
    (
        "pages/planted_metrics.py",
        "from recollect.storage.metrics import figures",
        "Tables of metrics are used by metrics",
        "recollect.pages.planted_metrics -> recollect.storage.metrics.figures",
    ),
    (
        "pages/planted_workspace.py",
        "from recollect.storage.workspace import memos",
        "Statements of the workspace are used by workspace",
        "recollect.pages.planted_workspace -> recollect.storage.workspace.memos",
    ),
    (
        "pages/planted_jobs.py",
        "from recollect.storage.jobs import queue",
        "Tables of jobs are used by jobs",
        "recollect.pages.planted_jobs -> recollect.storage.jobs.queue",
    ),
    (
        "engine/planted_budgets.py",
        "from recollect.storage.inference import budgets",
        "Tables of inference are used by inference",
        "recollect.engine.planted_budgets -> recollect.storage.inference.budgets",
    ),
    (
        "engine/planted_move.py",
        "from recollect.storage.move import move",
        MOVES,
        "recollect.engine.planted_move -> recollect.storage.move.move",
    ),
    (
        "engine/planted_rescue.py",
        "from recollect.storage.rescue import rescue",
        MOVES,
        "recollect.engine.planted_rescue -> recollect.storage.rescue.rescue",
    ),
    (
        "memories/planted_database.py",
        "from sqlalchemy.engine import Engine",
        "The database enters by storage",
        "recollect.memories.planted_database -> sqlalchemy",
    ),
    (
        "recall/planted_http.py",
        "import httpx2",
        "The HTTP client enters by inference",
        "recollect.recall.planted_http -> httpx2",
    ),
    (
        "surfaces/mcp/planted_web.py",
        "from fastapi import FastAPI",
        "The web framework enters by the REST surface and the panel",
        "recollect.surfaces.mcp.planted_web -> fastapi",
    ),
    (
        "pages/planted_parser.py",
        "import tree_sitter",
        "The parsers enter by codegraph",
        "recollect.pages.planted_parser -> tree_sitter",
    ),
    (
        "surfaces/cli/planted_mcp.py",
        "from mcp.server import MCPServer",
        "The MCP library enters by the MCP surface",
        "recollect.surfaces.cli.planted_mcp -> mcp",
    ),
    # A package that no contract names by itself is held to the same.
    *(
        ("evolution/planted_libraries.py", text, contract, f"planted_libraries -> {library}")
        for text, contract, library in (
            (LIBRARIES, "The database enters by storage", "sqlalchemy"),
            (LIBRARIES, "The HTTP client enters by inference", "httpx2"),
            (LIBRARIES, "The web framework enters by the REST surface and the panel", "fastapi"),
            (LIBRARIES, "The parsers enter by codegraph", "tree_sitter"),
            (LIBRARIES, "The MCP library enters by the MCP surface", "mcp"),
        )
    ),
    (
        "surfaces/panel/planted_database.py",
        "import psycopg",
        "The database enters by storage",
        "recollect.surfaces.panel.planted_database -> psycopg",
    ),
)

Files = Mapping[str, str]


def plant(source: Path, files: Files) -> None:
    """Write the files below `recollect`, turning each folder on the way into a package."""
    for name, text in files.items():
        path = source / "recollect" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in (path.parent, *path.parent.parents):
            if folder == source:
                break
            (folder / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")


def lint_imports(repository: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache", "--config", repository / "pyproject.toml"],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def ruff(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", *options, "src"],
        cwd=repository,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The real tree and its rules, somewhere an offence does no harm."""
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    shutil.copytree(
        REPOSITORY / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """The rules alone, with nothing in the house yet."""
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def test_imports_of_the_real_tree_point_one_way() -> None:
    found = lint_imports(REPOSITORY)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say of the real tree with every planted offence in it."""
    repository = tmp_path_factory.mktemp("planted")
    shutil.copy(REPOSITORY / "pyproject.toml", repository)
    shutil.copytree(
        REPOSITORY / "src", repository / "src", ignore=shutil.ignore_patterns("__pycache__")
    )
    plant(repository / "src", {name: f"{text}\n" for name, text, _, _ in PLANTED})
    found = lint_imports(repository)
    assert found.returncode == 1, found.stdout + found.stderr
    return found.stdout


def contracts() -> set[str]:
    """The names of all contracts."""
    rules = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    return {one["name"] for one in rules["tool"]["importlinter"]["contracts"]}


def reasons(report: str, contract: str) -> str:
    """What a report names under a contract that is broken: from its heading to the next."""
    _, _, told = report.partition("Broken contracts\n")
    lines = iter(told.splitlines())
    assert contract in lines, f"{contract} is not broken"
    return "\n".join(takewhile(lambda line: line not in contracts(), lines))


@pytest.mark.parametrize(
    ("contract", "evidence"),
    [pytest.param(contract, evidence, id=name) for name, _, contract, evidence in PLANTED],
)
def test_planted_import_is_refused(refused: str, contract: str, evidence: str) -> None:
    """By its own contract: another one that names the same import would not do."""
    assert f"{contract} BROKEN" in refused
    assert evidence in reasons(refused, contract).replace("(", " (")


def test_every_contract_has_a_planted_offence() -> None:
    assert contracts() == {contract for _, _, contract, _ in PLANTED}


def test_a_broken_contract_fails_the_check() -> None:
    """``make check`` runs the program that refuses the planted imports, and ends as it does."""
    recipe = (REPOSITORY / "Makefile").read_text("utf-8").partition("\ncheck:")[2].split("\n\n")[0]
    assert "\t@$(BIN)/lint-imports" in recipe.splitlines()


def test_package_that_nobody_placed_is_refused(copied: Path) -> None:
    plant(copied / "src", {"attic/planted.py": ""})

    found = lint_imports(copied)

    assert found.returncode == 1, found.stdout + found.stderr
    assert f"{PACKAGES} BROKEN" in found.stdout
    assert "attic" in found.stdout


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        pytest.param("memories/planted.py", "import sqlalchemy\n", "TID251", id="a database"),
        pytest.param(
            "memories/planted.py",
            "from sqlalchemy.engine import Engine\n",
            "TID251",
            id="part of a database",
        ),
        pytest.param(
            "memories/planted.py",
            "from importlib import import_module\n",
            "TID251",
            id="a dynamic import",
        ),
        pytest.param(
            "memories/planted.py",
            "from datetime import datetime\n\nNOW = datetime.now()\n",
            "DTZ005",
            id="a naive time",
        ),
        pytest.param("memories/planted.py", "print('hello')\n", "T201", id="a print"),
        pytest.param(
            "memories/planted.py",
            "try:\n    VALUE = int('1')\nexcept Exception:\n    VALUE = 0\n",
            "BLE001",
            id="a blind except",
        ),
    ],
)
def test_planted_line_is_refused(empty: Path, name: str, text: str, rule: str) -> None:
    plant(empty / "src", {name: text})

    found = ruff(empty, "--output-format=concise")

    assert found.returncode == 1, found.stdout + found.stderr
    assert rule in found.stdout


def test_folder_that_is_no_package_is_refused(empty: Path) -> None:
    plant(empty / "src", {"memories/planted.py": ""})
    (empty / "src/recollect/memories/__init__.py").unlink()

    assert "INP001" in ruff(empty, "--output-format=concise").stdout


def test_storage_may_know_the_database(empty: Path) -> None:
    plant(empty / "src", {"storage/planted.py": "import sqlalchemy\n"})

    assert "TID251" not in ruff(empty, "--output-format=concise").stdout


def test_no_package_imports_dynamically() -> None:
    """Storage is exempt from the list of banned names, which holds this one too: ask on its own."""
    banned = 'lint.flake8-tidy-imports.banned-api."importlib.import_module".msg = "Write it out."'

    found = ruff(REPOSITORY, "--isolated", "--select=TID251", "--config", banned)

    assert found.returncode == 0, found.stdout + found.stderr


def test_nothing_calls_the_import_function_by_hand() -> None:
    found = [
        f"{path.name}:{node.lineno}"
        for path in (REPOSITORY / "src").rglob("*.py")
        if "__import__" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id == "__import__"
    ]
    assert found == []


def test_the_contributors_list_of_packages_is_the_checked_one() -> None:
    configuration = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = configuration["tool"]["importlinter"]["contracts"]
    checked = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = text.split("```text\n", 1)[1].split("```", 1)[0].splitlines()
    assert [line.split("  ", 1)[0] for line in listed] == checked
