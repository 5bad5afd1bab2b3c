"""Rows of access tokens. Read and written with system access only."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, bindparam, exists, insert, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from recollect.storage.columns import Instant
from recollect.storage.prepared import Prepared
from recollect.storage.schema import access_tokens, space_members
from recollect.vocabulary.access import AccessToken
from recollect.vocabulary.spaces import Role


def _parent_is_valid() -> ColumnElement[bool]:
    """Whether the parent token of a login is neither revoked nor expired."""
    return exists().where(
        _PARENT.c.space_id == access_tokens.c.space_id,
        _PARENT.c.token_id == access_tokens.c.parent_id,
        _PARENT.c.revoked_at.is_(None),
        or_(_PARENT.c.expires_at.is_(None), _PARENT.c.expires_at > bindparam("now", type_=Instant)),
    )


_PARENT = access_tokens.alias("parent")
_OPENED = Prepared(
    lambda: (
        select(
            access_tokens.c.token_id,
            access_tokens.c.space_id,
            access_tokens.c.user_id,
            access_tokens.c.role,
            access_tokens.c.parent_id,
        )
        .join(  # a member removed from a space cannot use an older token there
            space_members,
            (space_members.c.space_id == access_tokens.c.space_id)
            & (space_members.c.user_id == access_tokens.c.user_id),
        )
        .where(
            access_tokens.c.digest == bindparam("digest", type_=Text),
            access_tokens.c.revoked_at.is_(None),
            or_(
                access_tokens.c.expires_at.is_(None),
                access_tokens.c.expires_at > bindparam("now", type_=Instant),
            ),
            or_(access_tokens.c.parent_id.is_(None), _parent_is_valid()),
        )
    )
)
_USED = Prepared(
    lambda: (
        update(access_tokens)
        .where(access_tokens.c.token_id == bindparam("token", type_=Text))
        .values(last_used_at=bindparam("at", type_=Instant))
    )
)


def add_token(connection: Connection, token: AccessToken, digest: str) -> None:
    """Write a token for one space."""
    connection.execute(
        insert(access_tokens).values(
            space_id=token.space_id,
            token_id=token.id,
            digest=digest,
            user_id=token.user,
            name=token.name,
            role=token.role.value,
            shown=token.shown,
            created_at=token.created_at,
            created_by=token.created_by,
            expires_at=token.expires_at,
            parent_id=token.parent,
        )
    )


def opened_by(connection: Connection, digest: str, now: datetime) -> list[Any]:
    """Valid rights of a token now: token_id, space_id, user_id and role of each space."""
    return _OPENED.rows(connection, digest=digest, now=now)


def tokens_of(connection: Connection, space_id: str) -> list[AccessToken]:
    """Every token of a space, oldest first, expired and revoked ones too."""
    rows = connection.execute(
        select(access_tokens)
        .where(access_tokens.c.space_id == space_id)
        .order_by(access_tokens.c.token_id)
    )
    return [_token(row) for row in rows]


def revoke_token(connection: Connection, space_id: str, token_id: str, now: datetime) -> None:
    """Revoke a token for this space."""
    connection.execute(
        update(access_tokens)
        .where(access_tokens.c.space_id == space_id, access_tokens.c.token_id == token_id)
        .where(access_tokens.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def revoke_digest(connection: Connection, digest: str, now: datetime) -> None:
    """End one login, in every space it gives access to."""
    connection.execute(
        update(access_tokens)
        .where(access_tokens.c.digest == digest, access_tokens.c.parent_id.is_not(None))
        .where(access_tokens.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def revoke_logins(connection: Connection, user: str, now: datetime) -> int:
    """End every login of a person; how many there were."""
    return connection.execute(
        update(access_tokens)
        .where(access_tokens.c.user_id == user, access_tokens.c.parent_id.is_not(None))
        .where(access_tokens.c.revoked_at.is_(None))
        .values(revoked_at=now)
    ).rowcount


def note_used(connection: Connection, used: Mapping[str, datetime]) -> None:
    """Store when tokens were last used."""
    _USED.run_many(connection, [{"token": token, "at": at} for token, at in used.items()])


def any_token(connection: Connection, now: datetime) -> bool:
    """Whether the store has any valid token."""
    good = select(access_tokens.c.token_id).where(
        access_tokens.c.revoked_at.is_(None),
        or_(access_tokens.c.expires_at.is_(None), access_tokens.c.expires_at > now),
    )
    return connection.execute(good.limit(1)).first() is not None


def _token(row: Any) -> AccessToken:
    return AccessToken(
        id=row.token_id,
        space_id=row.space_id,
        user=row.user_id,
        name=row.name,
        role=Role(row.role),
        shown=row.shown,
        created_at=row.created_at,
        created_by=row.created_by,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
        parent=row.parent_id,
    )
