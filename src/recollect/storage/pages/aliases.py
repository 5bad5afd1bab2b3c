"""Rows of aliases: other names of people, each confirmed by a steward of the space."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.prepared import Prepared
from recollect.storage.schema import author_aliases, events, stream_members
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.events import HANDLE
from recollect.vocabulary.spaces import Alias

_OF: Final = Prepared(
    lambda: select(author_aliases.c.alias).where(
        author_aliases.c.space_id == bindparam("space", type_=Text),
        author_aliases.c.user_id == bindparam("user", type_=Text),
    )
)


def aliases_of(connection: Connection, space_id: str, user: str) -> frozenset[str]:
    """The aliases of one person in a space."""
    return frozenset(_OF.column(connection, space=space_id, user=user))


def user_of_alias(connection: Connection, space_id: str, name: str) -> str | None:
    """The person who has this alias."""
    found: str | None = connection.execute(
        select(author_aliases.c.user_id).where(
            author_aliases.c.space_id == space_id, author_aliases.c.alias == name
        )
    ).scalar()
    return found


def list_aliases(connection: Connection, space_id: str) -> list[Alias]:
    """Every alias in a space, by person."""
    rows = connection.execute(
        select(author_aliases)
        .where(author_aliases.c.space_id == space_id)
        .order_by(author_aliases.c.user_id, author_aliases.c.alias)
    )
    return [Alias(row.user_id, row.alias, row.confirmed_by, row.confirmed_at) for row in rows]


def authored_by(space_id: str, people: Collection[str]) -> ColumnElement[bool]:
    """Events by people, under their own names or a confirmed alias."""
    named = sorted(people)
    others = select(author_aliases.c.alias).where(
        author_aliases.c.space_id == space_id, author_aliases.c.user_id.in_(named)
    )
    return or_(events.c.author.in_(named), events.c.author.in_(others))


def count_authors(connection: Connection, access: Access) -> dict[str, int]:
    """Authors of events that the access may read, with their number of events."""
    rows = connection.execute(
        select(events.c.author, func.count())
        .where(events.c.space_id == access.space_id, events.c.audience_id.in_(visible_to(access)))
        .group_by(events.c.author)
    )
    return {row[0]: int(row[1]) for row in rows}


def handles_of(connection: Connection, access: Access, names: Collection[str]) -> dict[str, str]:
    """The handle of each author that the newest event of theirs which the access may read names."""
    newest = (
        select(func.max(events.c.event_id))
        .where(
            events.c.space_id == access.space_id,
            events.c.audience_id.in_(visible_to(access)),
            events.c.author.in_(sorted(names)),
        )
        .group_by(events.c.author)
    )
    rows = connection.execute(
        select(events.c.author, events.c.payload).where(
            events.c.space_id == access.space_id, events.c.event_id.in_(newest)
        )
    )
    return {
        row.author: row.payload[HANDLE] for row in rows if isinstance(row.payload.get(HANDLE), str)
    }


def add_alias_to_streams(connection: Connection, space_id: str, alias: Alias) -> None:
    """Add a person to the private streams that list one of their aliases."""
    listed = select(stream_members.c.stream_id).where(stream_members.c.space_id == space_id)
    known = listed.where(stream_members.c.user_id == alias.user)
    missing = listed.where(
        stream_members.c.user_id == alias.name, stream_members.c.stream_id.not_in(known)
    )
    for stream_id in connection.execute(missing).scalars().all():
        connection.execute(
            insert(stream_members).values(
                space_id=space_id,
                stream_id=stream_id,
                user_id=alias.user,
                added_at=alias.confirmed_at,
            )
        )


def remove_alias_from_streams(connection: Connection, space_id: str, user: str, name: str) -> None:
    """Remove a person from the streams that they joined through an alias."""
    confirmed = (
        select(author_aliases.c.confirmed_at)
        .where(
            author_aliases.c.space_id == space_id,
            author_aliases.c.user_id == user,
            author_aliases.c.alias == name,
        )
        .scalar_subquery()
    )
    connection.execute(
        delete(stream_members).where(
            stream_members.c.space_id == space_id,
            stream_members.c.user_id == user,
            stream_members.c.added_at == confirmed,
        )
    )


def put_alias(connection: Connection, space_id: str, alias: Alias) -> None:
    """Store an alias of a person, replacing the same one confirmed earlier."""
    drop_alias(connection, space_id, alias.user, alias.name)
    connection.execute(
        insert(author_aliases).values(
            space_id=space_id,
            user_id=alias.user,
            alias=alias.name,
            confirmed_by=alias.confirmed_by,
            confirmed_at=alias.confirmed_at,
        )
    )


def drop_alias(connection: Connection, space_id: str, user: str, name: str) -> bool:
    """Delete an alias; whether it was there."""
    done = connection.execute(
        delete(author_aliases).where(
            author_aliases.c.space_id == space_id,
            author_aliases.c.user_id == user,
            author_aliases.c.alias == name,
        )
    )
    return done.rowcount > 0
