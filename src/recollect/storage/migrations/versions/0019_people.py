"""Teams and organisations, disputes over memories, and the retention of a space.

Existing members count as welcomed: only people who join later see the introduction.
"""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    op.add_column("spaces", sa.Column("archived_at", Instant))
    op.add_column("spaces", sa.Column("retention_days", sa.Integer()))
    op.add_column("space_members", sa.Column("welcomed_at", Instant))
    op.execute("UPDATE space_members SET welcomed_at = joined_at")
    op.create_table(
        "groups",
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("created_by", PlainText, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("kind", "name"),
    )
    op.create_table(
        "group_members",
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("role", PlainText, nullable=False),
        sa.Column("joined_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", "user_id"),
        sa.ForeignKeyConstraint(
            ["kind", "name"], ["groups.kind", "groups.name"], ondelete="CASCADE"
        ),
    )
    op.create_index(
        "group_members_by_user", "group_members", ["user_id", "kind", "name"], unique=False
    )
    op.create_table(
        "disputes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("dispute_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("opened_by", PlainText, nullable=False),
        sa.Column("opened_at", Instant, nullable=False),
        sa.Column("escalated_by", PlainText),
        sa.Column("escalated_at", Instant),
        sa.Column("resolution", PlainText),
        sa.Column("resolved_by", PlainText),
        sa.Column("resolved_at", Instant),
        sa.PrimaryKeyConstraint("space_id", "dispute_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        **spread,
    )
    op.create_index("disputes_by_memory", "disputes", ["space_id", "memory_id"], unique=False)
    op.create_index(
        "disputes_open", "disputes", ["space_id", "resolution", "dispute_id"], unique=False
    )
    op.create_table(
        "dispute_comments",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("dispute_id", PlainText, nullable=False),
        sa.Column("comment_id", PlainText, nullable=False),
        sa.Column("author", PlainText, nullable=False),
        sa.Column("text", PlainText, nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "dispute_id", "comment_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "dispute_id"],
            ["disputes.space_id", "disputes.dispute_id"],
            ondelete="CASCADE",
        ),
        **spread,
    )
    dialect.finish_schema(bind)
