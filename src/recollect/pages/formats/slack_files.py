"""Files of a Slack export, in a folder or an archive, by their names inside it.

Only existing names can be read, and only below the folder with the export's lists. Links are not
followed, and a file that claims to be larger than any real one is not opened.
"""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from recollect.vocabulary.errors import ImportFailed

LARGEST_FILE: Final = 512 * 1024 * 1024
MARKS: Final = ("channels.json", "users.json")


class ExportFiles(Protocol):
    """The files of one export."""

    def __contains__(self, name: object) -> bool:
        """Whether there is a file of that name."""
        ...

    def days(self) -> Iterator[tuple[str, str]]:
        """The folder and the name of each day's file."""
        ...

    def size(self, name: str) -> int:
        """Size of a file in bytes."""
        ...

    def read(self, name: str) -> bytes:
        """Content of a file."""
        ...

    def close(self) -> None:
        """Close the archive."""
        ...


class Folder:
    """An unpacked export."""

    def __init__(self, root: Path) -> None:
        found = {
            path.relative_to(root).as_posix(): path
            for pattern in ("*.json", "*/*.json")
            for path in root.glob(pattern)
            if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
        }
        self._found = found
        self._sizes = {name: path.stat().st_size for name, path in found.items()}

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def days(self) -> Iterator[tuple[str, str]]:
        return _days(self._found)

    def size(self, name: str) -> int:
        return self._sizes[name]

    def read(self, name: str) -> bytes:
        _check_size(name, self._sizes[name])
        try:
            return self._found[name].read_bytes()
        except OSError as error:
            raise ImportFailed(f"The file {name} cannot be read: {error.strerror}.") from error

    def close(self) -> None:
        """Do nothing: no file is kept open."""


class Archive:
    """An export as downloaded; a folder around everything is ignored."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise ImportFailed(f"The archive {path.name} cannot be opened: {error}.") from error
        self._found = _below_marks(self._archive.infolist())

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def days(self) -> Iterator[tuple[str, str]]:
        return _days(self._found)

    def size(self, name: str) -> int:
        return self._found[name].file_size

    def read(self, name: str) -> bytes:
        _check_size(name, self._found[name].file_size)
        try:
            return self._archive.read(self._found[name])
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
            raise ImportFailed(f"The file {name} cannot be unpacked: {error}.") from error

    def close(self) -> None:
        self._archive.close()


def _below_marks(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Regular files by name, relative to the folder with the lists."""
    plain = {entry.filename: entry for entry in entries if not entry.is_dir()}
    marks = [name for name in plain if name.rpartition("/")[2] in MARKS]
    if not marks:
        return {}
    nearest = min(marks, key=lambda name: (name.count("/"), name))
    root = nearest.removesuffix(nearest.rpartition("/")[2])
    return {
        name.removeprefix(root): entry for name, entry in plain.items() if name.startswith(root)
    }


def _days(names: "dict[str, Path] | dict[str, zipfile.ZipInfo]") -> Iterator[tuple[str, str]]:
    for name in names:
        folder, slash, file = name.partition("/")
        if slash and "/" not in file and file.endswith(".json") and folder not in (".", "..", ""):
            yield folder, name


def _check_size(name: str, size: int) -> None:
    if size > LARGEST_FILE:
        raise ImportFailed(f"The file {name} is larger than {LARGEST_FILE:,} bytes.")
