"""Rows of streams, and of the member lists of private streams.

Names are unique per reader: if a stream that the creator of a new one cannot see has the name
already, the new one's id is appended to the name in its row, and nobody learns that the other
exists. No name of a stream contains the separator.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from recollect.storage.access.visibility_filter import (
    is_visible_row,
    read_shared_rows,
    seen_by,
    shared_reads,
    visible_to,
)
from recollect.storage.prepared import Prepared
from recollect.storage.schema import audiences, events, stream_members, streams
from recollect.storage.space_clock import tick
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.streams import Stream, StreamAccess, StreamKind

_SIGN: Final = "\x1f"
_AFTER_SIGN: Final = "\x20"
#: The name of a row without an appended id, for comparison in SQL.
PLAIN_NAME: Final = func.replace(streams.c.name, literal(_SIGN) + streams.c.stream_id, "")

#: The audience of a stream's new events, looked up with every recorded message.
_AUDIENCE: Final = Prepared(
    lambda: select(streams.c.audience_id).where(
        streams.c.space_id == bindparam("space", type_=Text),
        streams.c.stream_id == bindparam("stream", type_=Text),
    )
)

#: The order of the streams of one name, which no index has: to spare the sort of one or two rows,
#: SQLite would read all streams of the space in the order of their ids.
_IN_ORDER: Final = streams.c.stream_id.concat("")

#: The stream with a name that an access may read, looked up with every recorded message.
_BY_NAME: Final = Prepared(
    lambda: (
        select(streams)
        .where(
            streams.c.space_id == bindparam("seen_space", type_=Text),
            is_visible_row(streams.c.audience_id),
            or_(
                streams.c.name == bindparam("name", type_=Text),
                and_(
                    streams.c.name >= bindparam("first", type_=Text),
                    streams.c.name < bindparam("beyond", type_=Text),
                ),
            ),
        )
        .order_by(_IN_ORDER)
        .limit(1)
    )
)
_NAME_TAKEN: Final = Prepared(
    lambda: select(streams.c.stream_id).where(
        streams.c.space_id == bindparam("space", type_=Text),
        streams.c.name == bindparam("name", type_=Text),
    )
)
#: Prepared because a history may open a stream for each of its thousands of sessions.
_ADD: Final = Prepared(lambda: insert(streams))


def add_stream(connection: Connection, stream: Stream, audience: int) -> None:
    """Insert a new stream; its events take the audience."""
    taken = name_taken(connection, stream.space_id, stream.name)
    _ADD.run(
        connection,
        space_id=stream.space_id,
        stream_id=stream.id,
        kind=stream.kind.value,
        name=f"{stream.name}{_SIGN}{stream.id}" if taken else stream.name,
        access=stream.access.value,
        owner=stream.owner,
        parent_id=stream.parent_id,
        audience_id=audience,
        created_at=stream.created_at,
        purpose=stream.purpose,
    )


def name_taken(connection: Connection, space_id: str, name: str) -> bool:
    """Whether any stream of the space has the name, visible or not."""
    with shared_reads(connection):
        read_shared_rows(connection)
        return _NAME_TAKEN.first(connection, space=space_id, name=name) is not None


def last_messages(
    connection: Connection,
    access: Access,
    name: str,
    *,
    until: datetime | None,
    recorded_after: datetime | None,
    limit: int,
) -> list[tuple[str, str, datetime]]:
    """The viewer's own latest messages in a stream, newest first: id, text and time."""
    query = (
        select(events.c.event_id, events.c.text, events.c.occurred_at)
        .join(
            streams,
            and_(
                streams.c.space_id == events.c.space_id,
                streams.c.stream_id == events.c.stream_id,
            ),
        )
        .where(
            events.c.space_id == access.space_id,
            PLAIN_NAME.in_([name]),
            events.c.author == access.viewer.user,
            events.c.deleted_at.is_(None),
            events.c.audience_id.in_(visible_to(access)),
        )
    )
    if until is not None:
        query = query.where(events.c.occurred_at <= until)
    if recorded_after is not None:
        query = query.where(events.c.recorded_at > recorded_after)
    rows = connection.execute(query.order_by(events.c.occurred_at.desc()).limit(limit))
    return [(row.event_id, row.text, row.occurred_at) for row in rows]


def find_stream(
    connection: Connection,
    viewer_access: Access,
    *,
    stream_id: str | None = None,
    name: str | None = None,
) -> Stream | None:
    """One stream by id or name, if the access may read it."""
    if name:
        wanted = {"name": name, "first": f"{name}{_SIGN}", "beyond": f"{name}{_AFTER_SIGN}"}
        row = _BY_NAME.first(connection, **wanted, **seen_by(viewer_access))
    else:
        query = _visible(viewer_access).where(streams.c.stream_id == stream_id)
        row = connection.execute(query).first()
    return _stream(row) if row else None


def private_stream(
    connection: Connection, viewer_access: Access, names: Sequence[str]
) -> str | None:
    """The id of a private stream with one of these names, if the access may read one."""
    query = (
        _visible(viewer_access)
        .where(_named(names), streams.c.access == StreamAccess.PRIVATE.value)
        .order_by(streams.c.stream_id)
    )
    row = connection.execute(query).first()
    return None if row is None else str(row.stream_id)


def open_sessions(connection: Connection, space_id: str, stream_ids: Iterable[str]) -> set[str]:
    """Those of these streams that are pages of sessions which every member may read."""
    query = select(streams.c.stream_id).where(
        streams.c.space_id == space_id,
        streams.c.stream_id.in_(sorted(stream_ids)),
        streams.c.kind == StreamKind.SESSION.value,
        streams.c.access == StreamAccess.OPEN.value,
    )
    return set(connection.execute(query).scalars())


def list_streams(
    connection: Connection,
    viewer_access: Access,
    *,
    kind: str | None,
    after: str | None,
    limit: int,
) -> list[Stream]:
    """Streams in order of their ids, past a cursor."""
    query = _visible(viewer_access).order_by(streams.c.stream_id).limit(limit)
    if kind:
        query = query.where(streams.c.kind == kind)
    if after:
        query = query.where(streams.c.stream_id > after)
    return [_stream(row) for row in connection.execute(query)]


def count_streams(connection: Connection, viewer_access: Access) -> int:
    """How many streams the access may read."""
    query = select(func.count()).select_from(_visible(viewer_access).subquery())
    return int(connection.execute(query).scalar_one())


def audience_of(connection: Connection, space_id: str, stream_id: str) -> int:
    """The audience of new events of a stream."""
    with shared_reads(connection):
        # an importer may open a stream for others that it cannot read itself
        read_shared_rows(connection)
        return int(_AUDIENCE.value(connection, space=space_id, stream=stream_id))


def stream_for_import(
    connection: Connection, space_id: str, stream_id: str
) -> tuple[Stream, int] | None:
    """A stream and the audience of its events, visible or not, for a system import."""
    query = select(streams).where(streams.c.space_id == space_id, streams.c.stream_id == stream_id)
    row = connection.execute(query).first()
    return None if row is None else (_stream(row), int(row.audience_id))


def streams_for_owner(connection: Connection, viewer_access: Access, name: str) -> list[Stream]:
    """Private streams of others with that name or id, for an owner who is to join one."""
    query = select(streams).where(
        streams.c.space_id == viewer_access.space_id,
        streams.c.audience_id.not_in(visible_to(viewer_access)),
        streams.c.parent_id.is_(None),
        streams.c.access == StreamAccess.PRIVATE.value,
        or_(streams.c.stream_id == name, _named([name])),
    )
    return [_stream(row) for row in connection.execute(query.order_by(streams.c.stream_id))]


def name_for_jobs(connection: Connection, space_id: str, stream_id: str) -> str:
    """A stream's name, for a system job."""
    query = select(streams.c.name).where(
        streams.c.space_id == space_id, streams.c.stream_id == stream_id
    )
    return plain_name(connection.execute(query).scalar_one())


def purpose_for_jobs(connection: Connection, space_id: str, stream_id: str) -> str | None:
    """A stream's purpose, for a system job."""
    query = select(streams.c.purpose).where(
        streams.c.space_id == space_id, streams.c.stream_id == stream_id
    )
    return connection.execute(query).scalar()


def set_purpose(connection: Connection, space_id: str, stream_id: str, purpose: str | None) -> None:
    """Set a stream's purpose."""
    connection.execute(
        update(streams)
        .where(streams.c.space_id == space_id, streams.c.stream_id == stream_id)
        .values(purpose=purpose)
    )


def root_of(connection: Connection, viewer_access: Access, stream_id: str) -> str | None:
    """The stream that decides who may read a stream: itself, or the root of a thread."""
    query = select(audiences.c.stream_id).where(
        audiences.c.space_id == viewer_access.space_id,
        audiences.c.audience_id.in_(
            _visible(viewer_access)
            .with_only_columns(streams.c.audience_id)
            .where(streams.c.stream_id == stream_id)
        ),
    )
    return connection.execute(query).scalar()


def set_access(connection: Connection, space_id: str, stream_id: str, access: str) -> None:
    """Open a stream to all members, or close it to those on its list."""
    tick(connection, space_id)  # caches of visible audiences are keyed by the clock
    connection.execute(
        update(streams)
        .where(streams.c.space_id == space_id, streams.c.stream_id == stream_id)
        .values(access=access)
    )


def admit(connection: Connection, space_id: str, stream_id: str, user: str, at: datetime) -> None:
    """Add a person to a stream's member list."""
    dismiss(connection, space_id, stream_id, user)
    connection.execute(
        insert(stream_members).values(
            space_id=space_id, stream_id=stream_id, user_id=user, added_at=at
        )
    )


def dismiss(connection: Connection, space_id: str, stream_id: str, user: str) -> None:
    """Remove a person from a stream's member list."""
    tick(connection, space_id)  # caches of visible audiences are keyed by the clock
    connection.execute(
        delete(stream_members).where(
            stream_members.c.space_id == space_id,
            stream_members.c.stream_id == stream_id,
            stream_members.c.user_id == user,
        )
    )


def _visible(viewer_access: Access) -> Select[Any]:
    return select(streams).where(
        streams.c.space_id == viewer_access.space_id,
        streams.c.audience_id.in_(visible_to(viewer_access)),
    )


def _named(names: Sequence[str]) -> ColumnElement[bool]:
    """Streams with one of these names, with or without an appended id."""
    beside = (
        and_(streams.c.name >= f"{name}{_SIGN}", streams.c.name < f"{name}{_AFTER_SIGN}")
        for name in names
    )
    return or_(streams.c.name.in_(names), *beside)


def plain_name(name: str) -> str:
    """A name without an appended id."""
    return name.partition(_SIGN)[0]


def _stream(row: Row[Any]) -> Stream:
    return Stream(
        id=row.stream_id,
        space_id=row.space_id,
        kind=StreamKind(row.kind),
        name=plain_name(row.name),
        access=StreamAccess(row.access),
        owner=row.owner,
        parent_id=row.parent_id,
        created_at=row.created_at,
        purpose=row.purpose,
    )
