"""Rows of spaces and their members."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.prepared import Prepared, dialect_of
from recollect.storage.schema import (
    COLLECTIONS,
    places,
    space_members,
    spaces,
)
from recollect.storage.space_clock import number_and_clock
from recollect.vocabulary.spaces import Member, Role, Space, SpaceKind

_SPACE = bindparam("space", type_=Text)
_NAMED = Prepared(lambda: select(spaces).where(spaces.c.name == bindparam("wanted", type_=Text)))
_ALL_IDS = Prepared(lambda: select(spaces.c.space_id).order_by(spaces.c.number))

_ROLE = Prepared(
    lambda: select(space_members.c.role).where(
        space_members.c.space_id == _SPACE,
        space_members.c.user_id == bindparam("user", type_=Text),
    )
)


_HIGHEST = Prepared(lambda: select(func.max(spaces.c.number)))
_ADD = Prepared(lambda: insert(spaces))
_ADD_MEMBER = Prepared(lambda: insert(space_members))


def add_space(connection: Connection, space: Space, owner: str) -> None:
    """Insert a new space with its first member."""
    _ADD.run(
        connection,
        space_id=space.id,
        number=(_HIGHEST.value(connection) or 0) + 1,
        name=space.name,
        kind=space.kind.value,
        organisation=space.organisation,
        team=space.team,
        created_at=space.created_at,
        clock=0,
        archived_at=None,
        retention_days=None,
    )
    _ADD_MEMBER.run(
        connection,
        space_id=space.id,
        user_id=owner,
        role=Role.OWNER.value,
        joined_at=space.created_at,
        welcomed_at=space.created_at,
    )


def space_named(connection: Connection, name: str) -> Space | None:
    """The space of that name, whoever asks; the caller checks who may enter."""
    row = _NAMED.first(connection, wanted=name)
    return _space(row) if row else None


def space_of(connection: Connection, space_id: str) -> Space | None:
    """The space of that id; needs system access."""
    row = connection.execute(select(spaces).where(spaces.c.space_id == space_id)).first()
    return _space(row) if row else None


def spaces_of(connection: Connection, user: str) -> list[Space]:
    """The spaces a person belongs to, oldest first."""
    rows = connection.execute(
        select(spaces)
        .join(space_members, space_members.c.space_id == spaces.c.space_id)
        .where(space_members.c.user_id == user)
        .order_by(spaces.c.number)
    )
    return [_space(row) for row in rows]


def all_space_ids(connection: Connection) -> list[str]:
    """Every space, for the system tasks."""
    return _ALL_IDS.column(connection)


def role_of(connection: Connection, space_id: str, user: str) -> Role | None:
    """A person's role in a space; None for a non-member."""
    found = _ROLE.value(connection, space=space_id, user=user)
    return Role(found) if found else None


def set_member(connection: Connection, space_id: str, member: Member) -> None:
    """Set a person's role; a member who was welcomed stays so."""
    before = select(space_members.c.welcomed_at).where(
        space_members.c.space_id == space_id, space_members.c.user_id == member.user
    )
    welcomed = member.welcomed_at or connection.execute(before).scalar()
    remove_member(connection, space_id, member.user)
    connection.execute(
        insert(space_members).values(
            space_id=space_id,
            user_id=member.user,
            role=member.role.value,
            joined_at=member.joined_at,
            welcomed_at=welcomed,
        )
    )


def remove_member(connection: Connection, space_id: str, user: str) -> bool:
    """Remove a member; whether they were one."""
    done = connection.execute(
        delete(space_members).where(
            space_members.c.space_id == space_id, space_members.c.user_id == user
        )
    )
    return done.rowcount > 0


def members_of(connection: Connection, space_id: str) -> list[Member]:
    """Everyone who belongs to a space."""
    rows = connection.execute(
        select(space_members)
        .where(space_members.c.space_id == space_id)
        .order_by(space_members.c.user_id)
    )
    return [Member(row.user_id, Role(row.role), row.joined_at, row.welcomed_at) for row in rows]


def is_welcomed(connection: Connection, space_id: str, user: str) -> bool:
    """Whether a member has seen the introduction to the space."""
    return (
        connection.execute(
            select(space_members.c.user_id).where(
                space_members.c.space_id == space_id,
                space_members.c.user_id == user,
                space_members.c.welcomed_at.is_not(None),
            )
        ).first()
        is not None
    )


def set_welcomed(connection: Connection, space_id: str, user: str, at: datetime) -> None:
    """Record that a member has seen the introduction to the space."""
    connection.execute(
        update(space_members)
        .where(space_members.c.space_id == space_id, space_members.c.user_id == user)
        .values(welcomed_at=at)
    )


def change_space(connection: Connection, space_id: str, **values: Any) -> None:
    """Rename a space, archive it, or set its retention."""
    connection.execute(update(spaces).where(spaces.c.space_id == space_id).values(**values))


def delete_space(connection: Connection, space_id: str) -> None:
    """Delete a space permanently: its rows, texts, vectors and members."""
    dialect = dialect_of(connection)
    from recollect.storage.schema import metadata

    number, _ = number_and_clock(connection, space_id)
    for collection in COLLECTIONS:
        slots = connection.execute(
            select(places.c.slot).where(
                places.c.space_id == space_id, places.c.collection == collection
            )
        ).scalars()
        dialect.drop_keywords(connection, collection, (space_id, number), list(slots))
    for table in reversed(metadata.sorted_tables):  # like ON DELETE CASCADE, on every database
        if "space_id" in table.c:
            connection.execute(delete(table).where(table.c.space_id == space_id))


def _space(row: Any) -> Space:
    return Space(
        id=row.space_id,
        name=row.name,
        kind=SpaceKind(row.kind),
        organisation=row.organisation,
        team=row.team,
        created_at=row.created_at,
        archived_at=row.archived_at,
        retention_days=row.retention_days,
    )
