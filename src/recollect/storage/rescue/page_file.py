"""Reads the pages of a SQLite file from the disk, with its write-ahead log applied.

Nothing is locked and nothing is written. A page that cannot be read is None: past the end of a
truncated file, or where the disk reports an error. Of the log only committed frames count, up to
the first with a wrong checksum, as in SQLite itself.
"""

import os
import struct
from pathlib import Path
from typing import Final

MAGIC: Final = b"SQLite format 3\x00"
HEADER: Final = 100
USUAL_PAGE: Final = 4_096
_SMALLEST_PAGE: Final = 512
_LARGEST_PAGE: Final = 65_536
_WAL_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_WAL_MAGIC: Final = 0x377F0682
_WORD: Final = 0xFFFFFFFF


class PageFile:
    """One database file, opened for reading only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._journal: int | None = None
        try:
            self._length = os.fstat(self._file).st_size
            head = self._bytes(self._file, 0, HEADER)
            self.has_header = head[: len(MAGIC)] == MAGIC
            self._frames: dict[int, int] = {}
            self._committed = 0
            wal = self._open_journal()
            self.page_size = _page_size(head) or wal or USUAL_PAGE
            reserved = head[20] if len(head) == HEADER and self.has_header else 0
            self.usable = self.page_size - (reserved if reserved <= 32 else 0)
            self.count = self._committed or -(-self._length // self.page_size)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files."""
        for file in (self._file, self._journal):
            if file is not None:
                os.close(file)
        self._journal = None

    @property
    def journal_pages(self) -> int:
        """Number of pages of which the journal has a newer version than the file."""
        return len(self._frames)

    def page(self, number: int) -> bytes | None:
        """A page by its number, from 1; None if it is not complete."""
        if not 1 <= number <= self.count:
            return None
        frame = self._frames.get(number)
        if frame is not None and self._journal is not None:
            found = self._bytes(self._journal, frame, self.page_size)
        else:
            found = self._bytes(self._file, (number - 1) * self.page_size, self.page_size)
        return found if len(found) == self.page_size else None

    def _open_journal(self) -> int | None:
        """Find the newest committed version of each page in the journal; its page size."""
        try:
            self._journal = os.open(f"{self.path}-wal", os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError:
            return None
        head = self._bytes(self._journal, 0, _WAL_HEADER)
        if len(head) < _WAL_HEADER:
            return None
        magic, _, size = struct.unpack(">III", head[:12])
        if magic & ~1 != _WAL_MAGIC or not _is_page_size(size):
            return None
        order = ">" if magic & 1 else "<"
        sums = _checksum(head[:24], order, (0, 0))
        if sums != struct.unpack(">II", head[24:32]):
            return None
        self._read_frames(size, order, head[16:24], sums)
        return int(size)

    def _read_frames(self, size: int, order: str, salts: bytes, sums: tuple[int, int]) -> None:
        """Read the frames of every completely committed transaction."""
        journal, place, pending = self._journal, _WAL_HEADER, dict[int, int]()
        assert journal is not None  # noqa: S101 - the caller has just opened it
        while True:
            frame = self._bytes(journal, place, _FRAME_HEADER + size)
            if len(frame) < _FRAME_HEADER + size or frame[8:16] != salts:
                return
            sums = _checksum(frame[:8], order, sums)
            sums = _checksum(frame[_FRAME_HEADER:], order, sums)
            if sums != struct.unpack(">II", frame[16:24]):
                return
            number, committed = struct.unpack(">II", frame[:8])
            pending[number] = place + _FRAME_HEADER
            if committed:
                self._frames.update(pending)
                self._committed = committed
                pending = {}
            place += _FRAME_HEADER + size

    @staticmethod
    def _bytes(file: int, place: int, length: int) -> bytes:
        """As many bytes as can be read there."""
        try:
            if hasattr(os, "pread"):
                return os.pread(file, length, place)
            os.lseek(file, place, os.SEEK_SET)
            return os.read(file, length)
        except OSError:
            return b""


def _page_size(head: bytes) -> int | None:
    if len(head) < HEADER:
        return None
    size = int.from_bytes(head[16:18], "big")
    size = _LARGEST_PAGE if size == 1 else size
    return size if _is_page_size(size) else None


def _is_page_size(size: int) -> bool:
    return _SMALLEST_PAGE <= size <= _LARGEST_PAGE and size & (size - 1) == 0


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """The running checksum of SQLite's journal."""
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for word in words:
        first = (first + word + second) & _WORD
        second = (second + next(words) + first) & _WORD
    return first, second
