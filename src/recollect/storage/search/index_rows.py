"""Reads the in-memory index from the store: places, retired slots, vectors, neighbours of events.

Everything is read in slot order and in batches, so that an index can catch up with the store from
where it is.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    func,
    select,
    tuple_,
)

from recollect.storage.prepared import Prepared
from recollect.storage.schema import events, place_changes, places, vectors
from recollect.vocabulary.vectors import VectorModel

Row = tuple[Any, ...]

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
