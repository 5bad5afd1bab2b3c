"""Event spool on disk: an append-only log of hook events, read in order, emptied once stored.

A frame begins with a marker that JSON cannot contain, then its name, its length, its harness and
its event. A writer that died half-way leaves a torn frame: it is skipped, and the next complete one
is found by its marker. Large segments are closed, and removed when all of their sessions have been
stored elsewhere.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from recollect.vocabulary.files import keep_private, private_file

FRAME_START: Final = b"\x1e"
LARGE: Final = 8_000_000
MAX_NAMES: Final = 5_000
_HEAD: Final = 400


class SpoolPosition(NamedTuple):
    """Position in the spool: number of a segment and offset into it."""

    segment: int
    offset: int


class Frame(NamedTuple):
    """One event as it was written to the spool."""

    name: str
    harness: str
    event: str
    payload: bytes
    end: SpoolPosition


class Spool:
    """Reads the spool of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for file in folder.glob("spool*"):
            keep_private(file)
        numbers = self._set_aside()
        self._current = max(numbers[-1] + 1 if numbers else 0, self._after())
        self._at = SpoolPosition(numbers[0] if numbers else self._current, 0)
        self.torn = 0
        #: Names of frames already returned: a frame that was written twice is returned once.
        self._given: dict[str, None] = {}

    @property
    def at(self) -> SpoolPosition:
        """Position up to which the spool was read."""
        return self._at

    def new(self) -> Iterator[Frame]:
        """Frames that arrived since the last call; each is returned once."""
        while True:
            yield from self._segment()
            if self._at.segment >= self._current:
                return
            later = [number for number in self._set_aside() if number > self._at.segment]
            self._at = SpoolPosition(later[0] if later else self._current, 0)

    def size(self) -> int:
        """Size of the spool in bytes."""
        paths = [self._path(number) for number in (*self._set_aside(), self._current)]
        return sum(path.stat().st_size for path in paths if path.exists())

    def turn(self) -> None:
        """Close a large segment, so that writers begin a new one."""
        path = self._folder / "spool"
        try:
            opened = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            if os.fstat(opened).st_size < LARGE:
                return
            self._close(path)
        finally:
            os.close(opened)

    def _close(self, path: Path) -> None:
        """Set the current segment aside. A number is never used twice, whenever the process dies:
        sessions would take new events for old ones."""
        path.rename(self._folder / f"spool.{self._current:08d}")
        self._current += 1
        _write(self._folder / "spool.next", str(self._current))

    def delete_before(self, before: SpoolPosition) -> None:
        """Remove the segments that end before a position."""
        old = [number for number in self._set_aside() if number < before.segment]
        if old and self._after() < self._current:  # its writer died before it wrote the number
            _write(self._folder / "spool.next", str(self._current))
        for number in old:
            path = self._path(number)
            with contextlib.suppress(FileNotFoundError):
                os.truncate(path, 0)
                path.unlink()

    def clear(self) -> bool:
        """Empty the current segment if all of it has been read; return whether it was emptied."""
        path = self._folder / "spool"
        try:
            opened = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            read = self._at == SpoolPosition(self._current, os.fstat(opened).st_size)
            if not read or self._set_aside():
                return False
            self._close(path)
            self._at = SpoolPosition(self._current, 0)
            self.delete_before(self._at)
            return True
        finally:
            os.close(opened)

    def _segment(self) -> Iterator[Frame]:
        number, offset = self._at
        try:
            with self._path(number).open("rb") as file:
                file.seek(offset)
                data = file.read()
        except FileNotFoundError:
            return
        start = 0
        while (start := data.find(FRAME_START, start)) >= 0:
            frame = frame_at(data, start)
            if frame is None:
                if data.find(FRAME_START, start + 1) < 0:
                    break  # it may still be being written
                self.torn += 1
                start += 1
                continue
            start, parts = frame
            self._at = SpoolPosition(number, offset + start)
            if parts[0] not in self._given:
                self._given[parts[0]] = None
                if len(self._given) > MAX_NAMES:
                    self._given.pop(next(iter(self._given)))
                yield Frame(*parts, self._at)

    def _path(self, number: int) -> Path:
        aside = self._folder / f"spool.{number:08d}"
        return aside if number < self._current else self._folder / "spool"

    def _set_aside(self) -> list[int]:
        found = (path.suffix[1:] for path in self._folder.glob("spool.*"))
        return sorted(int(number) for number in found if number.isdigit())

    def _after(self) -> int:
        """Number of the current segment when none was closed."""
        try:
            return int((self._folder / "spool.next").read_text())
        except (OSError, ValueError):
            return 0


def frame_at(data: bytes, start: int) -> tuple[int, tuple[str, str, str, bytes]] | None:
    """Frame that begins at an offset, and where it ends; None when it is incomplete."""
    line = data.find(b"\n", start, start + _HEAD)
    if line < 0:
        return None
    parts = data[start + 1 : line].split(b" ")
    if len(parts) != 4 or not parts[1].isdigit() or FRAME_START in parts[0]:
        return None
    end = line + 1 + int(parts[1])
    if data[end : end + 1] != b"\n" or data.find(FRAME_START, line, end) >= 0:
        return None  # truncated, or the next frame begins inside it
    name, _, harness, event = (part.decode("ascii", "replace") for part in parts)
    return end + 1, (name, harness, event, data[line + 1 : end])


def _write(path: Path, text: str) -> None:
    with private_file(path) as file:
        file.write(text)
