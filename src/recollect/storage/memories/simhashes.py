"""Rows of SimHashes, by which near-duplicates of a text are found with four look-ups.

Two hashes that differ in at most three of 64 bits agree wholly in at least one of four bands of 16.
So each memory has a row for each band, and however many memories there are, only those that agree
in a band are compared bit by bit.
"""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, Integer, Text, bindparam, delete, select, union_all

from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import memory_simhashes

BANDS: Final = 4
_WIDTH: Final = 16
_SIGN: Final = 1 << 63
_WHOLE: Final = 1 << 64
_COLUMNS: Final = ("space_id", "band", "bits", "memory_id", "simhash")

#: One look-up for each band: an OR of the four would scan all rows of a space.
_NEAR = Prepared(
    lambda: union_all(
        *(
            select(memory_simhashes.c.memory_id, memory_simhashes.c.simhash).where(
                memory_simhashes.c.space_id == bindparam("space", type_=Text),
                memory_simhashes.c.band == band,
                memory_simhashes.c.bits == bindparam(f"bits_{band}", type_=Integer),
            )
            for band in range(BANDS)
        )
    )
)
_DROP = Prepared(
    lambda: delete(memory_simhashes).where(
        memory_simhashes.c.space_id == bindparam("space", type_=Text),
        memory_simhashes.c.memory_id == bindparam("of_memory", type_=Text),
    )
)


def signed(simhash: int) -> int:
    """64 bits as databases store them: a signed integer."""
    return simhash - _WHOLE if simhash & _SIGN else simhash


def unsigned(number: int) -> int:
    """The 64 bits of a signed integer that a database stored."""
    return number % _WHOLE


def bands_of(simhash: int) -> list[int]:
    """The four parts of a hash."""
    return [(simhash >> (_WIDTH * band)) & 0xFFFF for band in range(BANDS)]


def put_simhash(connection: Connection, space_id: str, memory_id: str, simhash: int) -> None:
    """Store the hash of a memory that has none; a text without words gets none."""
    put_simhashes(connection, space_id, {memory_id: simhash})


def put_simhashes(connection: Connection, space_id: str, hashes: Mapping[str, int]) -> None:
    """Store the hashes of memories that have none."""
    insert_rows(
        connection,
        memory_simhashes,
        _COLUMNS,
        [
            (space_id, band, bits, memory_id, signed(simhash))
            for memory_id, simhash in hashes.items()
            if simhash
            for band, bits in enumerate(bands_of(simhash))
        ],
    )


def drop_simhash(connection: Connection, space_id: str, memory_id: str) -> None:
    """Remove the hash of a memory whose text changed."""
    _DROP.run(connection, space=space_id, of_memory=memory_id)


def near_duplicates(
    connection: Connection, space_id: str, simhash: int, distance: int
) -> list[str]:
    """The memories of a space whose hashes differ in at most ``distance`` bits, nearest first."""
    if not simhash:
        return []
    bits = {f"bits_{band}": part for band, part in enumerate(bands_of(simhash))}
    rows = _NEAR.rows(connection, space=space_id, **bits)
    found = {row.memory_id: (unsigned(row.simhash) ^ simhash).bit_count() for row in rows}
    return sorted((i for i, far in found.items() if far <= distance), key=lambda i: (found[i], i))
