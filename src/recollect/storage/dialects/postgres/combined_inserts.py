"""Combines many inserts into one statement: all but the last become parts of its ``WITH`` clause.

PostgreSQL runs every part whether or not it is read, and checks foreign keys when all have run. The
parameters are numbered here and not by the driver, which would parse the long text every time.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, Final

import psycopg
from sqlalchemy import Connection

from recollect.storage.dialects.protocol import Part

_AT_ONCE: Final = 50
_PLACE: Final = re.compile(r"%(?:\((\w+)\))?s")


def run(connection: Connection, parts: Sequence[Part]) -> None:
    """Run inserts that do not depend on each other's results, several per statement."""
    for start in range(0, len(parts), _AT_ONCE):
        _run(connection, parts[start : start + _AT_ONCE])


def _run(connection: Connection, parts: Sequence[Part]) -> None:
    text, names = _combined(tuple(statement for statement, _ in parts))
    values: list[Any] = []
    for (_, parameters), order in zip(parts, names, strict=True):
        if isinstance(parameters, Mapping):
            values += [parameters[name] for name in order]
        else:
            values += parameters
    driver: Any = connection.connection.driver_connection
    with psycopg.RawCursor(driver) as cursor:
        cursor.execute(text, values)


@lru_cache(maxsize=512)
def _combined(statements: tuple[str, ...]) -> tuple[bytes, list[list[str]]]:
    """One statement for many, and for each of them the names of its parameters in order."""
    numbers = count(1)
    *first, last = (
        _PLACE.sub(lambda _: f"${next(numbers)}", statement).replace("%%", "%")
        for statement in statements
    )
    parts = ", ".join(f"part{place} AS ({statement})" for place, statement in enumerate(first))
    text = f"WITH {parts} {last}" if parts else last
    return text.encode(), [_PLACE.findall(statement) for statement in statements]
