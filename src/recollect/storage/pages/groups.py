"""Rows of teams and organisations and their members.

They belong to no space, so callers use system access and check the viewer's rights themselves.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, or_, select, union

from recollect.storage.schema import audiences, group_members, groups, spaces
from recollect.vocabulary.spaces import Group, GroupKind, GroupMember, GroupRole

#: Columns that name a group of each kind: of spaces that belong to it, and of audiences.
_LABELS = {
    GroupKind.TEAM: (spaces.c.team, audiences.c.team),
    GroupKind.ORGANISATION: (spaces.c.organisation, audiences.c.organisation),
}


def add_group(connection: Connection, group: Group) -> None:
    """Insert a new group with its members."""
    connection.execute(
        insert(groups).values(
            kind=group.kind.value,
            name=group.name,
            created_by=group.created_by,
            created_at=group.created_at,
        )
    )
    for member in group.members:
        put_member(connection, group.kind, group.name, member)


def get_group(connection: Connection, kind: GroupKind, name: str) -> Group | None:
    """A group with its members."""
    found = _groups(connection, [(kind.value, name)])
    return found[0] if found else None


def groups_of(connection: Connection, user: str) -> list[Group]:
    """The groups that a person is in, each with its members."""
    rows = connection.execute(
        select(group_members.c.kind, group_members.c.name)
        .where(group_members.c.user_id == user)
        .order_by(group_members.c.kind.desc(), group_members.c.name)
    )
    return _groups(connection, [(row.kind, row.name) for row in rows])


def put_member(connection: Connection, kind: GroupKind, name: str, member: GroupMember) -> None:
    """Add a person to a group, or change their role in it."""
    drop_member(connection, kind, name, member.user)
    connection.execute(
        insert(group_members).values(
            kind=kind.value,
            name=name,
            user_id=member.user,
            role=member.role.value,
            joined_at=member.joined_at,
        )
    )


def drop_member(connection: Connection, kind: GroupKind, name: str, user: str) -> bool:
    """Remove a person from a group; whether they were a member."""
    done = connection.execute(
        delete(group_members).where(
            group_members.c.kind == kind.value,
            group_members.c.name == name,
            group_members.c.user_id == user,
        )
    )
    return done.rowcount > 0


def drop_group(connection: Connection, kind: GroupKind, name: str) -> None:
    """Delete a group with its members."""
    for table in (group_members, groups):
        connection.execute(delete(table).where(table.c.kind == kind.value, table.c.name == name))


def spaces_using(connection: Connection, kind: GroupKind, name: str) -> set[str]:
    """The spaces that belong to a group, or in which something is shared with it."""
    of_space, of_audience = _LABELS[kind]
    return set(
        connection.execute(
            union(
                select(spaces.c.space_id).where(of_space == name),
                select(audiences.c.space_id).where(of_audience == name),
            )
        ).scalars()
    )


def _groups(connection: Connection, keys: Sequence[tuple[str, str]]) -> list[Group]:
    if not keys:
        return []
    rows = {(row.kind, row.name): row for row in connection.execute(_keyed(groups, keys))}
    people: dict[tuple[str, str], list[GroupMember]] = {}
    for one in connection.execute(_keyed(group_members, keys).order_by(group_members.c.user_id)):
        people.setdefault((one.kind, one.name), []).append(_member(one))
    return [
        Group(
            GroupKind(row.kind),
            row.name,
            tuple(people.get(key, ())),
            row.created_by,
            row.created_at,
        )
        for key in keys
        if (row := rows.get(key)) is not None
    ]


def _keyed(table: Any, keys: Sequence[tuple[str, str]]) -> Any:
    return select(table).where(
        or_(*((table.c.kind == kind) & (table.c.name == name) for kind, name in keys))
    )


def _member(row: Row[Any]) -> GroupMember:
    return GroupMember(row.user_id, GroupRole(row.role), row.joined_at)
