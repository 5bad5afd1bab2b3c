"""Rows of other names that people write under, each confirmed by a steward of the space."""

from typing import Final

from sqlalchemy import Connection, Text, bindparam, delete, insert, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import author_aliases
from recollect.vocabulary.spaces import Alias

_OF: Final = Prepared(
    lambda: select(author_aliases.c.alias).where(
        author_aliases.c.space_id == bindparam("space", type_=Text),
        author_aliases.c.user_id == bindparam("user", type_=Text),
    )
)


def aliases_of(connection: Connection, space_id: str, user: str) -> frozenset[str]:
    """The other names of one person in a space."""
    return frozenset(_OF.column(connection, space=space_id, user=user))


def list_aliases(connection: Connection, space_id: str) -> list[Alias]:
    """Every other name in a space, by person."""
    rows = connection.execute(
        select(author_aliases)
        .where(author_aliases.c.space_id == space_id)
        .order_by(author_aliases.c.user_id, author_aliases.c.alias)
    )
    return [Alias(row.user_id, row.alias, row.confirmed_by, row.confirmed_at) for row in rows]


def put_alias(connection: Connection, space_id: str, alias: Alias) -> None:
    """Write another name of a person, in place of the same one confirmed earlier."""
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
    """Take another name away; whether it was there."""
    done = connection.execute(
        delete(author_aliases).where(
            author_aliases.c.space_id == space_id,
            author_aliases.c.user_id == user,
            author_aliases.c.alias == name,
        )
    )
    return done.rowcount > 0
