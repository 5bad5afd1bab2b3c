"""Checks that the index agrees with the rows, counted from both sides, for the doctor."""

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, Table, exists, func, select

from recollect.storage.dialects.protocol import SpaceKey, StoreDialect
from recollect.storage.pages.spaces import all_space_ids
from recollect.storage.schema import COLLECTIONS, code_chunks, events, memories, places, vectors
from recollect.storage.space_clock import number_and_clock


class IndexCheck(NamedTuple):
    """Comparison of the index of one collection of one space with its rows."""

    space_id: str
    collection: str
    items: int
    unplaced_items: int
    stray_places: int
    unindexed_places: int
    stray_keywords: int

    @property
    def sound(self) -> bool:
        """Whether rows, places and tokens agree."""
        return not (
            self.unplaced_items or self.stray_places or self.unindexed_places or self.stray_keywords
        )


_ITEMS: dict[str, tuple[Table, str]] = {
    "memories": (memories, "memory_id"),
    "events": (events, "event_id"),
    "chunks": (code_chunks, "chunk_id"),
}


def check_index(
    connection: Connection, dialect: StoreDialect, progress: Callable[[], None] | None = None
) -> list[IndexCheck]:
    """Compare every collection of every space."""
    checks = []
    for space_id in all_space_ids(connection):
        number, _ = number_and_clock(connection, space_id)
        for collection in COLLECTIONS:
            checks.append(_check(connection, dialect, (space_id, number), collection))
            if progress:
                progress()
    return checks


def has_large_space(connection: Connection, model_id: str, turn: int) -> bool:
    """Whether a collection of a space has more vectors of a model than a scan handles well."""
    query = (
        select(vectors.c.space_id)
        .where(vectors.c.model_id == model_id)
        .group_by(vectors.c.space_id, vectors.c.collection)
        .having(func.count() > turn)
        .limit(1)
    )
    return connection.execute(query).first() is not None


def _check(
    connection: Connection, dialect: StoreDialect, space: SpaceKey, collection: str
) -> IndexCheck:
    space_id, _ = space
    table, key = _ITEMS[collection]
    placed = exists().where(
        places.c.space_id == table.c.space_id,
        places.c.slot == table.c.slot,
        places.c.item_id == table.c[key],
    )
    owned = exists().where(
        table.c.space_id == places.c.space_id,
        table.c[key] == places.c.item_id,
        table.c.slot == places.c.slot,
    )
    ours = (places.c.space_id == space_id) & (places.c.collection == collection)
    slots = set(connection.execute(select(places.c.slot).where(ours)).scalars())
    words = {slot for slot, _ in dialect.keyword_documents(connection, collection, space, -1)}
    return IndexCheck(
        space_id,
        collection,
        items=_count(connection, table, table.c.space_id == space_id),
        unplaced_items=_count(
            connection, table, table.c.space_id == space_id, table.c.slot.is_not(None), ~placed
        ),
        stray_places=_count(connection, places, ours, ~owned),
        unindexed_places=len(slots - words),
        stray_keywords=len(words - slots),
    )


def _count(connection: Connection, table: Table, *conditions: object) -> int:
    query = select(func.count()).select_from(table).where(*conditions)  # type: ignore[arg-type]
    return int(connection.execute(query).scalar_one())
