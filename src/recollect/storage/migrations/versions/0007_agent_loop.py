"""Agent loop: sessions, the memories served to each, people's reviews, trust levels."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "agent_sessions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("agent", PlainText, nullable=False),
        sa.Column("task", PlainText, nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("reviewed_at", sa.BigInteger(), nullable=True),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("injected_tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "session_id"),
        **spread,
    )
    op.create_index("agent_sessions_by_time", "agent_sessions", ["space_id", "started_at"])
    op.create_table(
        "agent_served",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("point", PlainText, nullable=False),
        sa.Column("served_at", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "session_id"],
            ["agent_sessions.space_id", "agent_sessions.session_id"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "session_id", "memory_id"),
        **spread,
    )
    op.create_table(
        "agent_reviews",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("decision", PlainText, nullable=False),
        sa.Column("actor", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id"),
        **spread,
    )
    op.create_table(
        "agent_trust",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("chosen_by", PlainText, nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id"),
        **spread,
    )
    dialect.finish_schema(op.get_bind())
