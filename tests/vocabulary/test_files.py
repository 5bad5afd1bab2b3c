"""What is kept is for its owner's eyes: files 0600 and folders 0700, whatever the umask is."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.settings import default_database, write_file
from recollect.surfaces.cli.commands.export import write_whole
from recollect.surfaces.hooks.spool import Spool
from recollect.vocabulary.errors import StoreError
from recollect.vocabulary.files import keep_private, private_file, private_folder
from tests.embedders import WordEmbedder


@pytest.fixture(autouse=True, params=[0o000, 0o022])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: mode(path) for path in folder.iterdir()}


def test_a_new_store_and_its_journals_are_its_owner_s() -> None:
    path = Path(default_database())
    assert not path.parent.parent.exists()
    with recollect.open(user="ada", embedder=WordEmbedder(), worker=False) as memory:
        memory.remember("the word is marzipan")
        assert {"memory.db", "memory.db-wal", "memory.db-shm"} <= modes(path.parent).keys()
        assert set(modes(path.parent).values()) == {0o600}
    assert [mode(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]


def test_a_store_from_before_is_mended_when_it_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "recollect"
    folder.mkdir()
    path = folder / "memory.db"
    with recollect.open(path, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        memory.remember("the word is marzipan")
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.chmod(0o644)
        with recollect.open(path, user="ada", embedder=WordEmbedder(), worker=False):
            assert set(modes(folder).values()) == {0o600}
            assert mode(folder) == 0o700


def test_folders_of_others_are_left_as_they_are(tmp_path: Path) -> None:
    shared = tmp_path / "project"
    shared.mkdir()
    shared.chmod(0o755)
    recollect.open(shared / "memory.db", user="ada", embedder=WordEmbedder(), worker=False).close()
    assert mode(shared) == 0o755
    assert mode(shared / "memory.db") == 0o600
    keep_private(shared)
    assert mode(shared) == 0o755


def test_exports_settings_and_spools_are_their_owner_s(tmp_path: Path) -> None:
    home = tmp_path / "home"
    private_folder(home)
    write_whole(home / "export.json", ["{}"], over=False, private=True)
    write_file(home / "settings.toml", {"user": "ada"})
    (home / "spool").write_bytes(b"words")
    (home / "spool").chmod(0o644)
    Spool(home)
    with private_file(home / "notes") as file:
        file.write("words")
    assert set(modes(home).values()) == {0o600}
    assert mode(home) == 0o700


def test_a_file_system_without_writing_names_the_file_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), ".export.json.new")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreError, match=r"/export\.json could not be written: Read-only"):
        write_whole(tmp_path / "export.json", ["{}"], over=False)
