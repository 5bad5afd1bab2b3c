"""Decodes the cells of a page and their records, by SQLite's file format.

Anything invalid is ``UnreadablePage``: a length that leads out of the page, text that is not valid,
a chain of overflow pages that ends too soon.
"""

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from recollect.storage.rescue.page_file import HEADER, PageFile

TABLE_LEAF: Final = 0x0D
TABLE_INNER: Final = 0x05
INDEX_LEAF: Final = 0x0A
INDEX_INNER: Final = 0x02
KINDS: Final = frozenset({TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER})
_INNER: Final = frozenset({TABLE_INNER, INDEX_INNER})
_MAX_COLUMNS: Final = 2_000
_LARGEST_RECORD: Final = 1_000_000_000
_SIZES: Final = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)

Record = tuple[Any, ...]


class UnreadablePage(Exception):
    """The page is not a valid page of the expected kind."""


class Cell(NamedTuple):
    """One cell: the page to its left, its row id, its record; None for what its kind lacks."""

    child: int | None
    rowid: int | None
    record: Record | None


class TreePage(NamedTuple):
    """One b-tree page: its kind, its cells in order (None for a bad one), its last child."""

    number: int
    kind: int
    cells: list[Cell | None]
    last_child: int | None


def read_page(file: PageFile, number: int, *, expected: int | None = None) -> TreePage:
    """A b-tree page. A page with a lost kind is read as the expected one."""
    data = file.page(number)
    if data is None:
        raise UnreadablePage(f"page {number} is not there")
    start = HEADER if number == 1 else 0
    kind = data[start]
    if kind not in KINDS:
        if expected is None or not any(data[start:]):
            raise UnreadablePage(f"page {number} is no page of a tree")
        kind = expected
    head = 12 if kind in _INNER else 8
    count = int.from_bytes(data[start + 3 : start + 5], "big")
    last = int.from_bytes(data[start + 8 : start + 12], "big") if kind in _INNER else None
    cells: list[Cell | None] = []
    for place in range(start + head, min(start + head + 2 * count, file.usable - 1), 2):
        where = int.from_bytes(data[place : place + 2], "big")
        try:
            if where < start + head:
                raise UnreadablePage("a cell before its page")
            cells.append(_cell(file, data, where, kind))
        except UnreadablePage:
            cells.append(None)
    return TreePage(number, kind, cells, last)


def _cell(file: PageFile, data: bytes, place: int, kind: int) -> Cell:
    child: int | None = None
    if kind in _INNER:
        child = int.from_bytes(data[place : place + 4], "big")
        place += 4
    if kind == TABLE_INNER:
        rowid, _ = varint(data, place)
        return Cell(child, rowid, None)
    size, place = varint(data, place)
    key: int | None = None
    if kind == TABLE_LEAF:
        key, place = varint(data, place)
    if not 0 < size <= min(_LARGEST_RECORD, file.count * file.page_size):
        raise UnreadablePage("a record without a length")
    return Cell(child, key, decode(_payload(file, data, place, size, kind)))


def _payload(file: PageFile, data: bytes, place: int, size: int, kind: int) -> bytes:
    """The bytes of a record: those in the page, and those on its overflow pages."""
    usable = file.usable
    most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
    if size <= most:
        if place + size > usable:
            raise UnreadablePage("a record over the end of its page")
        return data[place : place + size]
    least = (usable - 12) * 32 // 255 - 23
    here = least + (size - least) % (usable - 4)
    here = here if here <= most else least
    if place + here + 4 > usable:
        raise UnreadablePage("a record over the end of its page")
    parts = [data[place : place + here]]
    following = int.from_bytes(data[place + here : place + here + 4], "big")
    left = size - here
    seen: set[int] = set()
    while left > 0:
        page = file.page(following) if following not in seen else None
        if page is None:
            raise UnreadablePage("the rest of a long record is not there")
        seen.add(following)
        parts.append(page[4 : 4 + min(left, usable - 4)])
        left -= usable - 4
        following = int.from_bytes(page[:4], "big")
    if following != 0:
        raise UnreadablePage("a long record does not end where it should")
    return b"".join(parts)


def decode(payload: bytes) -> Record:
    """The values of a record."""
    length, place = varint(payload, 0)
    if not 0 < length <= len(payload):
        raise UnreadablePage("a record without a head")
    body = length
    values: list[Any] = []
    while place < length:
        kind, place = varint(payload, place)
        size = _size_of(kind)
        if body + size > len(payload) or len(values) >= _MAX_COLUMNS:
            raise UnreadablePage("a value over the end of its record")
        values.append(_value(kind, payload[body : body + size]))
        body += size
    if place != length or body != len(payload):
        raise UnreadablePage("a record of another length")
    return tuple(values)


def _size_of(kind: int) -> int:
    if kind < 0 or kind in {10, 11}:
        raise UnreadablePage("a value of no kind")
    return _SIZES[kind] if kind < 10 else (kind - 12) // 2


def _value(kind: int, data: bytes) -> Any:
    if kind == 0:
        return None
    if kind <= 6:
        return int.from_bytes(data, "big", signed=True)
    if kind == 7:
        return struct.unpack(">d", data)[0]
    if kind in {8, 9}:
        return kind - 8
    if kind % 2 == 0:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UnreadablePage("a text that is none") from None


def varint(data: bytes, place: int) -> tuple[int, int]:
    """A varint of one to nine bytes, and the offset after it."""
    value = 0
    for step in range(9):
        if place + step >= len(data):
            raise UnreadablePage("a number over the end")
        byte = data[place + step]
        if step == 8:
            value = value << 8 | byte
            place += 9
            break
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            place += step + 1
            break
    return (value - (1 << 64) if value >= 1 << 63 else value), place


def good(page: TreePage) -> Iterator[Cell]:
    """The readable cells of a page."""
    return (cell for cell in page.cells if cell is not None)
