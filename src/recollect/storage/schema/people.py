"""Tables of people beyond one space: teams and organisations; and of disputes over memories."""

from sqlalchemy import Column, ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table

from recollect.storage.columns import Instant, PlainText
from recollect.storage.schema.base import metadata, within

groups = Table(
    "groups",
    metadata,
    Column("kind", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("created_by", PlainText, nullable=False),
    Column("created_at", Instant, nullable=False),
    PrimaryKeyConstraint("kind", "name"),
)

group_members = Table(
    "group_members",
    metadata,
    Column("kind", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("joined_at", Instant, nullable=False),
    PrimaryKeyConstraint("kind", "name", "user_id"),
    ForeignKeyConstraint(["kind", "name"], ["groups.kind", "groups.name"], ondelete="CASCADE"),
    Index("group_members_by_user", "user_id", "kind", "name"),
)

disputes = Table(
    "disputes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("dispute_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("opened_by", PlainText, nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("escalated_by", PlainText),
    Column("escalated_at", Instant),
    Column("resolution", PlainText),
    Column("resolved_by", PlainText),
    Column("resolved_at", Instant),
    PrimaryKeyConstraint("space_id", "dispute_id"),
    within("memories", "memory_id"),
    Index("disputes_by_memory", "space_id", "memory_id"),
    Index("disputes_open", "space_id", "resolution", "dispute_id"),
)

dispute_comments = Table(
    "dispute_comments",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("dispute_id", PlainText, nullable=False),
    Column("comment_id", PlainText, nullable=False),
    Column("author", PlainText, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "dispute_id", "comment_id"),
    within("disputes", "dispute_id"),
)
