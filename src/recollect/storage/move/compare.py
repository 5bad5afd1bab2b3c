"""Compares two stores: row counts and digests of every table, row by row in key order.

A digest is made of the rows' values, not of their stored form: floats and vectors must agree to the
last bit, texts of the index in which tokens they have and how often.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from sqlalchemy import Connection

from recollect.storage.move.tables import PARTS, StorePart, pages
from recollect.vocabulary.reports import PartReport

_BYTES: Final = 16


def compare(
    source: Connection, target: Connection, seen: Callable[[str, int], None]
) -> tuple[PartReport, ...]:
    """Compare every part of both. ``seen`` is called with the part's name and how many more rows
    were read.
    """
    return tuple(_compared(part, source, target, seen) for part in PARTS)


def _compared(
    part: StorePart, source: Connection, target: Connection, seen: Callable[[str, int], None]
) -> PartReport:
    here = _digest(part, source, lambda rows: seen(part.name, rows))
    there = _digest(part, target, lambda _: seen(part.name, 0))
    return PartReport(part.name, *here, *there, same=here == there)


def _digest(
    part: StorePart, connection: Connection, seen: Callable[[int], None]
) -> tuple[int, str]:
    count, digest = 0, blake2b(digest_size=_BYTES)
    for rows in pages(part, connection):
        told = "".join(f"{part.canonical(row)!r}\n" for row in rows)
        digest.update(told.encode())
        count += len(rows)
        seen(len(rows))
    return count, digest.hexdigest()
