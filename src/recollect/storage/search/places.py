"""Index places: the slot of each searchable item, with its words, vectors, validity and audience.

A searchable item has one *slot*, a number from its space's clock. Whatever search sees of an item
(its words, its validity, its audience) belongs to the slot and never changes; when the item
changes, the old slot is retired and a new one taken. So an in-memory index only appends and
removes, and two numbers tell what it has missed. It reads everything in slot order and in batches,
so that it can catch up with the store from where it is.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Table,
    Text,
    and_,
    bindparam,
    case,
    delete,
    func,
    select,
    tuple_,
    update,
)

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.prepared import Prepared, dialect_of, insert_rows
from recollect.storage.schema import (
    code_chunks,
    events,
    memories,
    place_changes,
    places,
    vectors,
)
from recollect.storage.space_clock import tick
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.vectors import VectorModel


class Place(NamedTuple):
    """One slot and what search sees of it."""

    slot: int
    item_id: str
    audience_id: int
    tokens: str
    length: int
    valid_from: int | None = None
    valid_to: int | None = None


class VectorRow(NamedTuple):
    """The vector of one slot, as bytes of half-precision numbers."""

    slot: int
    data: bytes


Row = tuple[Any, ...]
#: A place as a plain tuple, the cheapest form for many of them.
PlaceRow = tuple[int, str, int, str, int, int | None, int | None]


# --- writing --------------------------------------------------------------------------------------

_PLACE_COLUMNS = (
    "space_id",
    "slot",
    "collection",
    "item_id",
    "audience_id",
    "length",
    "valid_from",
    "valid_to",
)


_OWNERS: Final[dict[str, tuple[Table, str]]] = {
    "memories": (memories, "memory_id"),
    "events": (events, "event_id"),
    "chunks": (code_chunks, "chunk_id"),
}


def _retire(table: Table) -> Prepared:
    return Prepared(
        lambda: delete(table).where(
            table.c.space_id == bindparam("space", type_=Text),
            table.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
        )
    )


_RETIRE = (_retire(vectors), _retire(places))
_ITEMS = Prepared(
    lambda: select(places.c.slot, places.c.item_id).where(
        places.c.space_id == bindparam("space", type_=Text),
        places.c.slot.in_(bindparam("slots", type_=BigInteger, expanding=True)),
    )
)


def put_places(
    connection: Connection,
    dialect: StoreDialect,
    space: tuple[str, int],
    collection: str,
    rows: Sequence[PlaceRow],
) -> None:
    """Insert slots and index their words. ``space`` is the space's id and number."""
    if not rows:
        return
    space_id, _ = space
    insert_rows(
        connection,
        places,
        _PLACE_COLUMNS,
        [
            (space_id, slot, collection, item, audience, length, valid_from, valid_to)
            for slot, item, audience, _, length, valid_from, valid_to in rows
        ],
    )
    dialect.put_keywords(connection, collection, space, [(row[0], row[3]) for row in rows])


def put_vectors(
    connection: Connection,
    space_id: str,
    collection: str,
    model: tuple[str, int],
    rows: Sequence[tuple[int, bytes]],
) -> None:
    """Store the vectors of slots. ``model`` is the model's id and dimensions."""
    model_id, dims = model
    value = dialect_of(connection).vector_value
    insert_rows(
        connection,
        vectors,
        ("space_id", "slot", "model_id", "collection", "dims", "data"),
        [(space_id, slot, model_id, collection, dims, value(data)) for slot, data in rows],
    )


def put_late_vectors(
    connection: Connection,
    space_id: str,
    collection: str,
    model: tuple[str, int],
    rows: Sequence[VectorRow],
) -> int:
    """Store vectors of slots taken earlier, and notify other processes; how many were stored."""
    slots = [row.slot for row in rows]
    alive = _present(connection, select(places.c.slot), places, space_id, slots)
    held = _present(
        connection,
        select(vectors.c.slot).where(vectors.c.model_id == model[0]),
        vectors,
        space_id,
        slots,
    )
    fitting = [row for row in rows if row.slot in alive - held]
    put_vectors(connection, space_id, collection, model, fitting)
    _record_changes(connection, space_id, collection, [row.slot for row in fitting], model[0])
    return len(fitting)


def retire(
    connection: Connection,
    dialect: StoreDialect,
    space: tuple[str, int],
    collection: str,
    slots: Iterable[int | None],
) -> None:
    """Retire slots: delete words, vectors and places, and notify other processes."""
    space_id, _ = space
    gone = [slot for slot in slots if slot is not None]
    if not gone:
        return
    dialect.drop_keywords(connection, collection, space, gone)
    for statement in _RETIRE:
        statement.run(connection, space=space_id, slots=gone)
    _record_changes(connection, space_id, collection, gone, None)


def delete_orphan_places(connection: Connection, space_id: str, collection: str) -> None:
    """Delete the places that no row refers to, with their vectors."""
    table, key = _OWNERS[collection]
    owned = select(table.c.slot).where(
        table.c.space_id == places.c.space_id,
        table.c[key] == places.c.item_id,
        table.c.slot == places.c.slot,
    )
    connection.execute(
        delete(places).where(
            places.c.space_id == space_id, places.c.collection == collection, ~owned.exists()
        )
    )


def replace_places(
    connection: Connection,
    dialect: StoreDialect,
    space: tuple[str, int],
    collection: str,
    rows: Sequence[Place],
) -> None:
    """Rebuild the index entries of slots from their rows; existing vectors stay."""
    slots = [row.slot for row in rows]
    known = _present(connection, select(places.c.slot), places, space[0], slots)
    put_places(connection, dialect, space, collection, [r for r in rows if r.slot not in known])
    again = [row for row in rows if row.slot in known]
    for row in again:
        connection.execute(
            update(places)
            .where(places.c.space_id == space[0], places.c.slot == row.slot)
            .values(length=row.length, valid_from=row.valid_from, valid_to=row.valid_to)
        )
    dialect.put_keywords(connection, collection, space, [(r.slot, r.tokens) for r in again])


def copy_vectors(connection: Connection, space_id: str, old: int, new: int) -> set[str]:
    """Copy vectors from one slot to another, for an item with unchanged text; their models."""
    rows = connection.execute(
        select(vectors.c.model_id, vectors.c.collection, vectors.c.dims, vectors.c.data).where(
            vectors.c.space_id == space_id, vectors.c.slot == old
        )
    ).all()
    for model_id, collection, dims, data in rows:
        put_vectors(connection, space_id, collection, (model_id, dims), [VectorRow(new, data)])
    return {row.model_id for row in rows}


def items_at(connection: Connection, space_id: str, slots: Sequence[int]) -> dict[int, str]:
    """The ids of the items at slots."""
    return dict(_ITEMS.rows(connection, space=space_id, slots=slots))


def places_without_vector(
    connection: Connection,
    space_id: str,
    model_id: str,
    *,
    after: int,
    limit: int,
    collection: str | None = None,
) -> list[tuple[int, str, str]]:
    """Slots, collections and ids of what has no vector of a model yet, in order; of all
    collections, or of one."""
    embedded = select(vectors.c.slot).where(
        vectors.c.space_id == space_id,
        vectors.c.model_id == model_id,
        vectors.c.slot == places.c.slot,
    )
    wanted = [places.c.space_id == space_id, places.c.slot > after, ~embedded.exists()]
    if collection is not None:
        wanted.append(places.c.collection == collection)
    rows = connection.execute(
        select(places.c.slot, places.c.collection, places.c.item_id)
        .where(*wanted)
        .order_by(places.c.slot)
        .limit(limit)
    )
    return [(row.slot, row.collection, row.item_id) for row in rows]


def count_vectors(connection: Connection, access: Access) -> dict[str, int]:
    """Number of vectors per model, over what the access may see."""
    rows = connection.execute(
        select(vectors.c.model_id, func.count())
        .join(
            places,
            (places.c.space_id == vectors.c.space_id) & (places.c.slot == vectors.c.slot),
        )
        .where(vectors.c.space_id == access.space_id, places.c.audience_id.in_(visible_to(access)))
        .group_by(vectors.c.model_id)
    )
    return {model: count for model, count in rows}


def forget_changes(connection: Connection, space_id: str, before: int) -> int:
    """Delete change notes from before a tick of the clock; how many."""
    done = connection.execute(
        delete(place_changes).where(
            place_changes.c.space_id == space_id, place_changes.c.version < before
        )
    )
    return done.rowcount


def _record_changes(
    connection: Connection,
    space_id: str,
    collection: str,
    slots: Sequence[int],
    model_id: str | None,
) -> None:
    if not slots:
        return
    _, version = tick(connection, space_id)
    insert_rows(
        connection,
        place_changes,
        ("space_id", "version", "collection", "slot", "model_id"),
        [(space_id, version, collection, slot, model_id) for slot in slots],
    )


def _present(
    connection: Connection, query: Any, table: Any, space_id: str, slots: Sequence[int]
) -> set[int]:
    query = query.where(table.c.space_id == space_id, table.c.slot.in_(slots))
    return set(connection.execute(query).scalars())


# --- reading, for the index in memory -------------------------------------------------------------

#: Bound of a validity without a beginning or an end, in microseconds.
ALWAYS: Final = 2**62
#: Maximum number of rows of one read.
PLACES_READ: Final = 2_000
VECTORS_READ: Final = 1_000
EVENTS_READ: Final = 5_000
#: Number of characters read from the beginning of an event.
HEAD: Final = 64

_PLACES: Final = Prepared(
    lambda: (
        select(
            places.c.slot,
            places.c.audience_id,
            places.c.length,
            func.coalesce(places.c.valid_from, -ALWAYS),
            func.coalesce(places.c.valid_to, ALWAYS),
        )
        .where(
            places.c.space_id == bindparam("space", type_=Text),
            places.c.slot > bindparam("after", type_=BigInteger),
            places.c.collection == bindparam("collection", type_=Text),
        )
        .order_by(places.c.slot)
        .limit(PLACES_READ)
    )
)
_CHANGED: Final = Prepared(
    lambda: select(place_changes.c.slot, place_changes.c.model_id).where(
        place_changes.c.space_id == bindparam("space", type_=Text),
        place_changes.c.version > bindparam("version", type_=BigInteger),
        place_changes.c.collection == bindparam("collection", type_=Text),
    )
)
_SPACE: Final = bindparam("space", type_=Text)
_MODEL: Final = bindparam("model", type_=Text)
_SLOTS: Final = bindparam("slots", type_=BigInteger, expanding=True)

_OF_COLLECTION: Final = (
    select(vectors.c.slot, vectors.c.data)
    .where(
        vectors.c.space_id == _SPACE,
        vectors.c.model_id == _MODEL,
        vectors.c.collection == bindparam("collection", type_=Text),
        vectors.c.dims == bindparam("dims", type_=Integer),
    )
    .order_by(vectors.c.slot)
    .limit(VECTORS_READ)
)
_BETWEEN: Final = Prepared(
    lambda: _OF_COLLECTION.where(
        vectors.c.slot > bindparam("after", type_=BigInteger),
        vectors.c.slot <= bindparam("high", type_=BigInteger),
    )
)
_AMONG: Final = Prepared(lambda: _OF_COLLECTION.where(vectors.c.slot.in_(_SLOTS)))
_EXACT: Final = Prepared(
    lambda: select(vectors.c.slot, vectors.c.data).where(
        vectors.c.space_id == _SPACE, vectors.c.slot.in_(_SLOTS), vectors.c.model_id == _MODEL
    )
)
_REPLIED_TO: Final = events.alias("target")
_REPLIED: Final = (
    select(_REPLIED_TO.c.slot)
    .where(_REPLIED_TO.c.space_id == events.c.space_id, _REPLIED_TO.c.event_id == events.c.reply_to)
    .correlate(events)
    .scalar_subquery()
)
_OF_EVENT: Final = (
    events.c.author,
    events.c.stream_id,
    events.c.occurred_at,
    func.rtrim(events.c.text).like("%?").label("asks"),
    func.substr(events.c.text, 1, HEAD).label("head"),
    case((events.c.reply_to.is_not(None), _REPLIED)).label("replied"),
)
_SURROUNDINGS: Final = Prepared(
    lambda: (
        select(places.c.slot, *_OF_EVENT)
        .select_from(
            places.join(
                events,
                and_(events.c.space_id == places.c.space_id, events.c.event_id == places.c.item_id),
            )
        )
        .where(
            places.c.space_id == bindparam("space", type_=Text),
            places.c.collection == "events",
            places.c.slot > bindparam("after", type_=BigInteger),
            places.c.slot <= bindparam("high", type_=BigInteger),
        )
        .order_by(places.c.slot)
        .limit(EVENTS_READ)
    )
)
_IN_STREAMS: Final = (events.c.stream_id, events.c.occurred_at, events.c.arrival)
_BY_STREAM: Final = Prepared(
    lambda: (
        select(events.c.slot, *_OF_EVENT, events.c.arrival)
        .where(
            events.c.space_id == bindparam("space", type_=Text),
            events.c.slot.is_not(None),
            tuple_(*_IN_STREAMS)
            > tuple_(
                bindparam("stream", type_=Text),
                bindparam("moment", type_=BigInteger),
                bindparam("arrival", type_=BigInteger),
            ),
        )
        .order_by(*_IN_STREAMS)
        .limit(EVENTS_READ)
    )
)


def places_after(connection: Connection, space_id: str, collection: str, after: int) -> list[Row]:
    """Slot, audience, length and validity of the places after a slot."""
    return _PLACES.raw(connection, space=space_id, after=after, collection=collection)


def changes_since(
    connection: Connection, space_id: str, collection: str, version: int
) -> list[tuple[int, str | None]]:
    """Slots retired since a tick of the clock (without a model), or given a vector late."""
    found: list[Any] = _CHANGED.raw(
        connection, space=space_id, version=version, collection=collection
    )
    return found


def vectors_between(
    connection: Connection, place: tuple[str, str], model: VectorModel, *, after: int, high: int
) -> list[Row]:
    """Slot and vector of the places after one slot, up to another.

    ``place`` is a space's id and one of its collections.
    """
    return _BETWEEN.raw(connection, **_of(place, model), after=after, high=high)


def vectors_among(
    connection: Connection, place: tuple[str, str], model: VectorModel, slots: Sequence[int]
) -> list[Row]:
    """Slot and vector of some slots of a collection."""
    return _AMONG.raw(connection, **_of(place, model), slots=list(slots))


def exact_vectors(
    connection: Connection, space_id: str, model: VectorModel, slots: Sequence[int]
) -> list[Row]:
    """Slot and vector of a few slots, of any collection."""
    return _EXACT.raw(connection, space=space_id, model=model.id, slots=list(slots))


def events_between(connection: Connection, space_id: str, after: int, high: int) -> list[Row]:
    """Slot, author, stream and time of events, whether each ends with a question mark, how it
    begins, and the slot that it replies to.
    """
    return _SURROUNDINGS.raw(connection, space=space_id, after=after, high=high)


def events_by_stream(
    connection: Connection, space_id: str, after: tuple[str, int, int]
) -> list[Row]:
    """The same of all events of a space, stream by stream, and at last the arrival of each.

    ``after`` is the stream, the time and the arrival of the last one that was read. Events lie in
    this order on the disk, and their ids in none: to look up each by its id takes twice as long.
    """
    stream, moment, arrival = after
    return _BY_STREAM.raw(connection, space=space_id, stream=stream, moment=moment, arrival=arrival)


def _of(place: tuple[str, str], model: VectorModel) -> dict[str, Any]:
    space_id, collection = place
    return {"space": space_id, "collection": collection, "model": model.id, "dims": model.dims}
