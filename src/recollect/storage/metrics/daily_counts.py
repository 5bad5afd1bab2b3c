"""Rows of daily counters: one number per name and day of a space."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, delete, func, select, text

from recollect.storage.schema import daily_counts, spaces

_ADD: Final = text(
    "INSERT INTO daily_counts (space_id, day, name, count) VALUES (:space, :day, :name, :count)"
    " ON CONFLICT (space_id, day, name) DO UPDATE"
    " SET count = daily_counts.count + excluded.count"
)


def add_counts(connection: Connection, day: int, counts: Mapping[tuple[str, str], int]) -> None:
    """Add to a day's counters, by space and name; counters of deleted spaces are ignored."""
    wanted = sorted({space_id for space_id, _ in counts})
    there = set(
        connection.execute(select(spaces.c.space_id).where(spaces.c.space_id.in_(wanted))).scalars()
    )
    rows = [
        {"space": space_id, "day": day, "name": name, "count": count}
        for (space_id, name), count in sorted(counts.items())
        if space_id in there
    ]
    if rows:
        connection.execute(_ADD, rows)


def counts_since(connection: Connection, space_id: str, day: int) -> dict[str, int]:
    """Sums of counters since a day, by name."""
    rows = connection.execute(
        select(daily_counts.c.name, func.sum(daily_counts.c.count))
        .where(daily_counts.c.space_id == space_id, daily_counts.c.day >= day)
        .group_by(daily_counts.c.name)
    )
    return {name: int(count) for name, count in rows}


def drop_counts(connection: Connection, space_id: str, before: int) -> int:
    """Delete older days; how many rows."""
    done = connection.execute(
        delete(daily_counts).where(daily_counts.c.space_id == space_id, daily_counts.c.day < before)
    )
    return done.rowcount
