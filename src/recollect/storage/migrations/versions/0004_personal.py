"""Personal memory and its access control: entries, settings, audit log, marks of outside text."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SCOPE_COLUMNS = {
    "audit_log": (
        "space_id",
        "audit_id",
        "user_id",
        "action",
        "subject",
        "session_id",
        "detail",
        "at",
    ),
}


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "audit_log",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("audit_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("action", PlainText, nullable=False),
        sa.Column("subject", PlainText, nullable=True),
        sa.Column("session_id", PlainText, nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "audit_id"),
        **spread,
    )
    op.create_index(
        "audit_log_by_user", "audit_log", ["space_id", "user_id", "audit_id"], unique=False
    )
    op.create_table(
        "budgets",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("month", PlainText, nullable=False),
        sa.Column("used", sa.Float(), nullable=False),
        sa.Column("allowed", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "kind"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "incognito_sessions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("incognito", sa.Boolean(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id", "session_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "memory_settings",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("memory_enabled", sa.Boolean(), nullable=False),
        sa.Column("incognito_default", sa.Boolean(), nullable=False),
        sa.Column("soft_cap", sa.Integer(), nullable=False),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "model_calls",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("call_id", PlainText, nullable=False),
        sa.Column("task", PlainText, nullable=False),
        sa.Column("model", PlainText, nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cents", sa.Float(), nullable=False),
        sa.Column("outcome", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "call_id"),
        **spread,
    )
    op.create_table(
        "quarantine",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("quarantine_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("text", PlainText, nullable=False),
        sa.Column("origin", PlainText, nullable=False),
        sa.Column("reasons", sa.Text(), nullable=True),
        sa.Column("fields", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "quarantine_id"),
        **spread,
    )
    op.create_index(
        "quarantine_by_user", "quarantine", ["space_id", "user_id", "quarantine_id"], unique=False
    )
    op.create_table(
        "shared_tags",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("tag", PlainText, nullable=False),
        sa.Column("target_id", PlainText, nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id", "tag", "target_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "tombstones",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("tombstone_id", PlainText, nullable=False),
        sa.Column("simhash", sa.BigInteger(), nullable=False),
        sa.Column("digest", PlainText, nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id", "tombstone_id"),
        **spread,
    )
    op.create_table(
        "entries",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("simhash", sa.BigInteger(), nullable=False),
        sa.Column("repeat_count", sa.Integer(), nullable=False),
        sa.Column("base_importance", sa.Float(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=True),
        sa.Column("metadata_confidence", sa.Float(), nullable=False),
        sa.Column("relevance", sa.Float(), nullable=False),
        sa.Column("recency", sa.Float(), nullable=False),
        sa.Column("importance", sa.Float(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.Column("scored_at", sa.BigInteger(), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id"),
        **spread,
    )
    op.create_index(
        "entries_by_total", "entries", ["space_id", "user_id", "kept", "total"], unique=False
    )
    op.create_table(
        "event_signals",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("reactions", sa.Integer(), nullable=False),
        sa.Column("replies", sa.Integer(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.Column("retrievals", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("tier", sa.Integer(), nullable=False),
        sa.Column("header", PlainText, nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "event_id"], ["events.space_id", "events.event_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "event_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "memory_outside",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("origin", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "origin"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_outside_by_origin",
        "memory_outside",
        ["space_id", "origin", "memory_id"],
        unique=False,
    )
    op.create_table(
        "open_questions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("question_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("old_id", PlainText, nullable=False),
        sa.Column("new_id", PlainText, nullable=False),
        sa.Column("reason", PlainText, nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=True),
        sa.Column("answer", PlainText, nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "new_id"], ["memories.space_id", "memories.memory_id"], ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "old_id"], ["memories.space_id", "memories.memory_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "question_id"),
        **spread,
    )
    op.create_table(
        "outside_events",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("stream_id", PlainText, nullable=False),
        sa.Column("arrival", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("origin", PlainText, nullable=False),
        sa.Column("suspect", PlainText, nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "event_id"], ["events.space_id", "events.event_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "event_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "outside_events_by_stream",
        "outside_events",
        ["space_id", "stream_id", "arrival"],
        unique=False,
    )
    op.create_table(
        "entry_bands",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("band", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bits", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"], ["entries.space_id", "entries.memory_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "user_id", "band", "bits", "memory_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index("entry_bands_by_memory", "entry_bands", ["space_id", "memory_id"], unique=False)
    dialect.protect_columns(op.get_bind(), SCOPE_COLUMNS)
    dialect.finish_schema(op.get_bind())
