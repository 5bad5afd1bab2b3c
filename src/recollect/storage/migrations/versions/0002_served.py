"""Retrieval log: the queries, the results of each, and the feedback on them."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SCOPE_COLUMNS = {"retrievals": ("space_id", "retrieval_id", "user_id")}


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "retrievals",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("retrieval_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("query", PlainText, nullable=False),
        sa.Column("profile", PlainText, nullable=False),
        sa.Column("phase", PlainText, nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "retrieval_id"),
        **spread,
    )
    op.create_index(
        "retrievals_by_user", "retrievals", ["space_id", "user_id", "retrieval_id"], unique=False
    )
    op.create_index("retrievals_by_age", "retrievals", ["space_id", "at"], unique=False)
    op.create_table(
        "retrieval_items",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("retrieval_id", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "retrieval_id"],
            ["retrievals.space_id", "retrievals.retrieval_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "retrieval_id", "position"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "retrieval_items_by_item", "retrieval_items", ["space_id", "item_id"], unique=False
    )
    op.create_table(
        "retrieval_feedback",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("feedback_id", PlainText, nullable=False),
        sa.Column("retrieval_id", PlainText, nullable=False),
        sa.Column("item_id", PlainText, nullable=True),
        sa.Column("verdict", PlainText, nullable=False),
        sa.Column("note", PlainText, nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "retrieval_id"],
            ["retrievals.space_id", "retrievals.retrieval_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "feedback_id"),
        **spread,
    )
    op.create_index(
        "retrieval_feedback_by_retrieval",
        "retrieval_feedback",
        ["space_id", "retrieval_id"],
        unique=False,
    )
    dialect.protect_columns(op.get_bind(), SCOPE_COLUMNS)
    dialect.finish_schema(op.get_bind())
