"""Staleness of memories about code, and semantic relations between the folders of the code.

Both are computed from existing data, so an older store begins with none.
"""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    op.create_table(
        "memory_staleness",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("changed", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("newer_days", sa.Integer(), nullable=False),
        sa.Column("checked_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "memory_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "code_meanings",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("module", PlainText, nullable=False),
        sa.Column("source", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("target", PlainText, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("made_by", PlainText, nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "module", "source", "kind", "target"),
        sa.ForeignKeyConstraint(
            ["space_id"],
            ["code_indexes.space_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    dialect.finish_schema(bind)
