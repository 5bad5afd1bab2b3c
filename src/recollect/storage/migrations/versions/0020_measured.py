"""Metrics: daily counters, experiments on sessions, proposals for weights."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "daily_counts",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "day", "name"),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "experiments",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("experiment_id", PlainText, nullable=False),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("started_by", PlainText, nullable=False),
        sa.Column("ended_at", Instant),
        sa.PrimaryKeyConstraint("space_id", "experiment_id"),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        **spread,
    )
    op.create_index("experiments_running", "experiments", ["space_id", "ended_at"], unique=False)
    op.create_table(
        "weight_proposals",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("proposal_id", PlainText, nullable=False),
        sa.Column("made_at", Instant, nullable=False),
        sa.Column("weights", Document),
        sa.Column("evidence", Document),
        sa.Column("applied_at", Instant),
        sa.Column("applied_by", PlainText),
        sa.Column("undone_at", Instant),
        sa.Column("undone_by", PlainText),
        sa.PrimaryKeyConstraint("space_id", "proposal_id"),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        **spread,
    )
    dialect.finish_schema(op.get_bind())
