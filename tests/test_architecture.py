"""The rules of the house hold, and they bite.

A rule that never fails proves nothing. So each rule is asked twice: the real tree must pass, and a
small offence planted in a copy of it must be refused, with the name of the rule that refused it.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LINT_IMPORTS = Path(sysconfig.get_path("scripts")) / "lint-imports"

ROOMS = "A package imports only packages nearer the ground"
SETTINGS = "Settings are read in the composition root and the command line only"

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


@pytest.mark.parametrize(
    ("files", "contract", "evidence"),
    [
        pytest.param(
            {
                "vocabulary/planted.py": "from recollect.surfaces import planted_target\n",
                "surfaces/planted_target.py": "",
            },
            ROOMS,
            "recollect.vocabulary.planted -> recollect.surfaces.planted_target",
            id="upward",
        ),
        pytest.param(
            {
                "storage/planted.py": "def later() -> None:\n    from recollect import engine\n",
            },
            ROOMS,
            "recollect.storage.planted -> recollect.engine",
            id="upward, inside a function",
        ),
        pytest.param(
            {
                "trust/planted.py": "from recollect.jobs import planted_target\n",
                "jobs/planted_target.py": "",
            },
            ROOMS,
            "recollect.trust.planted -> recollect.jobs.planted_target",
            id="between neighbours",
        ),
        pytest.param(
            {"attic/planted.py": ""},
            ROOMS,
            "attic",
            id="a package nobody placed",
        ),
        pytest.param(
            {"pages/planted.py": "from recollect import settings\n"},
            SETTINGS,
            "recollect.pages.planted -> recollect.settings",
            id="settings read in a package",
        ),
    ],
)
def test_planted_import_is_refused(
    copied: Path, files: Files, contract: str, evidence: str
) -> None:
    plant(copied / "src", files)

    found = lint_imports(copied)

    assert found.returncode == 1, found.stdout + found.stderr
    assert f"{contract} BROKEN" in found.stdout
    assert evidence in found.stdout


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
