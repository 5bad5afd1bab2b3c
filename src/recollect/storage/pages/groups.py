"""Rows of teams and organisations, and of the people in them. They belong to no space, so whoever
calls has entered the house and has checked who asks."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, or_, select, union

from recollect.storage.schema import audiences, group_members, groups, spaces
from recollect.vocabulary.spaces import Group, GroupKind, GroupMember, GroupRole

#: Where the name of a group of each kind stands beside what it may see.
_LABELS = {
    GroupKind.TEAM: (spaces.c.team, audiences.c.team),
    GroupKind.ORGANISATION: (spaces.c.organisation, audiences.c.organisation),
}


def add_group(connection: Connection, group: Group) -> None:
    """Write a new group with its people."""
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
    """A group with its people."""
    found = _groups(connection, [(kind.value, name)])
    return found[0] if found else None


def groups_of(connection: Connection, user: str) -> list[Group]:
    """The groups that a person is in, each with its people."""
    rows = connection.execute(
        select(group_members.c.kind, group_members.c.name)
        .where(group_members.c.user_id == user)
        .order_by(group_members.c.kind.desc(), group_members.c.name)
    )
    return _groups(connection, [(row.kind, row.name) for row in rows])


def put_member(connection: Connection, kind: GroupKind, name: str, member: GroupMember) -> None:
    """Let a person into a group, in place of the role they had in it."""
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
    """Take a person out of a group; whether they were in."""
    done = connection.execute(
        delete(group_members).where(
            group_members.c.kind == kind.value,
            group_members.c.name == name,
            group_members.c.user_id == user,
        )
    )
    return done.rowcount > 0


def drop_group(connection: Connection, kind: GroupKind, name: str) -> None:
    """Take a group away, with its list of people."""
    for table in (group_members, groups):
        connection.execute(delete(table).where(table.c.kind == kind.value, table.c.name == name))


def spaces_using(connection: Connection, kind: GroupKind, name: str) -> set[str]:
    """The spaces that are said to belong to a group, or in which something is shared with it."""
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
