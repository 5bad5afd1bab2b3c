"""Contradictions with their resolutions, nightly runs, and which feedback was applied already.

Older feedback is applied in the first night.
"""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    op.add_column("retrieval_feedback", sa.Column("applied_at", Instant))
    op.create_index(
        "retrieval_feedback_to_apply",
        "retrieval_feedback",
        ["space_id", "applied_at", "feedback_id"],
        unique=False,
    )
    op.create_table(
        "contradictions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("contradiction_id", PlainText, nullable=False),
        sa.Column("first_id", PlainText, nullable=False),
        sa.Column("second_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("judged_by", PlainText, nullable=False),
        sa.Column("detected_at", Instant, nullable=False),
        sa.Column("resolution", PlainText),
        sa.Column("note", PlainText),
        sa.Column("resolved_at", Instant),
        sa.Column("resolved_by", PlainText),
        sa.Column("merged_id", PlainText),
        sa.PrimaryKeyConstraint("space_id", "contradiction_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "first_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "second_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        **spread,
    )
    op.create_index(
        "contradictions_by_first",
        "contradictions",
        ["space_id", "first_id", "second_id"],
        unique=False,
    )
    op.create_index(
        "contradictions_by_second", "contradictions", ["space_id", "second_id"], unique=False
    )
    op.create_index(
        "contradictions_open",
        "contradictions",
        ["space_id", "resolution", "contradiction_id"],
        unique=False,
    )
    op.create_table(
        "contradiction_judgements",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("first_id", PlainText, nullable=False),
        sa.Column("second_id", PlainText, nullable=False),
        sa.Column("digest", PlainText, nullable=False),
        sa.Column("contradicts", sa.Boolean(), nullable=False),
        sa.Column("judged_by", PlainText, nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "first_id", "second_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "first_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "second_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "contradiction_judgements_by_second",
        "contradiction_judgements",
        ["space_id", "second_id"],
        unique=False,
    )
    op.create_table(
        "evolution_runs",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("run_id", PlainText, nullable=False),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("finished_at", Instant),
        sa.Column("step", PlainText, nullable=False),
        sa.Column("position", PlainText),
        sa.Column("counts", Document),
        sa.PrimaryKeyConstraint("space_id", "run_id"),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        **spread,
    )
    op.create_table(
        "evolution_changes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("run_id", PlainText, nullable=False),
        sa.Column("change_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("step", PlainText, nullable=False),
        sa.Column("before", Document),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.Column("undone_at", Instant),
        sa.PrimaryKeyConstraint("space_id", "run_id", "change_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "evolution_changes_by_memory", "evolution_changes", ["space_id", "memory_id"], unique=False
    )
    op.create_table(
        "memory_uses",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "memory_id"),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    dialect.finish_schema(bind)
