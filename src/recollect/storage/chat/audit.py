"""The audit log: one row for each action of a person on their memory. Append-only."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import audit_log
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.personal import AuditEntry

_ADD = Prepared(lambda: insert(audit_log))


def add_audit(connection: Connection, space_id: str, entry: AuditEntry) -> None:
    """Add one action to the audit log."""
    _ADD.add(
        connection,
        space_id=space_id,
        audit_id=entry.id,
        user_id=entry.user,
        action=entry.action,
        subject=entry.subject,
        session_id=entry.session,
        detail=dict(entry.detail),
        at=entry.at,
    )


def list_audit(
    connection: Connection, access: Access, *, before: str | None, limit: int
) -> list[AuditEntry]:
    """The viewer's actions in the space, newest first, past a cursor."""
    query = select(audit_log).where(
        audit_log.c.space_id == access.space_id, audit_log.c.user_id == access.viewer.user
    )
    if before:
        query = query.where(audit_log.c.audit_id < before)
    rows = connection.execute(query.order_by(audit_log.c.audit_id.desc()).limit(limit))
    return [_entry(row) for row in rows]


def last_done(connection: Connection, access: Access, action: str) -> datetime | None:
    """When the viewer last did an action in the space."""
    return connection.execute(
        select(func.max(audit_log.c.at)).where(
            audit_log.c.space_id == access.space_id,
            audit_log.c.user_id == access.viewer.user,
            audit_log.c.action == action,
        )
    ).scalar_one_or_none()


def get_audit(connection: Connection, access: Access, audit_id: str) -> AuditEntry | None:
    """One of the viewer's entries; None if there is none."""
    row = connection.execute(
        select(audit_log).where(
            audit_log.c.space_id == access.space_id,
            audit_log.c.user_id == access.viewer.user,
            audit_log.c.audit_id == audit_id,
        )
    ).first()
    return None if row is None else _entry(row)


def count_actions(connection: Connection, access: Access) -> dict[str, int]:
    """Number of the viewer's actions in the space, by kind: added, repeated, trimmed and so on."""
    rows = connection.execute(
        select(audit_log.c.action, func.count())
        .where(audit_log.c.space_id == access.space_id, audit_log.c.user_id == access.viewer.user)
        .group_by(audit_log.c.action)
    )
    return {action: count for action, count in rows}


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(
        id=row.audit_id,
        user=row.user_id,
        action=row.action,
        subject=row.subject,
        session=row.session_id,
        detail=row.detail,
        at=row.at,
    )
