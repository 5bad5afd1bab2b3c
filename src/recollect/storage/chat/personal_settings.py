"""Rows of what a person set: memory on or off, incognito sessions, shared tags."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Text, bindparam, delete, insert, select, update

from recollect.storage.prepared import Prepared
from recollect.storage.schema import incognito_sessions, memory_settings, shared_tags, spaces
from recollect.vocabulary.audiences import Access

if TYPE_CHECKING:
    from recollect.vocabulary.personal import MemorySettings, Share

_SPACE = bindparam("space", type_=Text)
_USER = bindparam("user", type_=Text)
_SETTINGS = Prepared(
    lambda: select(memory_settings).where(
        memory_settings.c.space_id == _SPACE, memory_settings.c.user_id == _USER
    )
)
_CAP = Prepared(
    lambda: (
        select(spaces.c.clock, memory_settings.c.soft_cap)
        .outerjoin(
            memory_settings,
            (memory_settings.c.space_id == spaces.c.space_id)
            & (memory_settings.c.user_id == _USER),
        )
        .where(spaces.c.space_id == _SPACE)
    )
)
_SESSION = Prepared(
    lambda: select(incognito_sessions.c.incognito).where(
        incognito_sessions.c.space_id == _SPACE,
        incognito_sessions.c.user_id == _USER,
        incognito_sessions.c.session_id == bindparam("session", type_=Text),
    )
)


def settings_of(connection: Connection, access: Access) -> "MemorySettings":
    """The viewer's settings in the space; defaults where nothing was set."""
    from recollect.vocabulary.personal import MemorySettings

    row = _SETTINGS.first(connection, space=access.space_id, user=access.viewer.user)
    if row is None:
        return MemorySettings()
    return MemorySettings(
        memory_enabled=bool(row.memory_enabled),
        incognito_default=bool(row.incognito_default),
        soft_cap=row.soft_cap,
        retention_days=row.retention_days,
    )


def entry_limit_and_clock(connection: Connection, access: Access) -> tuple[int, int]:
    """How many entries the viewer may have in the space, and the current clock of the space."""
    ((clock, cap),) = _CAP.rows(connection, space=access.space_id, user=access.viewer.user)
    from recollect.vocabulary.personal import MemorySettings

    return MemorySettings().soft_cap if cap is None else int(cap), int(clock)


def put_settings(connection: Connection, access: Access, settings: "MemorySettings") -> None:
    """Store the viewer's settings."""
    values = {
        "memory_enabled": settings.memory_enabled,
        "incognito_default": settings.incognito_default,
        "soft_cap": settings.soft_cap,
        "retention_days": settings.retention_days,
    }
    here = (memory_settings.c.space_id == access.space_id) & (
        memory_settings.c.user_id == access.viewer.user
    )
    if connection.execute(update(memory_settings).where(here).values(**values)).rowcount == 0:
        connection.execute(
            insert(memory_settings).values(
                space_id=access.space_id, user_id=access.viewer.user, **values
            )
        )


def session_state(connection: Connection, access: Access, session: str) -> bool | None:
    """Whether a session is incognito; None if that was never set."""
    found = _SESSION.value(
        connection, space=access.space_id, user=access.viewer.user, session=session
    )
    return None if found is None else bool(found)


def put_session(
    connection: Connection, access: Access, session: str, *, incognito: bool, now: datetime
) -> None:
    """Store whether a session is incognito."""
    connection.execute(
        delete(incognito_sessions).where(
            incognito_sessions.c.space_id == access.space_id,
            incognito_sessions.c.user_id == access.viewer.user,
            incognito_sessions.c.session_id == session,
        )
    )
    connection.execute(
        insert(incognito_sessions).values(
            space_id=access.space_id,
            user_id=access.viewer.user,
            session_id=session,
            incognito=incognito,
            since=now,
        )
    )


def forget_sessions(connection: Connection, space_id: str, before: datetime) -> int:
    """Delete old incognito settings of sessions."""
    done = connection.execute(
        delete(incognito_sessions).where(
            incognito_sessions.c.space_id == space_id, incognito_sessions.c.since < before
        )
    )
    return done.rowcount


def put_share(connection: Connection, access: Access, share: "Share") -> None:
    """Let a tag's entries be found in another space too."""
    drop_share(connection, access, share.tag, share.target_id)
    connection.execute(
        insert(shared_tags).values(
            space_id=access.space_id,
            user_id=access.viewer.user,
            tag=share.tag,
            target_id=share.target_id,
            since=share.since,
        )
    )


def drop_share(connection: Connection, access: Access, tag: str, target_id: str) -> bool:
    """Stop sharing a tag; whether it was shared."""
    done = connection.execute(
        delete(shared_tags).where(
            shared_tags.c.space_id == access.space_id,
            shared_tags.c.user_id == access.viewer.user,
            shared_tags.c.tag == tag,
            shared_tags.c.target_id == target_id,
        )
    )
    return done.rowcount > 0


def shares_from(connection: Connection, access: Access) -> "list[Share]":
    """The viewer's shares out of this space."""
    rows = connection.execute(
        select(shared_tags).where(
            shared_tags.c.space_id == access.space_id, shared_tags.c.user_id == access.viewer.user
        )
    )
    return [_share(row) for row in rows]


def shares_into(connection: Connection, target_id: str, user: str) -> "list[Share]":
    """A person's shares into a space. Needs system access: the rows are in many spaces."""
    rows = connection.execute(
        select(shared_tags)
        .where(shared_tags.c.target_id == target_id, shared_tags.c.user_id == user)
        .order_by(shared_tags.c.space_id, shared_tags.c.tag)
    )
    return [_share(row) for row in rows]


def _share(row: Row[Any]) -> "Share":
    from recollect.vocabulary.personal import Share

    return Share(row.tag, row.space_id, row.target_id, row.since)
