"""Rows of disputes and their comments. Both are visible to those who may see the memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.schema import dispute_comments, disputes, memories
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.disputes import Dispute, DisputeComment, DisputeResolution


def add_dispute(connection: Connection, space_id: str, dispute: Dispute) -> None:
    """Insert a new dispute."""
    connection.execute(
        insert(disputes).values(
            space_id=space_id,
            dispute_id=dispute.id,
            memory_id=dispute.memory_id,
            opened_by=dispute.opened_by,
            opened_at=dispute.opened_at,
        )
    )


def add_comment(
    connection: Connection, space_id: str, dispute_id: str, comment: DisputeComment
) -> None:
    """Insert a comment on a dispute."""
    connection.execute(
        insert(dispute_comments).values(
            space_id=space_id,
            dispute_id=dispute_id,
            comment_id=comment.id,
            author=comment.author,
            text=comment.text,
            at=comment.at,
        )
    )


def escalate(
    connection: Connection, space_id: str, dispute_id: str, user: str, at: datetime
) -> None:
    """Record that the owners of the space are to decide."""
    _change(connection, space_id, dispute_id, escalated_by=user, escalated_at=at)


def settle(
    connection: Connection,
    space_id: str,
    dispute_id: str,
    *,
    resolution: DisputeResolution,
    user: str,
    at: datetime,
) -> None:
    """Store the resolution."""
    _change(
        connection,
        space_id,
        dispute_id,
        resolution=resolution.value,
        resolved_by=user,
        resolved_at=at,
    )


def list_disputes(
    connection: Connection,
    access: Access,
    *,
    resolved: bool | None = None,
    dispute_id: str | None = None,
    memory_id: str | None = None,
    before: str | None = None,
    limit: int = 100,
) -> list[Dispute]:
    """Disputes over memories that the access may see, newest first, with their comments."""
    seen = select(memories.c.memory_id).where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )
    query = select(disputes).where(
        disputes.c.space_id == access.space_id, disputes.c.memory_id.in_(seen)
    )
    if resolved is not None:
        settled = disputes.c.resolution
        query = query.where(settled.is_not(None) if resolved else settled.is_(None))
    if dispute_id is not None:
        query = query.where(disputes.c.dispute_id == dispute_id)
    if memory_id is not None:
        query = query.where(disputes.c.memory_id == memory_id)
    if before is not None:
        query = query.where(disputes.c.dispute_id < before)
    found = connection.execute(query.order_by(disputes.c.dispute_id.desc()).limit(limit)).all()
    return _with_comments(connection, access.space_id, [_dispute(row) for row in found])


def comment_texts(connection: Connection, space_id: str, memory_id: str) -> list[str]:
    """All comments in disputes over a memory, for its erasure."""
    return list(
        connection.execute(
            select(dispute_comments.c.text)
            .join(
                disputes,
                (disputes.c.space_id == dispute_comments.c.space_id)
                & (disputes.c.dispute_id == dispute_comments.c.dispute_id),
            )
            .where(disputes.c.space_id == space_id, disputes.c.memory_id == memory_id)
        ).scalars()
    )


def _with_comments(
    connection: Connection, space_id: str, found: Sequence[Dispute]
) -> list[Dispute]:
    said: dict[str, list[DisputeComment]] = {}
    if found:
        rows = connection.execute(
            select(dispute_comments)
            .where(
                dispute_comments.c.space_id == space_id,
                dispute_comments.c.dispute_id.in_([one.id for one in found]),
            )
            .order_by(dispute_comments.c.comment_id)
        )
        for row in rows:
            comment = DisputeComment(row.comment_id, row.author, row.text, row.at)
            said.setdefault(row.dispute_id, []).append(comment)
    return [replace(one, comments=tuple(said.get(one.id, ()))) for one in found]


def _change(connection: Connection, space_id: str, dispute_id: str, **values: Any) -> None:
    connection.execute(
        update(disputes)
        .where(disputes.c.space_id == space_id, disputes.c.dispute_id == dispute_id)
        .values(**values)
    )


def _dispute(row: Row[Any]) -> Dispute:
    return Dispute(
        id=row.dispute_id,
        memory_id=row.memory_id,
        opened_by=row.opened_by,
        opened_at=row.opened_at,
        escalated_by=row.escalated_by,
        escalated_at=row.escalated_at,
        resolution=None if row.resolution is None else DisputeResolution(row.resolution),
        resolved_by=row.resolved_by,
        resolved_at=row.resolved_at,
    )
