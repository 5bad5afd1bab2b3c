"""Every test here has a file of its own, in a home of its own."""

import shutil
from pathlib import Path

import pytest

import recollect
from recollect.surfaces.cli import session
from tests.surfaces.cli.runner import InProcess, Processes


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new store with nothing in it. A copy of it is there sooner than another new one."""
    path = tmp_path_factory.mktemp("store") / "memory.db"
    recollect.open(path, user="ada", worker=False).close()
    return path


@pytest.fixture
def no_file_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """Commands on a file that nobody made. The work that they do beside has time to be done."""
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    monkeypatch.setattr(session, "SPARE_SECONDS", 60.0)
    return InProcess(tmp_path / "memory.db")


@pytest.fixture
def cli(no_file_yet: InProcess, empty_store: Path) -> InProcess:
    """Commands on an empty store, in this process."""
    shutil.copy(empty_store, no_file_yet.db)
    return no_file_yet


@pytest.fixture
def process(tmp_path: Path, empty_store: Path, monkeypatch: pytest.MonkeyPatch) -> Processes:
    """Commands on an empty store, as processes of their own."""
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    made = Processes(tmp_path / "memory.db")
    shutil.copy(empty_store, made.db)
    return made
