"""What a transaction may see: audiences as rows, the one filter by them, row-level security.

Every memory and every event has an audience. ``VISIBLE`` is the only place where the visibility
rules are written as SQL; every read is filtered by it, with the values that ``seen_by`` takes from
an access.

The audience of a memory also names its *sources*: the streams of the events that it cites. A viewer
who may not read all of them at the moment of reading does not see the memory, whatever else it
says.

Behind the filter there is a second layer, where the database has row-level security: a transaction
that entered no space sees nothing, whatever it queries. Maintenance code (the job queue, the
doctor, the lookup of a space by name) asks for system access explicitly.

``member_state`` reads in one query everything about a person by which their access is decided.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import (
    BigInteger,
    Connection,
    FromClause,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
)
from sqlalchemy.sql.elements import ColumnElement

from recollect.storage.dialects.protocol import StoreDialect
from recollect.storage.prepared import Prepared, dialect_of
from recollect.storage.schema import (
    audience_sources,
    audiences,
    code_indexes,
    events,
    group_members,
    incognito_sessions,
    memory_settings,
    space_members,
    stream_members,
    streams,
    tombstones,
)
from recollect.vocabulary.audiences import Access, Audience, Viewer, Visibility
from recollect.vocabulary.spaces import GroupKind, Role

#: Key under which a connection stores the audiences that its transaction created.
NEW: Final = "recollect_new_audiences"
#: Lock name that is held while the list of spaces changes.
EVERY_SPACE: Final = "*"
_SHARED_READS: Final = "recollect_whole"
_KEPT: Final = 100_000
_known: Final[WeakKeyDictionary[StoreDialect, dict[tuple[str, Audience, tuple[str, ...]], int]]] = (
    WeakKeyDictionary()
)

_SPACE: Final = bindparam("seen_space", type_=Text)
_USER: Final = bindparam("seen_user", type_=Text)
_MEMBER: Final = bindparam("seen_member", type_=Integer)
_TEAMS: Final = bindparam("seen_teams", type_=Text, expanding=True)
_ORGANISATIONS: Final = bindparam("seen_organisations", type_=Text, expanding=True)


def _rules(audience: FromClause) -> ColumnElement[bool]:
    """SQL of the visibility rules. Outside the space, only its team and its organisation see what
    is shared with them.
    """
    shared = or_(
        and_(audience.c.visibility == Visibility.TEAM.value, audience.c.team.in_(_TEAMS)),
        and_(
            audience.c.visibility == Visibility.ORGANISATION.value,
            audience.c.organisation.in_(_ORGANISATIONS),
        ),
    )
    return and_(_sources_readable(audience), or_(shared, and_(_MEMBER == 1, _inside(audience))))


def _inside(audience: FromClause) -> ColumnElement[bool]:
    """Condition for members: their own items, the project's, and the streams they may read."""
    own = and_(audience.c.owner == _USER, audience.c.visibility != Visibility.STREAM.value)
    on_stream = and_(
        audience.c.visibility == Visibility.STREAM.value, _readable(audience.c.stream_id)
    )
    return or_(own, audience.c.visibility == Visibility.PROJECT.value, on_stream)


def _sources_readable(audience: FromClause) -> ColumnElement[bool]:
    """Whether there are no source streams, or the viewer is a member who may read all of them."""
    source = audience_sources.alias("source")
    readable = (
        select(func.count())
        .select_from(source)
        .where(
            source.c.space_id == _SPACE,
            source.c.audience_id == audience.c.audience_id,
            _readable(source.c.stream_id),
        )
        .correlate(audience)
        .scalar_subquery()
    )
    every = and_(_MEMBER == 1, audience.c.source_count == readable)
    return or_(audience.c.source_count.is_(None), every)


def _readable(stream_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a stream is open, the viewer's own, or lists the viewer. Threads follow it."""
    listed = exists().where(
        stream_members.c.space_id == _SPACE,
        stream_members.c.stream_id == streams.c.stream_id,
        stream_members.c.user_id == _USER,
    )
    return exists().where(
        streams.c.space_id == _SPACE,
        streams.c.stream_id == stream_id,
        streams.c.parent_id.is_(None),
        or_(streams.c.access == "open", streams.c.owner == _USER, listed),
    )


#: The ids of the audiences that an access may see.
VISIBLE: Final = select(audiences.c.audience_id).where(
    audiences.c.space_id == _SPACE, _rules(audiences)
)


def is_visible_row(audience: ColumnElement[int]) -> ColumnElement[bool]:
    """The same rules for one row's audience, for statements that want few rows of many."""
    its = audiences.alias("its_audience")
    return exists().where(its.c.space_id == _SPACE, its.c.audience_id == audience, _rules(its))


def is_visible_joined(audience: FromClause) -> ColumnElement[bool]:
    """The same rules for an audience that the statement has joined already."""
    return _rules(audience)


_VISIBLE: Final = Prepared(lambda: VISIBLE)
_VISIBLE_OF: Final = Prepared(
    lambda: VISIBLE.where(
        audiences.c.audience_id.in_(bindparam("ids", type_=BigInteger, expanding=True))
    )
)

_KNOWN: Final = Prepared(
    lambda: select(audiences.c.audience_id).where(
        audiences.c.space_id == bindparam("space", type_=Text),
        audiences.c.owner == bindparam("owner", type_=Text),
        audiences.c.visibility == bindparam("visibility", type_=Text),
        audiences.c.team.is_not_distinct_from(bindparam("team", type_=Text)),
        audiences.c.organisation.is_not_distinct_from(bindparam("organisation", type_=Text)),
        audiences.c.stream_id.is_not_distinct_from(bindparam("stream", type_=Text)),
        audiences.c.sources.is_not_distinct_from(bindparam("sources", type_=Text)),
    )
)
_ADD: Final = Prepared(lambda: insert(audiences))
_SOURCES: Final = Prepared(
    lambda: (
        select(audiences.c.stream_id)
        .join(
            events,
            (events.c.space_id == audiences.c.space_id)
            & (events.c.audience_id == audiences.c.audience_id),
        )
        .where(
            events.c.space_id == bindparam("space", type_=Text),
            events.c.event_id.in_(bindparam("ids", type_=Text, expanding=True)),
        )
        .distinct()
    )
)


def seen_by(access: Access) -> dict[str, Any]:
    """The parameter values of ``VISIBLE`` for an access."""
    return {
        "seen_space": access.space_id,
        "seen_user": access.viewer.user,
        "seen_member": int(access.role is not None),
        "seen_teams": sorted(access.viewer.teams),
        "seen_organisations": sorted(access.viewer.organisations),
    }


def visible_to(access: Access) -> Select[Any]:
    """The filter for one access, for statements that are built dynamically."""
    return VISIBLE.params(**seen_by(access))


def visible_ids(connection: Connection, access: Access) -> list[int]:
    """The audiences that an access may see now, for filtering in this process."""
    return _VISIBLE.column(connection, **seen_by(access))


def all_visible(connection: Connection, access: Access, ids: Iterable[int]) -> bool:
    """Whether an access may see all of these audiences now."""
    wanted = sorted(set(ids))
    found = _VISIBLE_OF.column(connection, ids=wanted, **seen_by(access)) if wanted else []
    return len(found) == len(wanted)


def sources_of(connection: Connection, space_id: str, event_ids: Iterable[str]) -> tuple[str, ...]:
    """The streams that decide who may read these events: each once, in order."""
    ids = list(event_ids)
    return tuple(sorted(_SOURCES.column(connection, space=space_id, ids=ids))) if ids else ()


def audience_id(
    connection: Connection,
    space_id: str,
    audience: Audience,
    fresh: int,
    sources: Iterable[str] = (),
) -> int:
    """The id of an audience in its space; a new one takes the fresh number.

    ``sources`` are the streams that a viewer must be able to read. An audience never changes, so a
    committed one can be cached for good.
    """
    needed = tuple(sorted(set(sources) - {audience.stream}))
    known = _known.setdefault(dialect_of(connection), {})
    found = known.get((space_id, audience, needed))
    if found is None:
        found = _found_or_made(connection, space_id, audience, fresh, needed)
        if found not in connection.info.get(NEW, ()):
            if len(known) >= _KEPT:
                known.clear()
            known[space_id, audience, needed] = found
    return found


def begin(connection: Connection) -> None:
    """Start a transaction that sees only what its viewer may see; the audiences that an earlier one
    created are committed or discarded by now.
    """
    connection.info.pop(NEW, None)
    connection.info.pop(_SHARED_READS, None)


def clear_cache(connection: Connection) -> None:
    """Clear the cache: audiences changed, because a deleted person was removed from them."""
    _known.pop(dialect_of(connection), None)


def digest_of_sources(sources: Iterable[str]) -> str:
    """Digest of a set of streams, to find the audience that has them."""
    return sha256(" ".join(sorted(sources)).encode()).hexdigest()


def _found_or_made(
    connection: Connection, space_id: str, audience: Audience, fresh: int, sources: tuple[str, ...]
) -> int:
    values = {
        "owner": audience.owner,
        "visibility": audience.visibility.value,
        "team": audience.team,
        "organisation": audience.organisation,
        "sources": digest_of_sources(sources) if sources else None,
    }
    found = _KNOWN.value(connection, space=space_id, stream=audience.stream, **values)
    if found is not None:
        return int(found)
    _ADD.run(
        connection,
        space_id=space_id,
        audience_id=fresh,
        stream_id=audience.stream,
        source_count=len(sources) or None,
        **values,
    )
    if sources:
        connection.execute(
            insert(audience_sources),
            [
                {"space_id": space_id, "audience_id": fresh, "stream_id": stream}
                for stream in sources
            ],
        )
    connection.info.setdefault(NEW, set()).add(fresh)
    return fresh


def read_shared_rows(connection: Connection) -> None:
    """Allow the next reads to see what all viewers share (the index, names in use); see below."""
    if not connection.info.get(_SHARED_READS):
        dialect_of(connection).read_shared_rows(connection, True)
        connection.info[_SHARED_READS] = True


@contextmanager
def shared_reads(connection: Connection) -> Iterator[None]:
    """Context in which ``read_shared_rows`` may be called; the extra access ends with it.

    A failed transaction ends, and its extra access with it.
    """
    yield
    if connection.info.pop(_SHARED_READS, None):
        dialect_of(connection).read_shared_rows(connection, False)


def enter(connection: Connection, space_id: str, viewer: Viewer, *, exclusive: bool = True) -> None:
    """Enter a space as the viewer; ``exclusive`` locks out other writers of the space."""
    connection.info.pop(_SHARED_READS, None)
    dialect_of(connection).enter(connection, space_id, viewer, exclusive=exclusive)


def acquire_locks(connection: Connection, space_ids: Iterable[str]) -> None:
    """Lock out other writers of spaces until the transaction ends; the lowest id first."""
    dialect_of(connection).acquire_locks(connection, sorted(set(space_ids)))


_MEMBER_SPACE: Final = bindparam("space", type_=Text)
_MEMBER_USER: Final = bindparam("user", type_=Text)


def _of_person(column: Any, table: Any) -> Any:
    """Scalar subquery: one value of a person's row in a space, or null."""
    found = select(column).where(table.c.space_id == _MEMBER_SPACE, table.c.user_id == _MEMBER_USER)
    return found.limit(1).scalar_subquery().label(column.name)


def _member_state_query() -> Any:
    """Query for the state of a person in a space, in one row, member or not."""
    grouped = select(group_members.c.name).where(group_members.c.user_id == _MEMBER_USER)
    indexed = select(code_indexes.c.version).where(code_indexes.c.space_id == _MEMBER_SPACE)
    return select(
        _of_person(space_members.c.role, space_members),
        _of_person(memory_settings.c.memory_enabled, memory_settings),
        _of_person(memory_settings.c.incognito_default, memory_settings),
        _of_person(incognito_sessions.c.session_id, incognito_sessions),
        _of_person(tombstones.c.tombstone_id, tombstones),
        grouped.limit(1).scalar_subquery().label("grouped"),
        indexed.limit(1).scalar_subquery().label("indexed"),
    )


_MEMBER_STATE = Prepared(_member_state_query)
_GROUPS = Prepared(
    lambda: select(group_members.c.kind, group_members.c.name).where(
        group_members.c.user_id == _MEMBER_USER
    )
)


class MemberState(NamedTuple):
    """State of a person in a space: their role, whether memory is on for them, whether some of
    their sessions are incognito, whether they recently had something forgotten, whether they see
    code there; and their teams and organisations known to the store.
    """

    role: Role | None
    remembers: bool
    has_incognito_sessions: bool
    forgot: bool
    code_indexed: bool
    teams: frozenset[str] = frozenset()
    organisations: frozenset[str] = frozenset()


def member_state(connection: Connection, space_id: str, user: str) -> MemberState:
    """The state of a person in a space."""
    (row,) = _MEMBER_STATE.rows(connection, space=space_id, user=user)  # its values may be null
    kinds = _GROUPS.rows(connection, user=user) if row.grouped is not None else ()
    groups = [frozenset(one.name for one in kinds if one.kind == kind.value) for kind in GroupKind]
    if row.role is None:
        return MemberState(None, True, False, True, False, *groups)
    return MemberState(
        Role(row.role),
        row.memory_enabled is None or bool(row.memory_enabled),
        bool(row.incognito_default) or row.session_id is not None,
        row.tombstone_id is not None,
        row.indexed is not None,
        *groups,
    )
